/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a line of the kernel's log fit a pattern? */
#ifndef TUESDAY_SOURCES_KERNEL_KLOG_FITS_H
#define TUESDAY_SOURCES_KERNEL_KLOG_FITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "capture/capture.h"

/* A program's name of 15 bytes, each of which /dev/kmsg writes as up to four: "\x0a". */
#define KLOG_PROGRAM_MAX 60

/*
 * Whether the line fits from its beginning on. It need not end where the pattern does.
 *
 *	%  a name, which is the instance: of a disk, a CPU, an interface, a function
 *	~  a name
 *	?  a number, in digits
 *	@  what a program calls itself, which is the instance: text of up to KLOG_PROGRAM_MAX bytes
 *	&  any text, or none, which is the instance
 *	*  any text, or none
 *	^  text, or none, that closes no parenthesis
 *	$  the end of the line
 *
 * A name is one byte or more of letters, digits and "_.:/!+-%~": no blank, so that no name goes on
 * into the next words of a line. instance is left as it was where the pattern has none. A pattern
 * with two of '*' and '&' takes a time that grows with the square of the line: there is none.
 */
bool klog_fits(struct bytes line, const char *pattern, struct bytes *instance);

/* Which pairs of neighbouring bytes a text has, of each of which a hash is a bit. */
struct klog_pairs {
	uint64_t bits[4];
};

struct klog_pairs klog_pairs_of_line(struct bytes line);
/* Those that every line that fits has. */
struct klog_pairs klog_pairs_of_pattern(const char *pattern);

/* False where no such line can fit. */
static inline bool klog_pairs_may_fit(
	const struct klog_pairs *line, const struct klog_pairs *pattern)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(line->bits); i++)
		if (pattern->bits[i] & ~line->bits[i])
			return false;
	return true;
}

#endif
