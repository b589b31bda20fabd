/* SPDX-License-Identifier: GPL-2.0-only */
/* amdgpu's binary gpu_metrics. */
#ifndef TUESDAY_SOURCES_GPU_AMD_GPU_METRICS_H
#define TUESDAY_SOURCES_GPU_AMD_GPU_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"

/* What amdgpu's binary gpu_metrics says of clock and throttling. */
struct gpu_metrics {
	bool has_clock, has_throttle;
	double clock_mhz;
	uint64_t throttle; /* the bits that mean the same on every chip */
};

/* Takes gpu_metrics apart, by its version; false where that is not known, or the file is shorter
 * than its version is. Source: drivers/gpu/drm/amd/include/kgd_pp_interface.h, Linux 6.2. */
bool gpu_metrics_parse(struct bytes data, struct gpu_metrics *out);

/* Whether any bit is set that means heat or a fault of the supply, or a limit of power or current.
 * HOTSPOT is no evidence: it is always set on RDNA 3 and 4. */
bool gpu_metrics_is_hot(uint64_t throttle);
bool gpu_metrics_is_power(uint64_t throttle);

/* "0: 500Mhz\n1: 2100Mhz *": the fastest level, and the present one; 0 where there is none. */
void gpu_parse_levels(struct bytes text, double *highest_mhz, double *now_mhz);

#endif
