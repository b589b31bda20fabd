/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers from text that somebody else wrote: parsed, range-checked and refused in one call. */
#ifndef TUESDAY_BASE_NUM_H
#define TUESDAY_BASE_NUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Whole text to a number between min and max, both included. Returns 0, -EINVAL for text that is
 * not a plain decimal number (signs, blanks, trailing characters and the empty text are not), or
 * -ERANGE.
 */
int num_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/*
 * A decimal number with an optional unit to base units: "10ms" is 0.01, "5%" 0.05, "64k" 65536.
 * Units: ns us ms s min h d (seconds), % (ratio), k M G T and KiB MiB GiB TiB (powers of 1024).
 * Returns the number of characters taken, or -EINVAL where no number or an unknown unit stands.
 */
int num_with_unit(const char *text, double *out);

/*
 * For /proc parsers: skips blanks, reads an unsigned decimal and moves *at behind it. Returns 0, or
 * -EINVAL where no digit stands (*at is then unchanged), or -ERANGE beyond 64 bits. num_next_hex is
 * the same for the bare hexadecimal of /proc/net/softnet_stat. at is bounded by end.
 */
int num_next(const char **at, const char *end, uint64_t *out);
int num_next_hex(const char **at, const char *end, uint64_t *out);

#endif
