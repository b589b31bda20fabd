/* SPDX-License-Identifier: GPL-2.0-only */
/* Which GPUs there are, and which of them sleep. */
#ifndef TUESDAY_SOURCES_GPU_DISCOVER_H
#define TUESDAY_SOURCES_GPU_DISCOVER_H

#include <stdbool.h>

struct gpu_device;
struct gpu_devices;
struct capture;
struct str;

/* Whether a device's files and nodes may be touched: only then is nothing woken by it. */
enum gpu_power { GPU_AWAKE, GPU_ASLEEP, GPU_STUCK };

/* Finds those with a render node and those of the NVIDIA driver, without touching any; what only
 * pretends to be one (virtio_gpu, vgem, vkms) is left out. Of 64 at most. */
void gpu_find(struct capture *fs, struct gpu_devices *out);

/* By power/runtime_status, which the kernel answers without the device. STUCK is one that could not
 * be woken or put to sleep. A kernel that has no such file cannot suspend it. */
enum gpu_power gpu_power(struct capture *fs, const struct gpu_device *device);

/* Appends NAME KEY VALUE if the file holds a number. */
bool gpu_add_number(struct capture *fs, const struct gpu_device *device, const char *file,
	const char *key, struct str *lines);

/* Whether any device of the NVIDIA library is there. */
bool nvml_has_devices(const struct gpu_devices *devices);

#endif
