/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what files and collectors say of GPUs taken as it is meant, and nothing else? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources/gpu/gpu_source.h"
#include "tests/unit/probe.h"
#include "tests/unit/tap.h"
#include "base/culprit.h"
#include "sources/gpu/drm_fdinfo.h"
#include "sources/gpu/amd_gpu_metrics.h"
#include "sources/gpu/pmu.h"
#include "sources/gpu/model.h"
#include "sources/gpu/lines.h"
#include "sources/gpu/emit.h"

/* A copy without anything behind it, so that reading on is seen. */
static bool fdinfo(const char *text, size_t len, struct drm_usage *out)
{
	char *copy = malloc(len ? len : 1);
	bool is;

	memcpy(copy, text, len);
	is = drm_parse_fdinfo((struct bytes){copy, len}, out);
	free(copy);
	return is;
}

static bool client(const char *text, struct drm_usage *out)
{
	return fdinfo(text, strlen(text), out);
}

static const char i915_text[] = "pos:\t0\nflags:\t02100002\n"
				"drm-driver:\ti915\n"
				"drm-client-id:\t33\n"
				"drm-pdev:\t0000:00:02.0\n"
				"drm-engine-render:\t1234567 ns\n"
				"drm-engine-capacity-video:\t2\n"
				"drm-engine-video:\t99 ns\n"
				"drm-total-system0:\t96 MiB\n"
				"drm-resident-system0:\t64 MiB\n";

static const char xe_text[] = "drm-driver:\txe\n"
			      "drm-client-id:\t7\n"
			      "drm-pdev:\t0000:03:00.0\n"
			      "drm-total-vram0:\t2048 KiB\n"
			      "drm-total-gtt:\t4096\n"
			      "drm-cycles-ccs:\t500\n"
			      "drm-total-cycles-ccs:\t2000\n"
			      "drm-engine-capacity-ccs:\t4\n";

static void test_fdinfo(void)
{
	struct drm_usage usage;
	size_t i;

	ok(client(i915_text, &usage) && usage.client == 33 && usage.n_engines == 2,
		"fdinfo of i915 is that of a client");
	ok(!strcmp(usage.device, "0000:00:02.0"), "  of this device");
	ok(usage.engines[0].has_ns && usage.engines[0].busy == 1234567 &&
			usage.engines[0].capacity == 1,
		"  with ns of an engine");
	ok(usage.engines[1].busy == 99 && usage.engines[1].capacity == 2,
		"  and a class of two, told before its time");
	ok(usage.n_regions == 1 && usage.regions[0].bytes == 64u << 20,
		"  and of its memory what is resident");
	ok(client(xe_text, &usage) && usage.n_engines == 1 && usage.engines[0].has_cycles &&
			usage.engines[0].has_total && !usage.engines[0].has_ns &&
			usage.engines[0].busy == 500 && usage.engines[0].total == 2000 &&
			usage.engines[0].capacity == 4,
		"that of xe has cycles");
	ok(usage.n_regions == 2 && usage.regions[0].bytes == 2u << 20 &&
			usage.regions[1].bytes == 4096,
		"  and memory in KiB, or without a unit");
	ok(client("drm-driver: amdgpu\ndrm-client-id: 1\ndrm-memory-vram: 12 KiB\n", &usage) &&
			usage.regions[0].bytes == 12288,
		"the old name of memory is taken");
	ok(!client("pos: 0\nflags: 02\n", &usage), "that of another file is none");
	ok(!client("drm-driver: xe\n", &usage), "nor is one without a client");
	ok(client("drm-driver: xe\ndrm-client-id: 1\ndrm-engine-rcs: 5 ms\n"
		  "drm-engine-capacity-bcs: 0\ndrm-engine-vcs: -3 ns\n"
		  "drm-engine-a b: 3 ns\ndrm-total-vram0: 3 TiB\n"
		  "drm-total-gtt: 99999999999999999999 KiB\n"
		  "drm-total-x: 18446744073709551615 MiB\n",
		   &usage) &&
			!usage.engines[0].has_ns && usage.n_regions == 0,
		"what is no number, or of no known unit, is not taken");
	for (i = 0; i < sizeof(xe_text); i++)
		fdinfo(xe_text, i, &usage);
	ok(fdinfo(xe_text, sizeof(xe_text) - 4, &usage) && usage.engines[0].capacity == 1,
		"a number that was cut is none");
}

