/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages about a file that is wrong: "FILE:LINE: what is wrong and what was meant". */
#ifndef TUESDAY_BASE_DIAG_H
#define TUESDAY_BASE_DIAG_H

#include <stddef.h>

struct str;

/* More than these about one file help nobody. */
#define COMPLAINTS_MAX 20

struct complaints {
	struct str *out; /* one message a line; NULL to count only */
	size_t n;	 /* those that were made, shown or not */
};

/* Adds one message. A line of 0 is left out. What may not show becomes '?', be it
 * of the file's name or of its content, so that a message is always one harmless line. */
void complain(struct complaints *complaints, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
