/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of a file that others wrote, one after the other, in a bounded piece of memory. */
#ifndef TUESDAY_BASE_LINE_READER_H
#define TUESDAY_BASE_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_READER_MAX = 64 << 10 }; /* bytes: a longer line is left out, and counted */

struct line_reader {
	/* Is given each line, a 0 in place of its end; false for no more of them. The line is the
	 * callee's to change until it returns. */
	bool (*each)(void *arg, char *line, size_t len);
	void *arg;
	uint64_t lines, too_long;
	/* Below: the reader's own. All zero at the beginning. */
	char *bytes;
	size_t len;
	bool skips, is_over;
};

/* Takes some more bytes; the last line needs line_reader_end. */
void line_reader_take(struct line_reader *reader, const char *bytes, size_t len);
/* The last line, if it has no end, and frees what the reader holds. */
void line_reader_end(struct line_reader *reader);
/* All that a descriptor has, and line_reader_end. doing is what progress says where the size is
 * known ("reading perf.txt"). Returns 0 or -errno; -EINTR: somebody wants it to stop. */
int line_reader_read(struct line_reader *reader, int fd, const char *doing);

#endif