static void test_many(void)
{
	struct drm_usage usage;
	char text[8192];
	size_t n = 0, i;

	n += (size_t)snprintf(text, sizeof(text), "drm-driver: xe\ndrm-client-id: 1\n");
	for (i = 0; i < 100; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"drm-engine-e%zu: 1 ns\ndrm-total-r%zu: 1\n", i, i);
	ok(client(text, &usage) && usage.n_engines == GPU_ENGINES_MAX &&
			usage.n_regions == GPU_REGIONS_MAX,
		"more engines and regions than there can be are left out");
}

static bool metrics(const unsigned char *data, size_t len, struct gpu_metrics *out)
{
	char *copy = malloc(len ? len : 1);
	bool known;

	memcpy(copy, data, len);
	known = gpu_metrics_parse((struct bytes){copy, len}, out);
	free(copy);
	return known;
}

static void test_metrics(void)
{
	unsigned char data[400] = {120, 0, 1, 3};
	struct gpu_metrics out;
	bool any = false;
	size_t i;

	data[54] = 0x60; /* 2400 MHz */
	data[55] = 0x09;
	data[112 + 4] = 0x10; /* HOTSPOT, bit 36 */
	ok(metrics(data, 120, &out) && out.has_clock && out.clock_mhz == 2400 && out.has_throttle &&
			out.throttle == 1ull << 36,
		"gpu_metrics v1.3 is taken apart");
	ok(!gpu_metrics_is_hot(out.throttle) && !gpu_metrics_is_power(out.throttle),
		"HOTSPOT alone is neither heat nor power");
	ok(gpu_metrics_is_hot(out.throttle | 1ull << 32) && gpu_metrics_is_hot(1ull << 47),
		"the GPU's own temperature is, and PROCHOT");
	ok(gpu_metrics_is_power(1) && gpu_metrics_is_power(1ull << 17) &&
			!gpu_metrics_is_hot(1 | 1ull << 17 | 1ull << 56),
		"PPT and TDC are limits of power");
	for (i = 0; i < 120; i++)
		any |= metrics(data, i, &out);
	ok(!any, "one that is cut anywhere is not taken");
	data[0] = 119;
	ok(!metrics(data, 120, &out), "nor one that says itself that it is shorter");
	data[0] = 120;
	data[54] = data[55] = 0xff;
	memset(data + 112, 0xff, 8);
	ok(metrics(data, 120, &out) && !out.has_clock && !out.has_throttle,
		"what is all ones is not available");
	data[2] = 9;
	ok(!metrics(data, sizeof(data), &out), "an unknown version is not guessed at");
	data[2] = 2;
	data[3] = 2;
	data[0] = 128;
	memset(data + 120, 0, 8);
	data[120] = 1;
	data[76] = 0x20;
	data[77] = 0x03;
	ok(metrics(data, 128, &out) && out.clock_mhz == 800 && out.throttle == 1,
		"that of an APU has them elsewhere");
}

static void test_levels(void)
{
	double highest, now;
	const char *text = "0: 500Mhz \n1: 1200Mhz *\n2: 2400Mhz \n";

	gpu_parse_levels((struct bytes){text, strlen(text)}, &highest, &now);
	ok(highest == 2400 && now == 1200, "pp_dpm_sclk has levels, and a star at the present one");
	text = "S: 19Mhz *\n0: -5Mhz\n1: xMhz\n2\n: \n";
	gpu_parse_levels((struct bytes){text, strlen(text)}, &highest, &now);
	ok(highest == 19 && now == 19, "what is no clock is left out");
}

static bool place(const char *format, uint64_t value, uint64_t *config)
{
	return gpu_pmu_place((struct bytes){format, strlen(format)}, value, config);
}

