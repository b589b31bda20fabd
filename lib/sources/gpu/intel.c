/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How fast do the parts of an Intel GPU run, what slows them, and how long did they sleep?
 *
 * xe has device/tile0/gt0/freq0/, older kernels device/gt0/freq0/; i915 has card0/gt/gt0/, older
 * kernels only the card's own files. All of them wake a device that sleeps.
 */
#include "base/banned.h"

#include <stdio.h>
#include <string.h>

#include "sources/gpu/gpu_source.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "capture/glob.h"
#include "sources/gpu/intel.h"
#include "sources/gpu/discover.h"

struct reading {
	struct capture *fs;
	const struct gpu_device *device;
	struct str *lines;
	bool slow, with_idle;
	size_t found;
};

struct file {
	const char *file, *key;
};

/* dir is relative to the device's. gt names the part: "gt0". */
static void add_files(struct reading *reading, const char *dir, const char *gt,
	const struct file *files, size_t n)
{
	char file[160], key[48];
	size_t i;

	for (i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s%s", dir, files[i].file);
		snprintf(key, sizeof(key), "%s.%s", gt, files[i].key);
		gpu_add_number(reading->fs, reading->device, file, key, reading->lines);
	}
}

struct reasons {
	struct reading *reading;
	const char *gt;
};

/* throttle/reason_thermal, throttle_reason_thermal: 0 or 1. */
static int add_reason(void *arg, const char *path, const char *star)
{
	struct reasons *reasons = arg;
	const char *name = strrchr(star, '/') ? strrchr(star, '/') + 1 : star;
	char key[48];

	if (!strcmp(name, "status") ||
		strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name) ||
		snprintf(key, sizeof(key), "%s.flag.%s", reasons->gt, name) >= (int)sizeof(key))
		return 0;
	gpu_add_number(reasons->reading->fs, reasons->reading->device,
		path + strlen(reasons->reading->device->dir) + 1, key, reasons->reading->lines);
	return 0;
}

static void intel_add_reasons(
	struct reading *reading, const char *gt, const char *dir, const char *rest)
{
	struct reasons reasons = {reading, gt};
	char pattern[256];

	snprintf(pattern, sizeof(pattern), "%s/%s%s", reading->device->dir, dir, rest);
	capture_glob(reading->fs, pattern, add_reason, &reasons);
}

/* path is .../gt0/freq0/act_freq; gt0 of it in buf, and the directory of gt0 relative to the
 * device's. */
static bool cut_gt(const struct reading *reading, const char *path, size_t tail, char *dir,
	size_t dir_size, char *gt, size_t gt_size)
{
	const char *from = path + strlen(reading->device->dir) + 1, *name;
	size_t len = strlen(from) - tail;

	if (strlen(from) <= tail || len >= dir_size)
		return false;
	memcpy(dir, from, len);
	dir[len] = 0;
	name = strrchr(dir, '/') ? strrchr(dir, '/') + 1 : dir;
	return snprintf(gt, gt_size, "%s", name) < (int)gt_size &&
		strspn(name, "gt0123456789") == strlen(name);
}

static int add_xe(void *arg, const char *path, const char *star)
{
	static const struct file fast[] = {
		{"/freq0/act_freq", "act_mhz"}, {"/freq0/cur_freq", "req_mhz"}};
	static const struct file slow[] = {{"/freq0/max_freq", "max_mhz"},
		{"/freq0/rpe_freq", "base_mhz"}, {"/freq0/rp0_freq", "top_mhz"}};
	static const struct file idle[] = {{"/gtidle/idle_residency_ms", "idle_ms"}};
	struct reading *reading = arg;
	char dir[96], gt[12];

	(void)star;
	if (!cut_gt(reading, path, strlen("/freq0/act_freq"), dir, sizeof(dir), gt, sizeof(gt)))
		return 0;
	reading->found++;
	add_files(reading, dir, gt, fast, 2);
	intel_add_reasons(reading, gt, dir, "/freq0/throttle/reason_*");
	if (reading->slow)
		add_files(reading, dir, gt, slow, 3);
	if (reading->slow && reading->with_idle)
		add_files(reading, dir, gt, idle, 1);
	return 0;
}

static int add_i915(void *arg, const char *path, const char *star)
{
	static const struct file fast[] = {
		{"/rps_act_freq_mhz", "act_mhz"}, {"/rps_cur_freq_mhz", "req_mhz"}};
	static const struct file slow[] = {{"/rps_max_freq_mhz", "max_mhz"},
		{"/rps_RP1_freq_mhz", "base_mhz"}, {"/rps_RP0_freq_mhz", "top_mhz"}};
	static const struct file idle[] = {{"/rc6_residency_ms", "idle_ms"}};
	struct reading *reading = arg;
	char dir[96], gt[12];

	(void)star;
	if (!cut_gt(reading, path, strlen("/rps_act_freq_mhz"), dir, sizeof(dir), gt, sizeof(gt)))
		return 0;
	reading->found++;
	add_files(reading, dir, gt, fast, 2);
	intel_add_reasons(reading, gt, dir, "/throttle_reason_*");
	if (reading->slow)
		add_files(reading, dir, gt, slow, 3);
	if (reading->slow && reading->with_idle)
		add_files(reading, dir, gt, idle, 1);
	return 0;
}

/* Before Linux 5.18: one part, without reasons. */
static void add_old_i915(struct reading *reading)
{
	static const struct file fast[] = {
		{"gt_act_freq_mhz", "act_mhz"}, {"gt_cur_freq_mhz", "req_mhz"}};
	static const struct file slow[] = {{"gt_max_freq_mhz", "max_mhz"},
		{"gt_RP1_freq_mhz", "base_mhz"}, {"gt_RP0_freq_mhz", "top_mhz"}};
	static const struct file idle[] = {{"power/rc6_residency_ms", "idle_ms"}};
	char dir[48];

	snprintf(dir, sizeof(dir), "drm/%s/", reading->device->card);
	add_files(reading, dir, "gt0", fast, 2);
	if (reading->slow)
		add_files(reading, dir, "gt0", slow, 3);
	if (reading->slow && reading->with_idle)
		add_files(reading, dir, "gt0", idle, 1);
}

void gpu_read_intel(struct capture *fs, const struct gpu_device *device, bool slow, bool with_idle,
	struct str *lines)
{
	struct reading reading = {
		.fs = fs, .device = device, .lines = lines, .slow = slow, .with_idle = with_idle};
	char pattern[256];

	if (!strcmp(device->driver, "i915")) {
		snprintf(pattern, sizeof(pattern), "%s/drm/%s/gt/gt*/rps_act_freq_mhz", device->dir,
			device->card);
		capture_glob(fs, pattern, add_i915, &reading);
		if (!reading.found && *device->card)
			add_old_i915(&reading);
		return;
	}
	snprintf(pattern, sizeof(pattern), "%s/tile*/gt*/freq0/act_freq", device->dir);
	capture_glob(fs, pattern, add_xe, &reading);
	if (reading.found)
		return;
	snprintf(pattern, sizeof(pattern), "%s/gt*/freq0/act_freq", device->dir);
	capture_glob(fs, pattern, add_xe, &reading);
}
