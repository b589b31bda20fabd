/* SPDX-License-Identifier: GPL-2.0-only */
/* The clients of all processes. */
#ifndef TUESDAY_SOURCES_GPU_DRM_SCAN_H
#define TUESDAY_SOURCES_GPU_DRM_SCAN_H

#include <stdbool.h>

struct gpu_devices;
struct capture;
struct str;

/* The clients of all processes, as far as they may be seen. */
struct drm_scan;
struct drm_scan *drm_scan_new(struct capture *fs, const struct gpu_devices *devices);
void drm_scan_free(struct drm_scan *scan);
/* Appends the lines of a scan. asleep says of each device whether it must not be touched. With all
 * every process is looked at, else only those that had a client before. */
void drm_scan_run(struct drm_scan *scan, bool all, const bool *asleep, struct str *lines);

#endif
