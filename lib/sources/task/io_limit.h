/* SPDX-License-Identifier: GPL-2.0-only */
/* The limits that a control group has for its I/O, and the counters that they are held against. */
#ifndef TUESDAY_SOURCES_TASK_IO_LIMIT_H
#define TUESDAY_SOURCES_TASK_IO_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/capture.h"

enum io_limit_kind { IO_LIMIT_RBPS, IO_LIMIT_WBPS, IO_LIMIT_RIOPS, IO_LIMIT_WIOPS, IO_LIMIT_KINDS };

/* As v2 calls it: "rbps". */
const char *io_limit_word(enum io_limit_kind kind);

struct io_limit {
	enum io_limit_kind kind;
	unsigned int major, minor;
	double per_second; /* bytes or requests */
};

/* io.max of v2. Calls each for every limit that is not "max". */
void parse_io_max(
	struct bytes text, void (*each)(void *arg, const struct io_limit *limit), void *arg);
/* blkio.throttle.*_device of v1: the limits of this kind, "254:0 40" a line. */
void parse_throttle_device(struct bytes text, enum io_limit_kind kind,
	void (*each)(void *arg, const struct io_limit *limit), void *arg);

/* What io.stat of v2, or blkio.throttle.io_service* of v1, has counted of what the limit is about.
 * A device without a line has done no I/O so far: 0. */
double parse_io_used(struct bytes text, const struct io_limit *limit);
double parse_throttle_used(struct bytes text, const struct io_limit *limit);

#endif
