/* SPDX-License-Identifier: GPL-2.0-only */
/* What do the drivers of AMD, and those of everybody, say in sysfs of a GPU that is awake? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sources/gpu/gpu_source.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "capture/glob.h"
#include "sources/gpu/amd.h"
#include "sources/gpu/discover.h"
#include "sources/gpu/amd_gpu_metrics.h"

/* struct drm_version is 64 bytes, lengths and pointers of texts that are not asked for here. */
#define VERSION_BYTES 64
#define ASK_VERSION _IOWR('d', 0x00, char[VERSION_BYTES])
#define ASK_I915_THROTTLE _IO('d', 0x58)

struct reading {
	struct capture *fs;
	const struct gpu_device *device;
	struct str *lines;
	double uncorrectable, correctable; /* RAS */
	bool any;
};

/* "ue: 0\nce: 3\n" */
static int add_errors(void *arg, const char *path, const char *star)
{
	struct reading *reading = arg;
	struct bytes text, line, key;
	double value;

	(void)star;
	if (capture_read_once(reading->fs, path, &text))
		return 0;
	while (text_line(&text, &line)) {
		if (!text_until(&line, ':', &key) || !text_next_number(&line, &value) || value < 0)
			continue;
		if (text_is(key, "ue"))
			reading->uncorrectable += value;
		else if (text_is(key, "ce"))
			reading->correctable += value;
		else
			continue;
		reading->any = true;
	}
	return 0;
}

static void read_amd_errors(struct capture *fs, const struct gpu_device *device, struct str *lines)
{
	struct reading reading = {.fs = fs, .device = device, .lines = lines};
	char pattern[192];

	snprintf(pattern, sizeof(pattern), "%s/ras/*_err_count", device->dir);
	capture_glob(fs, pattern, add_errors, &reading);
	if (reading.any)
		str_addf(lines, "%s ras_uncorrectable %.17g\n%s ras_correctable %.17g\n",
			device->name, reading.uncorrectable, device->name, reading.correctable);
}

static void read_amd_clock(
	struct capture *fs, const struct gpu_device *device, bool slow, struct str *lines)
{
	struct gpu_metrics metrics = {0};
	double highest = 0, now = 0;
	struct bytes data;
	char path[192];

	snprintf(path, sizeof(path), "%s/pp_dpm_sclk", device->dir);
	if (!capture_read_once(fs, path, &data))
		gpu_parse_levels(data, &highest, &now);
	snprintf(path, sizeof(path), "%s/gpu_metrics", device->dir);
	if (!capture_read_once(fs, path, &data) && !gpu_metrics_parse(data, &metrics) && slow)
		str_addf(lines,
			"missing gpu_metrics of %s is of a version that is not known here: "
			"whether it is throttled cannot be told\n",
			device->name);
	if (metrics.has_clock)
		now = metrics.clock_mhz;
	if (highest > 0)
		str_addf(lines, "%s gfx.max_mhz %.17g\n", device->name, highest);
	if (now > 0)
		str_addf(lines, "%s gfx.act_mhz %.17g\n", device->name, now);
	if (metrics.has_throttle)
		str_addf(lines, "%s gfx.flag.hot %d\n%s gfx.flag.power %d\n", device->name,
			gpu_metrics_is_hot(metrics.throttle), device->name,
			gpu_metrics_is_power(metrics.throttle));
}

void gpu_read_amd(struct capture *fs, const struct gpu_device *device, bool slow, struct str *lines)
{
	read_amd_clock(fs, device, slow, lines);
	gpu_add_number(fs, device, "gpu_busy_percent", "busy_percent", lines);
	if (!slow)
		return;
	gpu_add_number(fs, device, "mem_info_vram_total", "memory_bytes", lines);
	gpu_add_number(fs, device, "mem_info_vram_used", "memory_used_bytes", lines);
	read_amd_errors(fs, device, lines);
}