static void test_places(void)
{
	uint64_t config = 0;

	ok(place("config:0-11", 2, &config) && place("config:12-19", 3, &config) &&
			place("config:60-63", 1, &config) && config == (2 | 3 << 12 | 1ull << 60),
		"values go to the bits that the format names");
	ok(place("config:5", 1, &config) && (config & 32), "  a single one too");
	ok(place("config:0-63", UINT64_MAX, &config) && config == UINT64_MAX, "  or all");
	ok(!place("config:0-3", 16, &config) && !place("config:60-70", 1, &config) &&
			!place("config:9-2", 1, &config) && !place("config1:0-3", 1, &config) &&
			!place("config:", 1, &config) && !place("", 1, &config),
		"what does not fit, or is elsewhere, is refused");
}

/* The model, by what it hands out. */

static enum gpu_view view;

/* Samples are divided by lines of "--". */
static void put_model(struct bytes text, struct sink *sink)
{
	struct gpu_model *model = gpu_model_new();
	char *copy = strndup(text.data, text.len), *at = copy, *next;

	for (; at; at = next) {
		next = strstr(at, "--\n");
		if (next) {
			*next = 0;
			next += 3;
		}
		gpu_model_add(model, (struct bytes){at, strlen(at)}, false);
	}
	gpu_model_put(model, view, sink);
	free(copy);
	gpu_model_free(model);
}

static double value(enum gpu_view of, const char *text, const char *key)
{
	view = of;
	return probe_value(put_model, text, key);
}

#define GPU "gpu a xe card0\n"
#define SCAN(ns, who, lines) "t " #ns "\na asleep 0\nscan " #ns " " who "\n" lines "end\n"

static void test_use(void)
{
	static const char cycles[] =
		GPU SCAN(1000, "all", "use a 1 9 ccs 1 100 1000\n") "--\n" SCAN(
			2000, "all", "use a 1 9 ccs 1 600 2000\nuse a 1 10 ccs 1 600 2000\n");
	static const char back[] = GPU SCAN(1000, "all", "use a 1 9 rcs 1 500 -\n") "--\n" SCAN(
		2000, "all", "use a 1 9 rcs 1 100 -\n")
		SCAN(3000, "all", "use a 1 9 rcs 1 700 -\n");
	static const char two[] =
		GPU SCAN(1000, "all", "use a 1 9 vcs 2 0 -\nuse a 2 9 rcs 1 0 -\n") "--\n" SCAN(
			2000, "all", "use a 1 9 vcs 2 1000 -\nuse a 2 9 rcs 1 5000 -\n");
	static const char some[] = GPU SCAN(1000, "some", "use a 1 9 ccs 1 0 -\n") "--\n" SCAN(
		2000, "some", "use a 1 9 ccs 1 300 -\n");
	static const char pmu[] = GPU SCAN(1000, "some", "use a pmu 0 rcs0 1 0 -\n") "--\n" SCAN(
		2000, "some", "use a pmu 0 rcs0 1 800 -\n");
	static const char blind[] =
		GPU SCAN(1000, "all", "blind a 9\n") "--\n" SCAN(2000, "all", "blind a 9\n");

	ok(value(GPU_VIEW_DEVICE, cycles, "a.busy_least_ns") == 500 &&
			value(GPU_VIEW_DEVICE, cycles, "a.busy_most_of_ns") == 1000,
		"cycles are a part of all cycles, and a client counts once");
	ok(value(GPU_VIEW_DEVICE, back, "a.busy_most_ns") == 200,
		"a counter that steps back counts from where it was");
	ok(value(GPU_VIEW_ENGINE, two, "a/vcs.busy_ns") == 500 &&
			value(GPU_VIEW_ENGINE, two, "a/rcs.busy_ns") == 1000,
		"a class of two engines is busy by half, and none for longer than it was watched");
	ok(value(GPU_VIEW_DEVICE, some, "a.busy_least_ns") == 300 &&
			isnan(value(GPU_VIEW_DEVICE, some, "a.busy_most_ns")),
		"where not every process was seen, the clients are the least");
	ok(value(GPU_VIEW_DEVICE, pmu, "a.busy_least_ns") == 800 &&
			value(GPU_VIEW_DEVICE, pmu, "a.busy_most_ns") == 800,
		"the PMU is both");
	ok(isnan(value(GPU_VIEW_DEVICE, blind, "a.busy_most_of_ns")),
		"clients that say nothing leave it unknown");
	ok(value(GPU_VIEW_CLIENT, two, "a/9/vcs.busy_ns") == 500, "and who it was is told");
}

