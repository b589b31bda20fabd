/* SPDX-License-Identifier: GPL-2.0-only */
/* GPUs by perf events. */
#ifndef TUESDAY_SOURCES_GPU_PMU_H
#define TUESDAY_SOURCES_GPU_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

struct gpu_devices;
struct capture;
struct str;

/* The sources' own counters of an engine, by perf events of the drivers xe and i915. */
struct gpu_pmu;
/* Opens what can be opened of the devices that are awake; with engines of xe only where asked for,
 * since these keep the GPU from sleeping. Notes what is missing as lines. Returns NULL where there
 * is nothing. */
struct gpu_pmu *gpu_pmu_open(
	struct capture *fs, const struct gpu_devices *devices, bool xe_engines, struct str *lines);
void gpu_pmu_read(struct gpu_pmu *pmu, struct str *lines);
/* Whether the PMU of this device is counted: its idle residency is then not its own. */
bool gpu_pmu_holds(const struct gpu_pmu *pmu, size_t device);
void gpu_pmu_close(struct gpu_pmu *pmu);

/* "config:12-19" and a value for it, to config. False where it does not fit. */
bool gpu_pmu_place(struct bytes format, uint64_t value, uint64_t *config);

#endif
