/* SPDX-License-Identifier: GPL-2.0-only */
/* The clients of DRM devices, file by file. */
#ifndef TUESDAY_SOURCES_GPU_DRM_FDINFO_H
#define TUESDAY_SOURCES_GPU_DRM_FDINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

/* One client of a DRM device, as its fdinfo tells it. */
struct drm_usage {
	char device[GPU_NAME_BYTES]; /* drm-pdev, or "" */
	char driver[24];
	uint64_t client;
	bool has_client;
	struct drm_engine {
		char name[16];
		uint64_t busy;	/* ns, or cycles */
		uint64_t total; /* cycles, where cycles is set */
		uint32_t capacity;
		bool has_ns, has_cycles, has_total;
	} engines[GPU_ENGINES_MAX];
	size_t n_engines;
	struct drm_region {
		char name[16];
		uint64_t bytes;
		bool resident; /* what it occupies, where total is what it asked for */
	} regions[GPU_REGIONS_MAX];
	size_t n_regions;
};

/*
 * Takes /proc/PID/fdinfo/N apart, by Documentation/gpu/drm-usage-stats.rst: drm-engine-X in ns or
 * drm-cycles-X with drm-total-cycles-X, drm-engine-capacity-X, drm-resident-X, drm-total-X and the
 * old drm-memory-X in bytes, KiB or MiB. An engine of which both are told is taken in ns. Returns
 * whether it is a DRM client.
 */
bool drm_parse_fdinfo(struct bytes text, struct drm_usage *out);

#endif