/* After a reset the time that cycles are a part of starts anew, and goes on from there. */
static void test_restart(void)
{
	static const char text[] = GPU SCAN(1000, "all", "use a 1 9 ccs 1 500 5000\n")
		SCAN(2000, "all", "use a 1 9 ccs 1 600 100\n") "--\n" SCAN(
			3000, "all", "use a 1 9 ccs 1 900 500\n");
	static const char stands[] = GPU SCAN(1000, "all", "use a 1 9 ccs 1 500 5000\n")
		SCAN(2000, "all", "use a 1 9 ccs 1 500 5000\n") "--\n" SCAN(3000, "all", "");
	static const char bounded[] =
		GPU SCAN(1000000, "all", "a gt0.idle_ms 5\nuse a 1 9 ccs 1 500 5000\n") "--\n" SCAN(
			4000000, "all", "a gt0.idle_ms 6\nuse a 1 9 ccs 1 600 100\n");
	static const char counted[] = GPU SCAN(1000, "all",
		"use a 1 9 ccs 1 500 5000\nuse a pmu 0 ccs0 1 0 5000\n") "--\n" SCAN(2000, "all",
		"use a 1 9 ccs 1 600 100\nuse a pmu 0 ccs0 1 200 6000\n");

	ok(value(GPU_VIEW_DEVICE, text, "a.busy_least_ns") == 750 &&
			value(GPU_VIEW_DEVICE, text, "a.busy_least_of_ns") == 1000 &&
			value(GPU_VIEW_DEVICE, text, "a.busy_most_of_ns") == 1000,
		"where the GPU's time starts anew that interval is not told, and the next one is");
	ok(value(GPU_VIEW_ENGINE, text, "a/ccs.busy_ns") == 750 &&
			value(GPU_VIEW_ENGINE, text, "a/ccs.of_ns") == 1000 &&
			value(GPU_VIEW_CLIENT, text, "a/9/ccs.busy_ns") == 750,
		"  nor of its engines and clients");
	ok(value(GPU_VIEW_DEVICE, stands, "a.busy_least_of_ns") == 1000,
		"  nor where that time stands still");
	ok(isnan(value(GPU_VIEW_DEVICE, bounded, "a.busy_least_ns")) &&
			value(GPU_VIEW_DEVICE, bounded, "a.busy_most_ns") == 2000000,
		"  but how long it was awake");
	ok(value(GPU_VIEW_DEVICE, counted, "a.busy_most_ns") == 200, "  and what the PMU counts");
}

/* Every process was seen, but what ended between two scans was not. */
static void test_short_lived(void)
{
	static const char awake[] =
		GPU SCAN(1000000, "all", "a gt0.idle_ms 5\nuse a 1 9 ccs 1 0 -\n") "--\n" SCAN(
			4000000, "all", "a gt0.idle_ms 6\nuse a 2 10 ccs 1 0 -\n");
	static const char percent[] = GPU SCAN(1000, "all", "a busy_percent 90\n") "--\n" SCAN(
		2000, "all", "a busy_percent 90\nuse a 1 9 gfx 1 0 -\n");
	static const char more[] = GPU SCAN(1000, "all", "use a 1 9 gfx 1 0 -\n") "--\n" SCAN(
		2000, "all", "a busy_percent 10\nuse a 1 9 gfx 1 700 -\n");
	static const char neither[] = GPU SCAN(1000, "all", "use a 1 9 gfx 1 0 -\n") "--\n" SCAN(
		2000, "all", "use a 1 9 gfx 1 20 -\n");

	static const char untold[] = GPU SCAN(1000, "all", "use a 1 9 gfx 1 0 -\n") "--\n" SCAN(
		2000, "all", "a busy_percent 80\nuse a 1 9 gfx 1 30 -\nblind a 10\n");

	ok(value(GPU_VIEW_DEVICE, awake, "a.busy_most_ns") == 2000000 &&
			value(GPU_VIEW_DEVICE, awake, "a.busy_least_ns") == 0,
		"clients that are seen once only may have been busy as long as it was awake");
	ok(value(GPU_VIEW_DEVICE, percent, "a.busy_most_ns") == 900 &&
			value(GPU_VIEW_DEVICE, percent, "a.busy_least_ns") == 0,
		"  or as much as the driver says");
	ok(value(GPU_VIEW_DEVICE, more, "a.busy_most_ns") == 700,
		"  but not less than the clients that were seen");
	ok(value(GPU_VIEW_DEVICE, neither, "a.busy_most_ns") == 20,
		"where neither is told, the clients of all processes are the most");
	ok(value(GPU_VIEW_DEVICE, untold, "a.busy_least_ns") == 800,
		"beside a client that does not tell its use, the driver's percentage counts");
}

