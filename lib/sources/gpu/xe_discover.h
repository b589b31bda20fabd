/* SPDX-License-Identifier: GPL-2.0-only */
/* Intel GPUs of the driver xe. */
#ifndef TUESDAY_SOURCES_GPU_XE_DISCOVER_H
#define TUESDAY_SOURCES_GPU_XE_DISCOVER_H

#include <stddef.h>

#include "sources/gpu/xe_stream.h"

struct capture;

struct xe_devices {
	struct xe_device list[XE_DEVICES_MAX];
	size_t n;
};

/* Those of the driver xe that have a render node, by sysfs, of which only files are read that the
 * kernel answers without the device. */
void xe_find(struct capture *fs, struct xe_devices *out);

#endif
