/* SPDX-License-Identifier: GPL-2.0-only */
/* Why an Intel GPU could not be looked at. */
#ifndef TUESDAY_SOURCES_GPU_XE_ERROR_H
#define TUESDAY_SOURCES_GPU_XE_ERROR_H

#include "sources/gpu/xe_stream.h"

struct xe_trouble;

/* Notes one and returns its error as -errno, -EINVAL where error is 0. */
int xe_trouble_set(struct xe_trouble *trouble, enum xe_trouble_kind kind, int error,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What STREAM_OPEN failed with, and how to mend it. */
int xe_explain_open(struct xe_trouble *trouble, const char *device, int error);

#endif
