/* SPDX-License-Identifier: GPL-2.0-only */
/* How does the kernel's list of locks say who has one? */
#include "base/banned.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/read_write.h"
#include "tools/wait/locks.h"

#define LOCKS_BYTES ((size_t)4 << 20)

/* "1: FLOCK ADVISORY WRITE 1234 00:2a:99 0 EOF" has it; with "->" behind the number it waits for
 * the one above. A lock of an open file, and one of another PID namespace, has -1 or 0. */
uint32_t wait_locks_holder_in(const char *text, uint32_t pid)
{
	const char *line = text;
	long holder = 0;

	while (line && *line) {
		const char *newline = strchr(line, '\n');
		int at = 0;
		long of;
		bool waits;

		if (sscanf(line, "%*d: %n", &at) != EOF && at) {
			waits = !strncmp(line + at, "->", 2);
			if (sscanf(line + at + (waits ? 2 : 0), " %*15s %*15s %*15s %ld", &of) != 1)
				of = 0;
			if (!waits)
				holder = of;
			else if (of == (long)pid)
				return holder > 0 ? (uint32_t)holder : 0;
		}
		line = newline ? newline + 1 : NULL;
	}
	return 0;
}

uint32_t wait_locks_holder(uint32_t pid)
{
	const int fd = open("/proc/locks", O_RDONLY | O_CLOEXEC);
	struct str text = STR_INIT;
	uint32_t holder;

	if (fd < 0)
		return 0;
	read_all(fd, LOCKS_BYTES, &text);
	close(fd);
	holder = wait_locks_holder_in(str_text(&text), pid);
	str_free(&text);
	return holder;
}
