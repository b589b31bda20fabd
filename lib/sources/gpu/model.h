/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of the GPUs by now: filled from lines, clocks and usage, handed out by emit.c. */
#ifndef TUESDAY_SOURCES_GPU_MODEL_H
#define TUESDAY_SOURCES_GPU_MODEL_H

#include "base/number_map.h"
#include "sources/gpu/gpu_source.h"

#define GPU_RATIO_BINS 400 /* half a per cent each, up to twice */
#define GPU_MISSING_MAX 8
/* Those of amdgpu that run by the clock of its part gfx; those for video and copying do not. */
#define GPU_GFX_ENGINES "gfx compute"

/* How often each ratio was seen. */
struct gpu_ratios {
	uint32_t bins[GPU_RATIO_BINS];
	uint64_t n;
};

struct gpu_reason {
	char name[24];
	bool set; /* in this round */
	bool told;
	uint64_t samples, set_samples;
};

/* A part with a clock of its own. What is NAN was not told. */
struct gpu_clock {
	size_t device;
	char name[16];
	double act, req, max, base, top; /* MHz */
	double idle_ms, idle_before;
	struct gpu_reason *reasons;
	size_t n_reasons, room_reasons;
	/* Rounds in which it ran, and the reasons were told. */
	uint64_t samples, hot_samples, power_samples;
	struct gpu_ratios speed, over_base;
};

struct gpu_engine {
	size_t device;
	char name[20];
	bool pmu;
	double scan_ns; /* in this scan */
	double busy_ns, of_ns;
};

/* A client's use of an engine. */
struct gpu_use {
	size_t device;
	uint64_t client, pid;
	char engine[20];
	bool pmu;
	uint64_t busy, total;
	uint64_t scan;	/* the last one that it was seen in */
	double busy_ns; /* as long as it was watched */
};

struct gpu_memory {
	size_t device;
	uint64_t client, pid;
	char region[16];
	double bytes;
};

struct gpu_process {
	uint64_t pid;
	char name[64];
};

struct gpu_state {
	struct gpu_device id;
	bool nvidia;
	bool asleep;
	uint64_t rounds, asleep_rounds;
	/* In this round, of any part that runs: were reasons told, and is one heat? */
	bool limits_told, hot;
	uint64_t limit_rounds, hot_rounds;
	bool scanned;			/* it was seen before, so that there is an interval */
	bool all, blind, used, counted; /* in this scan: see finish_scan */
	/* In this scan the GPU's own time, of which the clients' or the PMU's is a part, has not
	 * gone on from where it was. */
	bool untold[2];
	double percent_sum;
	uint64_t percents;
	struct gpu_bounds {
		double least_ns, least_of_ns, most_ns, most_of_ns;
	} busy, gfx_busy; /* by all engines, by GPU_GFX_ENGINES */
	/* NAN until told. */
	double power_failed, wedged, coredump, ras_uncorrectable, ras_correctable;
	double remap_pending, remap_failed;
	double memory, memory_used, energy_uj, power_uw, power_limit_uw;
	double hottest_ratio, hottest_celsius; /* of the last round that had sensors */
	double milli;			       /* of the sensor whose limit is yet to come */
	double round_ratio, round_celsius;
};

struct gpu_model {
	struct gpu_state *devices;
	size_t n_devices, room_devices;
	struct gpu_clock *clocks;
	size_t n_clocks, room_clocks;
	struct gpu_engine *engines;
	size_t n_engines, room_engines;
	struct gpu_use *uses;
	size_t n_uses, room_uses;
	struct gpu_memory *memories;
	size_t n_memories, room_memories;
	struct gpu_process *processes;
	size_t n_processes, room_processes;
	/* Their numbers in these lists: by gpu_key() of a use and of a memory, and by pid. */
	struct number_map uses_by_key, memories_by_key, processes_by_pid;
	bool cut; /* there are more of them than are kept */
	char *missing[GPU_MISSING_MAX];
	size_t n_missing;
	struct gpu_stream {
		uint64_t scan_ns, before_ns; /* when the last scan was, and the one before it */
		uint64_t scans;
		bool scanning;
		bool any_round;
		uint64_t adds;	       /* as many samples as there were */
		double silent_seconds; /* NAN until told */
		char where[96];
	} streams[2];
	struct gpu_stream *stream; /* that is read */
};

/* The number of the device of this name, or n_devices. */
size_t gpu_model_device(const struct gpu_model *model, struct bytes name);

/* A number for a client's, or a process's, use of an engine or memory, by which it is found; pmu:
 * as struct gpu_use has it. */
uint64_t gpu_key(size_t device, uint64_t of, bool pmu, const char *name);

/* Nothing is known yet. */
struct gpu_model *gpu_model_new(void);
void gpu_model_free(struct gpu_model *model);

#endif
