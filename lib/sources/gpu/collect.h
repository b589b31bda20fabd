/* SPDX-License-Identifier: GPL-2.0-only */
/* The collector: a child that reads the GPUs many times a second. */
#ifndef TUESDAY_SOURCES_GPU_COLLECT_H
#define TUESDAY_SOURCES_GPU_COLLECT_H

#include <stddef.h>

struct gpu_devices;
struct gpu_pmu;
struct capture;

/* The collector's work, in the child: rounds until the reader is gone. at is shared with the
 * parent and says what is read at the moment. */
struct gpu_collector {
	struct capture *fs;
	const struct gpu_devices *devices;
	struct gpu_pmu *pmu;
	char *at;
	size_t at_size;
};
int gpu_collect(void *arg, int fd);

#endif