#define ROUND(lines) "t 1\na asleep 0\n" lines "end\n"

static void test_clocks(void)
{
	static const char slow[] = GPU ROUND("a gt0.act_mhz 1000\na gt0.req_mhz 3000\n"
					     "a gt0.max_mhz 2000\na gt0.flag.thermal 1\n")
		ROUND("a gt0.act_mhz 1000\na gt0.req_mhz 1000\na gt0.flag.thermal 0\n"
		      "a gt0.flag.pl1 1\n")
			ROUND("a gt0.act_mhz 0\na gt0.req_mhz 1000\na gt0.flag.thermal 1\n")
				ROUND("a gt0.act_mhz 900\na gt0.req_mhz 2000\n"
				      "a gt0.flag.thermal 1\n");
	static const char video[] =
		GPU SCAN(1000, "all", "a gfx.act_mhz 5\nuse a 1 9 dec 1 0 -\nuse a 2 8 gfx 1 0 -\n")
			SCAN(2000, "all", "use a 1 9 dec 1 900 -\nuse a 2 8 gfx 1 300 -\n");
	static const char media[] = GPU SCAN(1000, "all", "a gt0.act_mhz 5\nuse a 1 9 vcs 1 0 -\n")
		SCAN(2000, "all", "use a 1 9 vcs 1 900 -\n");

	ok(value(GPU_VIEW_CLOCK, slow, "a/gt0.samples") == 3 &&
			value(GPU_VIEW_CLOCK, slow, "a/gt0.hot_samples") == 2 &&
			value(GPU_VIEW_CLOCK, slow, "a/gt0.power_samples") == 1,
		"reasons are counted while it runs, by what they are evidence of");
	ok(fabs(value(GPU_VIEW_CLOCK, slow, "a/gt0.clock_ratio") - 0.5) < 0.01,
		"the clock is the median part of what was asked for and allowed");
	ok(value(GPU_VIEW_REASON, slow, "a/gt0/pl1.set_samples") == 1, "and each reason is told");
	ok(value(GPU_VIEW_CLOCK, video, "a/gfx.busy_least_ns") == 300 &&
			value(GPU_VIEW_CLOCK, video, "a/gfx.busy_most_ns") == 300 &&
			value(GPU_VIEW_DEVICE, video, "a.busy_least_ns") == 900,
		"the clock of AMD's part gfx is not that of its engines for video");
	ok(value(GPU_VIEW_CLOCK, media, "a/gt0.busy_least_ns") == 900,
		"  but that of Intel's parts is that of all");
	ok(isnan(value(GPU_VIEW_CLOCK, GPU ROUND("a gt0.act_mhz 5\n"), "a/gt0.samples")),
		"without reasons there are no samples of them");
}

static bool blames(const char *text, const char *instance, const char *id)
{
	struct gpu_model *model = gpu_model_new();
	struct culprit culprit = {0};
	bool is;

	gpu_model_add(model, (struct bytes){text, strlen(text)}, false);
	is = gpu_model_culprit(model, instance, true, &culprit) && !strcmp(culprit.id, id);
	gpu_model_free(model);
	return is;
}

