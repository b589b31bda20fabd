/* SPDX-License-Identifier: GPL-2.0-only */
/* May there be colour, and how wide is a line? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/num.h"
#include "base/terminal.h"

bool terminal_color(enum color_when when, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return isatty(fd) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

unsigned int terminal_colors(enum color_when when, int fd)
{
	const char *many = getenv("COLORTERM"), *term = getenv("TERM");

	if (!terminal_color(when, fd))
		return 0;
	if (many && (!strcmp(many, "truecolor") || !strcmp(many, "24bit")))
		return 1 << 24;
	/* These have eight. */
	if (term && (!strcmp(term, "linux") || !strncmp(term, "vt", 2) || !strcmp(term, "ansi")))
		return 0;
	return 256;
}

unsigned int terminal_columns(void)
{
	const char *asked = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns;

	if (asked && !num_u64(asked, 1, 10000, &columns))
		return (unsigned int)columns;
	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}
