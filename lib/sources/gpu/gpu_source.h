/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GPUs: what is read of them, by a child that may hang, and what is made of it.
 *
 * A collector is a child of the run. Some twelve times a second it reads what the kernel says of
 * each GPU that is awake and writes it as lines; the sources take what has come, so that no sweep
 * waits for a GPU. The lines are the blob "gpu" of a recording (and "gpu-nvml", of the NVIDIA
 * library), so that a replay knows what the run knew. NAME is a PCI address, or what the kernel
 * calls a GPU that is on no PCI bus:
 *
 *   gpu NAME DRIVER CARD          there is one; CARD is card0, or -
 *   t NS                          a round begins, CLOCK_MONOTONIC
 *   NAME KEY VALUE                a number; gt0.KEY where it belongs to a clock of its own
 *   comm PID NAME                 what a process is called
 *   scan NS all|some              the clients of a scan follow: were all processes seen?
 *   use NAME CLIENT PID ENGINE CAPACITY BUSY TOTAL
 *                                 time of an engine class: of TOTAL cycles, or in ns where it is -
 *   mem NAME CLIENT PID REGION BYTES
 *   blind NAME PID                a client whose use is not told, or not all of it
 *   missing TEXT                  what could not be read, and how to mend it
 *   end                           of a round
 *   silent SECONDS WHERE          how long ago the last line came
 */
#ifndef TUESDAY_SOURCES_GPU_H
#define TUESDAY_SOURCES_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

struct str;
struct sink;
struct culprit;

#define GPU_NAME_BYTES 48
#define GPU_DEVICES_MAX 64
#define GPU_ENGINES_MAX 16 /* of a client */
#define GPU_REGIONS_MAX 16

struct gpu_device {
	char name[GPU_NAME_BYTES];
	char driver[24];
	char card[24];	 /* "card0", or "" */
	char render[24]; /* "renderD128", or "" */
	char dir[128];	 /* of its files in sysfs */
};

struct gpu_devices {
	struct gpu_device list[GPU_DEVICES_MAX];
	size_t n;
};

/* Whether a device's files and nodes may be touched: only then is nothing woken by it. */
enum gpu_power { GPU_AWAKE, GPU_ASLEEP, GPU_STUCK };

/* Finds those with a render node and those of the NVIDIA driver, without touching any; what only
 * pretends to be one (virtio_gpu, vgem, vkms) is left out. Of 64 at most. */
void gpu_find(struct procfs *fs, struct gpu_devices *out);

/* By power/runtime_status, which the kernel answers without the device. STUCK is one that could not
 * be woken or put to sleep. A kernel that has no such file cannot suspend it. */
enum gpu_power gpu_power(struct procfs *fs, const struct gpu_device *device);

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

/* The sources' own counters of an engine, by perf events of the drivers xe and i915. */
struct gpu_pmu;
/* Opens what can be opened of the devices that are awake; with engines of xe only where asked for,
 * since these keep the GPU from sleeping. Notes what is missing as lines. Returns NULL where there
 * is nothing. */
struct gpu_pmu *gpu_pmu_open(
	struct procfs *fs, const struct gpu_devices *devices, bool xe_engines, struct str *lines);
void gpu_pmu_read(struct gpu_pmu *pmu, struct str *lines);
/* Whether the PMU of this device is counted: its idle residency is then not its own. */
bool gpu_pmu_holds(const struct gpu_pmu *pmu, size_t device);
void gpu_pmu_close(struct gpu_pmu *pmu);

/* "config:12-19" and a value for it, to config. False where it does not fit. */
bool gpu_pmu_place(struct bytes format, uint64_t value, uint64_t *config);

/*
 * Append what sysfs says of one device as lines. What hardly changes (limits, temperatures, energy,
 * idle residency) is read where slow is set; idle residency only with_idle.
 */
void gpu_read_intel(struct procfs *fs, const struct gpu_device *device, bool slow, bool with_idle,
	struct str *lines);
void gpu_read_amd(struct procfs *fs, const struct gpu_device *device, bool slow, struct str *lines);
/* hwmon, and what is the same for every driver. */
void gpu_read_common(struct procfs *fs, const struct gpu_device *device, struct str *lines);
/* Asks the driver for its version: a wedged one answers ECANCELED. Live only. */
void gpu_read_wedged(const struct gpu_device *device, struct str *lines);

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

/* Appends NAME KEY VALUE if the file holds a number. */
bool gpu_add_number(struct procfs *fs, const struct gpu_device *device, const char *file,
	const char *key, struct str *lines);

/* The clients of all processes, as far as they may be seen. */
struct drm_scan;
struct drm_scan *drm_scan_new(struct procfs *fs, const struct gpu_devices *devices);
void drm_scan_free(struct drm_scan *scan);
/* Appends the lines of a scan. asleep says of each device whether it must not be touched. With all
 * every process is looked at, else only those that had a client before. */
void drm_scan_run(struct drm_scan *scan, bool all, const bool *asleep, struct str *lines);

/* The collector's work, in the child: rounds until the reader is gone. at is shared with the
 * parent and says what is read at the moment. */
struct gpu_collector {
	struct procfs *fs;
	const struct gpu_devices *devices;
	struct gpu_pmu *pmu;
	char *at;
	size_t at_size;
};
int gpu_collect(void *arg, int fd);

/* The NVIDIA library, asked by a program of its own, which ends with the reader; as the work of
 * child_start, with a struct gpu_devices. */
int nvml_run(void *arg, int fd);
/* Whether any device of it is there. */
bool nvml_has_devices(const struct gpu_devices *devices);

/* What was made of the lines so far. */
struct gpu_model;
struct gpu_model *gpu_model_new(void);
void gpu_model_free(struct gpu_model *model);
/* Those of the NVIDIA library are of the NVIDIA driver's devices, the others of all others. */
void gpu_model_add(struct gpu_model *model, struct bytes lines, bool nvidia);
enum gpu_view {
	GPU_VIEW_DEVICE,
	GPU_VIEW_CLOCK,
	GPU_VIEW_REASON,
	GPU_VIEW_ENGINE,
	GPU_VIEW_CLIENT
};
/* Hands out the numbers of a source. */
void gpu_model_put(const struct gpu_model *model, enum gpu_view view, struct sink *sink);
/* The device that an instance of any source belongs to; with user the process that uses it the
 * most, if one is known. */
bool gpu_model_culprit(
	const struct gpu_model *model, const char *instance, bool user, struct culprit *out);

#endif
