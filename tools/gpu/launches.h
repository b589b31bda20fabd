/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who launches kernels, by probes on the runtime of the GPU: of Level Zero or OpenCL the calls that
 * launch and create kernels, and of an Intel runtime built with them its own probes
 * (level_zero:launch_kernel, as intel/iaprof's patches add), which alone know where on the GPU a
 * kernel is. All programs that use the same file of the runtime are watched, without a change to
 * them; each of those calls costs some microseconds meanwhile.
 */
#ifndef TUESDAY_TOOLS_GPU_LAUNCHES_H
#define TUESDAY_TOOLS_GPU_LAUNCHES_H

#include "sources/gpu/eustall_write.h"
#include "base/str.h"

struct launches;

/*
 * library is a file, or NULL for those that processes use now. Returns 0 with *out NULL and a
 * phrase in why where nothing can be watched; -errno never ends a run, so there is none. Leaves no
 * right in effect.
 */
void launches_start(struct launches **out, const char *library, struct str *why);
/* Takes what has been seen: to be called now and then, while the programs that did it still run.
 * Their files are read meanwhile, so no right is in effect but to open one. */
void launches_collect(struct launches *launches);
/* Hands out all kernels, then all launches. Returns what a callback returned. */
int launches_tell(struct launches *launches, const struct eustallfile_reader *to);
/* Events that were too many. */
uint64_t launches_lost(const struct launches *launches);
/* NULL is none. */
void launches_free(struct launches *launches);

#endif
