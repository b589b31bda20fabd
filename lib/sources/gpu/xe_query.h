/* SPDX-License-Identifier: GPL-2.0-only */
/* What an Intel GPU is. */
#ifndef TUESDAY_SOURCES_GPU_XE_QUERY_H
#define TUESDAY_SOURCES_GPU_XE_QUERY_H

#include <stddef.h>

struct xe_device;
struct xe_gpu;
struct xe_trouble;

/*
 * Opens the node of a device that is awake and asks what it is. Returns 0, or -errno with the
 * reason in trouble. The node is closed on exec; xe_gpu_close() is safe after an error too.
 */
int xe_gpu_open(const struct xe_device *device, struct xe_gpu *gpu, struct xe_trouble *trouble);
void xe_gpu_close(struct xe_gpu *gpu);

/* What is in an answer of the driver, aligned as malloc() does; as much of it as is whole. The
 * topology is of GTs that are known by then. */
void xe_take_gts(struct xe_gpu *gpu, const void *answer, size_t n_bytes);
void xe_take_topology(struct xe_gpu *gpu, const void *answer, size_t n_bytes);
void xe_take_stall(struct xe_gpu *gpu, const void *answer, size_t n_bytes);

#endif
