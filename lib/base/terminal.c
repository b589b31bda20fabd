/* SPDX-License-Identifier: GPL-2.0-only */
/* May there be colour, and how wide is a line? */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"
#include "base/terminal.h"

bool terminal_color(enum color_when when, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return isatty(fd) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

unsigned int terminal_columns(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

void terminal_verdict(struct str *out, enum verdict verdict, bool color)
{
	static const char *const colors[] = {
		[VERDICT_GOOD] = "\033[32m",
		[VERDICT_MAYBE] = "\033[33m",
		[VERDICT_BAD] = "\033[1;31m",
		[VERDICT_UNKNOWN] = "\033[35m",
		[VERDICT_SKIP] = "\033[2m",
	};

	str_add(out, color ? colors[verdict] : "");
	str_add(out, verdict_text(verdict));
	str_add(out, color ? "\033[0m" : "");
}
