/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long did each engine of an Intel GPU work, whoever used it? By the perf events of the
 * drivers.
 *
 * Types, events and formats are as sysfs tells them. i915 counts an engine's ns ("rcs0-busy"); xe
 * counts its ticks, active ones and all ("engine-active-ticks"), and keeps the GPU awake meanwhile.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"
#include "sources/gpu/gpu_source.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sys/caps.h"
#include "capture/glob.h"
#include "sources/gpu/pmu.h"
#include "sources/gpu/discover.h"

#define PMUS "/sys/bus/event_source/devices/"
#define ENGINES_MAX 128 /* of all devices */
#define INSTANCES_MAX 16
#define EVENT_MAX 4 /* terms of an event */

struct counter {
	size_t device;
	char engine[16];
	int busy_fd, total_fd; /* total is -1 where busy is in ns */
};

struct gpu_pmu {
	const struct gpu_devices *devices;
	struct counter list[ENGINES_MAX];
	size_t n;
};

/* A PMU's directory, and how its devices are told. */
struct opening {
	struct capture *fs;
	struct gpu_pmu *pmu;
	struct str *lines;
	size_t device;
	char dir[128];
	uint32_t type;
	int refused; /* why the last one was not opened, -errno */
};

bool gpu_pmu_place(struct bytes format, uint64_t value, uint64_t *config)
{
	struct bytes field, low_text;
	uint64_t low, high, mask;
	const char *at;

	if (!text_until(&format, ':', &field) || !text_is(field, "config"))
		return false;
	if (!text_until(&format, '-', &low_text))
		low_text = format;
	at = low_text.data;
	if (num_next(&at, low_text.data + low_text.len, &low) || low > 63)
		return false;
	high = low;
	at = format.data;
	if (low_text.data != format.data && num_next(&at, format.data + format.len, &high))
		return false;
	if (high < low || high > 63)
		return false;
	mask = high - low == 63 ? UINT64_MAX : (1ull << (high - low + 1)) - 1;
	if (value > mask)
		return false;
	*config = (*config & ~(mask << low)) | value << low;
	return true;
}

static bool pmu_read_word(
	const struct opening *opening, const char *file, const char *name, struct bytes *out)
{
	struct bytes text;
	char path[224];

	snprintf(path, sizeof(path), "%s/%s%s", opening->dir, file, name);
	return !capture_read_once(opening->fs, path, &text) && text_any_line(&text, out);
}

static bool pmu_place(
	const struct opening *opening, const char *field, uint64_t value, uint64_t *config)
{
	struct bytes format;

	return pmu_read_word(opening, "format/", field, &format) &&
		gpu_pmu_place(format, value, config);
}

/* "event=0x02" or "config=0x100000", several joined by commas. */
static bool place_event(const struct opening *opening, const char *event, uint64_t *config)
{
	struct bytes line, name;
	char terms[EVENT_MAX][96], *value;
	size_t n = 0, i;

	if (!pmu_read_word(opening, "events/", event, &line))
		return false;
	/* Copied, since the formats are read into the same place. */
	for (; n < EVENT_MAX && line.len; n++) {
		if (!text_until(&line, ',', &name)) {
			name = line;
			line.len = 0;
		}
		if (!text_copy(name, terms[n], sizeof(terms[n])))
			return false;
	}
	for (i = 0; i < n; i++) {
		const char *at;
		uint64_t number;

		value = strchr(terms[i], '=');
		if (!value || strncmp(value, "=0x", 3) != 0)
			return false;
		*value = 0;
		at = value + 3;
		if (num_next_hex(&at, at + strlen(at), &number) || *at)
			return false;
		if (!strcmp(terms[i], "config"))
			*config |= number;
		else if (!pmu_place(opening, terms[i], number, config))
			return false;
	}
	return n > 0;
}

static int open_event(struct opening *opening, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = opening->type, .size = sizeof(attr), .config = config};
	int fd, err;

	caps_raise(CAPS_BPF);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	caps_lower(CAPS_BPF);
	if (err)
		opening->refused = err;
	return fd;
}

static bool pmu_add_counter(struct opening *opening, const char *engine, int busy_fd, int total_fd)
{
	struct counter *counter = &opening->pmu->list[opening->pmu->n];

	counter->device = opening->device;
	counter->busy_fd = busy_fd;
	counter->total_fd = total_fd;
	snprintf(counter->engine, sizeof(counter->engine), "%s", engine);
	return ++opening->pmu->n < ENGINES_MAX;
}

/* events/rcs0-busy */
static int open_i915_engine(void *arg, const char *path, const char *star)
{
	struct opening *opening = arg;
	uint64_t config = 0;
	char event[32];
	int fd;

	(void)path;
	if (snprintf(event, sizeof(event), "%s-busy", star) >= (int)sizeof(event) ||
		strlen(star) >= 16 ||
		strspn(star, "abcdefghijklmnopqrstuvwxyz0123456789") != strlen(star) ||
		opening->pmu->n == ENGINES_MAX || !place_event(opening, event, &config))
		return 0;
	fd = open_event(opening, config);
	if (fd < 0)
		return opening->refused == -EACCES;
	return !pmu_add_counter(opening, star, fd, -1);
}

/* The classes of engines by drm/xe_drm.h; the driver's own names of them in sysfs. */
static int xe_class(const char *name)
{
	static const char *const classes[] = {"rcs", "bcs", "vcs", "vecs", "ccs"};
	int i;

	for (i = 0; i < 5; i++)
		if (!strcmp(name, classes[i]))
			return i;
	return -1;
}

static int open_xe_event(
	struct opening *opening, const char *event, uint64_t gt, int class, uint64_t instance)
{
	uint64_t config = 0;