/* hwmonN/temp2_input: with star "N/2" the number is read from files of the same prefix. */
static int add_sensor(void *arg, const char *path, const char *star)
{
	struct reading *reading = arg;
	const char *file = path + strlen(reading->device->dir) + 1;
	const char *number = strrchr(star, '/');
	char key[48], limit[200];

	if (!number || strlen(number) > 4 ||
		snprintf(key, sizeof(key), "sensor.%s.millicelsius", number + 1) < 0 ||
		!gpu_add_number(reading->fs, reading->device, file, key, reading->lines))
		return 0;
	snprintf(limit, sizeof(limit), "%.*scrit", (int)(strlen(file) - strlen("input")), file);
	snprintf(key, sizeof(key), "sensor.%s.critical_millicelsius", number + 1);
	gpu_add_number(reading->fs, reading->device, limit, key, reading->lines);
	return 0;
}

static int add_hwmon(void *arg, const char *path, const char *star)
{
	static const char *const files[][2] = {
		{"energy1_input", "energy_uj"},
		{"power1_average", "power_uw"},
		{"power1_input", "power_uw"},
		{"power1_cap", "power_limit_uw"},
		{"power1_max", "power_limit_uw"},
	};
	struct reading *reading = arg;
	size_t i, skipped = strlen(reading->device->dir) + 1;
	char file[96];

	(void)star;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(file, sizeof(file), "%s/%s", path + skipped, files[i][0]);
		gpu_add_number(reading->fs, reading->device, file, files[i][1], reading->lines);
	}
	return 0;
}

void gpu_read_common(struct capture *fs, const struct gpu_device *device, struct str *lines)
{
	struct reading reading = {.fs = fs, .device = device, .lines = lines};
	char pattern[192];

	snprintf(pattern, sizeof(pattern), "%s/hwmon/hwmon*", device->dir);
	capture_glob(fs, pattern, add_hwmon, &reading);
	snprintf(pattern, sizeof(pattern), "%s/hwmon/hwmon*/temp*_input", device->dir);
	capture_glob(fs, pattern, add_sensor, &reading);
	snprintf(pattern, sizeof(pattern), "%s/devcoredump", device->dir);
	str_addf(lines, "%s coredump %d\n", device->name, capture_exists(fs, pattern));
}

/*
 * xe answers every ioctl of a wedged device with ECANCELED. i915 tells it by GEM_THROTTLE alone,
 * which waits for the requests of the caller, who has none here, and fails with EIO.
 */
static void ask_wedged(const struct gpu_device *device, int fd, struct str *lines)
{
	char version[VERSION_BYTES] = {0};
	int err = 0;

	if (ioctl(fd, ASK_VERSION, version))
		err = errno;
	if (!err && !strcmp(device->driver, "i915") && ioctl(fd, ASK_I915_THROTTLE))
		err = errno;
	if (err == ECANCELED || (err == EIO && !strcmp(device->driver, "i915")))
		str_addf(lines, "%s wedged 1\n", device->name);
	else if (!err && (!strcmp(device->driver, "xe") || !strcmp(device->driver, "i915")))
		str_addf(lines, "%s wedged 0\n", device->name);
}

void gpu_read_wedged(const struct gpu_device *device, struct str *lines)
{
	struct stat st;
	char path[48];
	int fd;

	if (!*device->render || !strcmp(device->driver, "nvidia"))
		return;
	snprintf(path, sizeof(path), "/dev/dri/%s", device->render);
	if (stat(path, &st) || !S_ISCHR(st.st_mode))
		return;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		if (errno == EACCES)
			str_addf(lines,
				"missing %s: whether the driver still answers needs root, or the "
				"group render\n",
				path);
		else if (errno == ENXIO || errno == ENODEV)
			str_addf(lines, "missing %s: there is no driver behind it\n", path);
		return;
	}
	ask_wedged(device, fd, lines);
	close(fd);
}
