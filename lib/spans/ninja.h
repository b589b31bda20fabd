/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * .ninja_log, where ninja writes down when each of its jobs began and ended: in milliseconds since
 * ninja began, and beside it a time of day by which the build can be put on the clock.
 *
 *	# ninja log v5
 *	START	END	MTIME	OUTPUT	HASH OF THE COMMAND
 *
 * Up to version 5 MTIME is when the output was changed last, which is before the job's end; from
 * version 6 on it is when the job began. Nanoseconds since 1970, in old ones seconds. A job with
 * several outputs has as many lines. Lines come in the order of ends, so that an end before the
 *last one begins another build; ninja mixes those of old builds when it rewrites a long log.
 * (https://github.com/ninja-build/ninja: src/build_log.cc; pull requests 1219, 1753, 2240.)
 */
#ifndef TUESDAY_SPANS_NINJA_H
#define TUESDAY_SPANS_NINJA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span_table;

/* Whether a file that begins like this is one. */
bool span_ninja_is_log(const char *text, size_t len);

/*
 * Adds the last build of a log: a span "ninja", and within it one for each job, named by the ending
 * of its output ("*.o"), with the fields output and hash. changed_ns is when the file was changed
 * last, which no time in it is behind; 0: not known. Returns 0, -ENODATA where it has no job, or
 * -ENOMEM.
 */
int span_ninja_read(struct span_table *table, const char *text, size_t len, int64_t changed_ns);

#endif
