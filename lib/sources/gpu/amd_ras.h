/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory errors of GPUs, by netlink. */
#ifndef TUESDAY_SOURCES_GPU_AMD_RAS_H
#define TUESDAY_SOURCES_GPU_AMD_RAS_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_devices;
struct str;

/* The kernel's family drm-ras: fd is negative where there is none, also in a network namespace
 * other than the first. */
struct gpu_ras {
	int fd;
	uint16_t family;
};
void gpu_ras_open(struct gpu_ras *ras);
void gpu_ras_close(struct gpu_ras *ras);
/* Appends what the GPUs that are awake have counted since their driver was loaded. */
void gpu_ras_read(const struct gpu_ras *ras, const struct gpu_devices *devices, const bool *asleep,
	struct str *lines);

#endif
