/* SPDX-License-Identifier: GPL-2.0-only */
/* What the drivers xe and i915 say in sysfs. */
#ifndef TUESDAY_SOURCES_GPU_INTEL_H
#define TUESDAY_SOURCES_GPU_INTEL_H

#include <stdbool.h>

struct gpu_device;
struct capture;
struct str;

/*
 * Appends what sysfs says of one device as lines. What hardly changes (limits, temperatures,
 * energy, idle residency) is read where slow is set; idle residency only with_idle.
 */
void gpu_read_intel(struct capture *fs, const struct gpu_device *device, bool slow, bool with_idle,
	struct str *lines);

#endif