static void test_culprits(void)
{
	static const char video[] =
		GPU SCAN(1000, "all", "use a 1 9 dec 1 0 -\nuse a 2 8 gfx 1 0 -\n")
			SCAN(2000, "all", "use a 1 9 dec 1 900 -\nuse a 2 8 gfx 1 300 -\n");
	static const char untold[] =
		GPU SCAN(1000, "all", "use a 1 9 gfx 1 0 -\n") SCAN(2000, "all",
			"a busy_percent 90\nuse a 1 9 gfx 1 30 -\nmem a 1 9 vram 5\n"
			"blind a 7\nmem a 2 7 vram 6\n");

	ok(blames(video, "a", "9") && blames(video, "a/gfx", "8") &&
			blames(video, "a/gfx/hot", "8"),
		"who uses it most is blamed, and of its part gfx who uses that");
	ok(blames(untold, "a/gfx", "7"), "  or has its memory, where its use is not told");
	ok(blames(GPU, "a/gfx", "a"), "  or the device, where nobody is known");
}

static void test_sensors(void)
{
	static const char text[] =
		GPU ROUND("a sensor.2.millicelsius 50000\na sensor.2.critical_millicelsius 100000\n"
			  "a sensor.3.millicelsius 90000\na sensor.3.critical_millicelsius 95000\n"
			  "a sensor.4.millicelsius 0\na sensor.4.critical_millicelsius 0\n");

	ok(fabs(value(GPU_VIEW_DEVICE, text, "a.hottest_ratio") - 90.0 / 95) < 1e-9,
		"the sensor nearest to its limit counts");
	ok(value(GPU_VIEW_DEVICE, text, "a.hottest_celsius") == 90, "  and the hottest");
}

static void test_limits(void)
{
	static const char two[] =
		GPU "gpu b xe card1\n" ROUND("a gt0.act_mhz 1000\na gt0.flag.thermal 1\n"
					     "a gt1.act_mhz 1000\na gt1.flag.thermal 0\n"
					     "b gt0.act_mhz 1000\nb gt0.flag.thermal 0\n")
			ROUND("a gt1.act_mhz 1000\na gt1.flag.thermal 0\n"
			      "b gt0.act_mhz 0\nb gt0.flag.thermal 1\n");

	ok(value(GPU_VIEW_DEVICE, two, "a.limit_samples") == 2 &&
			value(GPU_VIEW_DEVICE, two, "a.hot_samples") == 1,
		"of a device reasons count once for all of its parts");
	ok(value(GPU_VIEW_DEVICE, two, "b.limit_samples") == 1 &&
			value(GPU_VIEW_DEVICE, two, "b.hot_samples") == 0,
		"  of no other device, and while any of them runs");
}

static void test_absurd(void)
{
	static const char *const keys[] = {"a.busy_least_ns", NULL};
	double values[1];
	const char *text =
		"gpu\ngpu a\nscan\nscan x all\nuse a 1 1 ccs 0 1 1\nuse b 1 1 ccs 1 1 1\n"
		"mem a\nmem a 1 1 vram x\nend\nend\ncomm\ncomm 0 x\ncomm 9\nsilent\n"
		"silent -1 x\nsilent 1\nmissing\nmissing \ngpu a xe -\ngpu a xe -\n"
		"a\na x\na x y\na . 5\na gt0. 5\na .act_mhz 5\na gt0.flag. 1\n"
		"a busy_percent 900\nt\nblind\nblind c 1\nuse a 1 1 ccs 1 5 5\nend\n";

	view = GPU_VIEW_DEVICE;
	probe_bytes(put_model, text, strlen(text), keys, values);
	ok(isnan(values[0]) || values[0] == 0, "nonsense is not taken for a number");
}

int main(void)
{
	test_fdinfo();
	test_many();
	test_metrics();
	test_levels();
	test_places();
	test_use();
	test_restart();
	test_short_lived();
	test_clocks();
	test_culprits();
	test_sensors();
	test_limits();
	test_absurd();
	probe_end();
	return tap_done();
}
