/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernels of the files that --zebin names. */
#ifndef TUESDAY_TOOLS_GPU_ZEBINS_H
#define TUESDAY_TOOLS_GPU_ZEBINS_H

#include "tools/gpu/options.h"
#include "sources/gpu/eustall_write.h"

struct eustallfile_reader;
struct gpu_kernels;
struct zebin;

/* Kernels of files have ids from here on. */
enum { ZEBINS_FIRST_ID = 0x40000000 };

/*
 * Reads each file, before anything else is done, and says what is wrong with it. Returns 0 or
 * -EINVAL after a message. FILE@ADDRESS is for a file with one kernel: where several are on the
 * GPU, each has a place of its own, and only what a runtime dumped for a debugger says it. A file
 * that does not say it is of use for its source lines.
 */
int zebins_check(const struct gpu_options *asked, const char *program);
/* Hands out all their kernels that have an address. Returns what on_kernel returned. */
int zebins_tell(const struct gpu_options *asked, const struct eustallfile_reader *to);

/* Zebins that are kept for their source lines. */
struct zebins_kept {
	struct zebin *list;
	size_t n;
};

/* Gives kernels the lines of those of the same name in the files. Valid until they are released. */
void zebins_attach(
	struct zebins_kept *kept, const struct gpu_options *asked, struct gpu_kernels *kernels);
void zebins_release(struct zebins_kept *kept);

#endif
