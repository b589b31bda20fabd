/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The collector: what is read of each GPU, and how often?
 *
 * Clocks and reasons for throttling have no counters: they are looked at twelve times a second, so
 * that the shortest window of a second has ten of them. A device that sleeps is not touched: its
 * state is asked for anew before everything that would wake it.
 */
#include "base/banned.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/caps.h"
#include "sources/gpu/gpu_source.h"
#include "base/str.h"
#include "sys/read_write.h"
#include "sources/gpu/collect.h"
#include "sources/gpu/discover.h"
#include "sources/gpu/pmu.h"
#include "sources/gpu/intel.h"
#include "sources/gpu/amd.h"
#include "sources/gpu/amd_ras.h"
#include "sources/gpu/drm_scan.h"
#include "capture/recording.h"

#define ROUND_MS 80
#define SLOW_ROUNDS 5 /* temperatures, energy, clients */
/* Who has become a client, which takes a look at every descriptor of every process. */
#define SCAN_ROUNDS 25
#define SECOND_SCAN 10 /* a run may be as short as a second */

struct round {
	const struct gpu_collector *collector;
	struct drm_scan *scan;
	struct gpu_ras ras;
	unsigned int number;
	bool asleep[GPU_DEVICES_MAX + 1];
	struct str lines;
};

static void say_where(const struct gpu_collector *collector, const char *what, const char *name)
{
	snprintf(collector->at, collector->at_size, "%s%s", what, name);
}

static void read_device(struct round *round, size_t i)
{
	const struct gpu_collector *collector = round->collector;
	const struct gpu_device *device = &collector->devices->list[i];
	bool slow = round->number % SLOW_ROUNDS == 0;
	enum gpu_power power;

	say_where(collector, "the state of ", device->name);
	power = gpu_power(collector->fs, device);
	round->asleep[i] = power != GPU_AWAKE;
	str_addf(&round->lines, "%s asleep %d\n", device->name, power == GPU_ASLEEP);
	if (power == GPU_STUCK)
		str_addf(&round->lines, "%s power_failed 1\n", device->name);
	if (round->asleep[i])
		return;
	say_where(collector, "the files of ", device->name);
	if (!strcmp(device->driver, "xe") || !strcmp(device->driver, "i915"))
		gpu_read_intel(collector->fs, device, slow, !gpu_pmu_holds(collector->pmu, i),
			&round->lines);
	else if (!strcmp(device->driver, "amdgpu"))
		gpu_read_amd(collector->fs, device, slow, &round->lines);
	if (!slow)
		return;
	gpu_read_common(collector->fs, device, &round->lines);
	say_where(collector, "/dev/dri/", device->render);
	if (capture_is_live(collector->fs))
		gpu_read_wedged(device, &round->lines);
}

static void read_shared(struct round *round)
{
	const struct gpu_collector *collector = round->collector;

	say_where(collector, "the clients of ", "all GPUs");
	drm_scan_run(round->scan, round->number % SCAN_ROUNDS == 0 || round->number == SECOND_SCAN,
		round->asleep, &round->lines);
	say_where(collector, "the errors of ", "all GPUs");
	gpu_ras_read(&round->ras, collector->devices, round->asleep, &round->lines);
	if (collector->pmu)
		gpu_pmu_read(collector->pmu, &round->lines);
}

static void do_round(struct round *round)
{
	const struct gpu_devices *devices = round->collector->devices;
	size_t i;

	str_clear(&round->lines);
	for (i = 0; i < devices->n && round->number % SLOW_ROUNDS == 0; i++)
		str_addf(&round->lines, "gpu %s %s %s\n", devices->list[i].name,
			devices->list[i].driver,
			*devices->list[i].card ? devices->list[i].card : "-");
	str_addf(&round->lines, "t %llu\n", (unsigned long long)monotonic_ns());
	for (i = 0; i < devices->n; i++)
		read_device(round, i);
	if (round->number % SLOW_ROUNDS == 0)
		read_shared(round);
	str_add(&round->lines, "end\n");
	say_where(round->collector, "", "");
	round->number++;
}

int gpu_collect(void *arg, int fd)
{
	const struct gpu_collector *collector = arg;
	struct round round = {.collector = collector};
	uint64_t next = monotonic_ns();

	caps_drop(CAPS_ALL & ~(CAPS_PTRACE | CAPS_READ | CAPS_GPU_ERRORS));
	capture_pause_recording(collector->fs, true);
	round.ras.fd = -1;
	if (capture_is_live(collector->fs))
		gpu_ras_open(&round.ras);
	round.scan = drm_scan_new(collector->fs, collector->devices);
	for (;;) {
		uint64_t now;

		do_round(&round);
		if (write_all(fd, round.lines.text, round.lines.len))
			break;
		next += ROUND_MS * 1000000ull;
		now = monotonic_ns();
		if (next > now)
			poll(NULL, 0, (int)((next - now) / 1000000) + 1);
		else
			next = now;
	}
	gpu_ras_close(&round.ras);
	drm_scan_free(round.scan);
	str_free(&round.lines);
	return 0;
}
