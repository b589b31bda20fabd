/* SPDX-License-Identifier: GPL-2.0-only */
/* What amdgpu, and every driver, says in sysfs. */
#ifndef TUESDAY_SOURCES_GPU_AMD_H
#define TUESDAY_SOURCES_GPU_AMD_H

#include <stdbool.h>

struct gpu_device;
struct capture;
struct str;

/* The same of one of amdgpu: all but idle residency. */
void gpu_read_amd(
	struct capture *fs, const struct gpu_device *device, bool slow, struct str *lines);
/* hwmon, and what is the same for every driver. */
void gpu_read_common(struct capture *fs, const struct gpu_device *device, struct str *lines);
/* Asks the driver for its version: a wedged one answers ECANCELED. Live only. */
void gpu_read_wedged(const struct gpu_device *device, struct str *lines);

#endif
