/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording of EU stalls, read. */
#ifndef TUESDAY_SOURCES_GPU_EUSTALL_READ_H
#define TUESDAY_SOURCES_GPU_EUSTALL_READ_H

#include <stdbool.h>
#include <stdio.h>

#include "sources/gpu/xe_stream.h"

struct eustallfile_header;
struct eustallfile_kernel;
struct eustallfile_launch;

/* What a replay does with what it reads; each may be NULL and returns non-zero to end. */
struct eustallfile_reader {
	struct xe_reader stream;
	int (*on_kernel)(void *arg, const struct eustallfile_kernel *kernel);
	int (*on_launch)(void *arg, const struct eustallfile_launch *launch);
	void *arg; /* of these two */
};

/*
 * Returns 0; -ENOEXEC where it is no recording; -EPROTO for a version that is not known; -EBADMSG
 * where the numbers contradict each other, such as a layout that is not that of the GPU's version.
 */
int eustallfile_read_header(FILE *from, struct eustallfile_header *header);
/*
 * All that follows the header. Returns 0, what a callback returned, -EBADMSG for a chunk that makes
 * no sense, or -errno. cut: it ends before its end, and what there is was read.
 */
int eustallfile_replay(FILE *from, const struct eustallfile_reader *reader, bool *cut);

#endif