	if (!place_event(opening, event, &config) || !pmu_place(opening, "gt", gt, &config) ||
		!pmu_place(opening, "engine_class", (uint64_t) class, &config) ||
		!pmu_place(opening, "engine_instance", instance, &config))
		return -1;
	return open_event(opening, config);
}

/* tile0/gt0/engines/rcs: instances are tried one after the other until there is none. */
static int open_xe_class(void *arg, const char *path, const char *star)
{
	struct opening *opening = arg;
	const char *name = strrchr(path, '/') + 1, *at = strstr(star, "/");
	uint64_t gt, instance;
	char engine[16];
	int busy_fd, total_fd;

	if (xe_class(name) < 0 || !at)
		return 0;
	at++;
	if (num_next(&at, star + strlen(star), &gt))
		return 0;
	for (instance = 0; instance < INSTANCES_MAX && opening->pmu->n < ENGINES_MAX; instance++) {
		busy_fd =
			open_xe_event(opening, "engine-active-ticks", gt, xe_class(name), instance);
		if (busy_fd < 0)
			return opening->refused == -EACCES;
		total_fd =
			open_xe_event(opening, "engine-total-ticks", gt, xe_class(name), instance);
		if (total_fd < 0) {
			close(busy_fd);
			return 0;
		}
		snprintf(engine, sizeof(engine), "%s%u.%u", name, (unsigned int)gt,
			(unsigned int)instance);
		pmu_add_counter(opening, engine, busy_fd, total_fd);
	}
	return 0;
}

/* "xe_0000_03_00.0": colons are not allowed there. i915 has that for those in slots only. */
static bool find_pmu(struct opening *opening, const struct gpu_device *device)
{
	struct bytes word;
	char name[GPU_NAME_BYTES + 8], path[160], *at;
	double type;

	snprintf(name, sizeof(name), "%s_%s", device->driver, device->name);
	for (at = name; *at; at++)
		if (*at == ':')
			*at = '_';
	snprintf(opening->dir, sizeof(opening->dir), PMUS "%s", name);
	snprintf(path, sizeof(path), "%s/type", opening->dir);
	if (!capture_exists(opening->fs, path) && !strcmp(device->driver, "i915"))
		snprintf(opening->dir, sizeof(opening->dir), PMUS "i915");
	if (!pmu_read_word(opening, "", "type", &word) || !text_number(word, &type) || type < 0 ||
		type > UINT32_MAX)
		return false;
	opening->type = (uint32_t)type;
	return true;
}

static void pmu_open_device(
	struct opening *opening, const struct gpu_device *device, bool xe_engines)
{
	bool i915 = !strcmp(device->driver, "i915");
	char pattern[224];

	if ((!i915 && strcmp(device->driver, "xe") != 0) || (!i915 && !xe_engines) ||
		!find_pmu(opening, device))
		return;
	opening->refused = 0;
	if (i915) {
		snprintf(pattern, sizeof(pattern), "%s/events/*-busy", opening->dir);
		capture_glob(opening->fs, pattern, open_i915_engine, opening);
	} else {
		snprintf(pattern, sizeof(pattern), "%s/tile*/gt*/engines/*", device->dir);
		capture_glob(opening->fs, pattern, open_xe_class, opening);
	}
	if (opening->refused == -EACCES || opening->refused == -EPERM)
		str_addf(opening->lines,
			"missing how busy %s is needs CAP_PERFMON (setcap cap_perfmon+ep), or "
			"kernel.perf_event_paranoid at 0 or below\n",
			device->name);
}

struct gpu_pmu *gpu_pmu_open(
	struct capture *fs, const struct gpu_devices *devices, bool xe_engines, struct str *lines)
{
	struct opening opening = {.fs = fs, .lines = lines};
	size_t i;

	opening.pmu = mem_zalloc(sizeof(*opening.pmu));
	opening.pmu->devices = devices;
	for (i = 0; i < devices->n; i++) {
		opening.device = i;
		if (gpu_power(fs, &devices->list[i]) == GPU_AWAKE)
			pmu_open_device(&opening, &devices->list[i], xe_engines);
	}
	if (opening.pmu->n)
		return opening.pmu;
	free(opening.pmu);
	return NULL;
}

static bool read_counter(int fd, uint64_t *value)
{
	return read(fd, value, sizeof(*value)) == sizeof(*value);
}

void gpu_pmu_read(struct gpu_pmu *pmu, struct str *lines)
{
	uint64_t busy, total;
	size_t i;

	for (i = 0; i < pmu->n; i++) {
		const struct counter *counter = &pmu->list[i];
		const char *name = pmu->devices->list[counter->device].name;

		if (!read_counter(counter->busy_fd, &busy))
			continue;
		if (counter->total_fd < 0)
			str_addf(lines, "use %s pmu 0 %s 1 %llu -\n", name, counter->engine,
				(unsigned long long)busy);
		else if (read_counter(counter->total_fd, &total))
			str_addf(lines, "use %s pmu 0 %s 1 %llu %llu\n", name, counter->engine,
				(unsigned long long)busy, (unsigned long long)total);
	}
}

bool gpu_pmu_holds(const struct gpu_pmu *pmu, size_t device)
{
	size_t i;

	for (i = 0; pmu && i < pmu->n; i++)
		if (pmu->list[i].device == device && pmu->list[i].total_fd >= 0)
			return true;
	return false;
}

void gpu_pmu_close(struct gpu_pmu *pmu)
{
	size_t i;

	if (!pmu)
		return;
	for (i = 0; i < pmu->n; i++) {
		close(pmu->list[i].busy_fd);
		if (pmu->list[i].total_fd >= 0)
			close(pmu->list[i].total_fd);
	}
	free(pmu);
}
