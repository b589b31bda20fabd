/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernels of the files that --zebin names. */
#ifndef TUESDAY_TOOLS_GPU_ZEBINS_H
#define TUESDAY_TOOLS_GPU_ZEBINS_H

#include "tools/gpu/options.h"
#include "sources/gpu/eustall_write.h"

struct eustallfile_reader;

/* Kernels of files have ids from here on. */
enum { ZEBINS_FIRST_ID = 0x40000000 };

/*
 * Reads each file, before anything else is done, and says what is wrong with it. Returns 0 or
 * -EINVAL after a message. FILE@ADDRESS is for a file with one kernel: where several are on the
 * GPU, each has a place of its own, and only what a runtime dumped for a debugger says it.
 */
int zebins_check(const struct gpu_options *asked, const char *program);
/* Hands out all their kernels that have an address. Returns what on_kernel returned. */
int zebins_tell(const struct gpu_options *asked, const struct eustallfile_reader *to);

#endif
