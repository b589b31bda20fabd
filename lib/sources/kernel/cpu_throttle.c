/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the hardware slow CPUs down? Instances are CPUs ("cpu0"). Fields: core_count and core_ms,
 * how often and for how long its core was too hot, and core_limits, how often the core ran into a
 * limit of power; package_count, package_ms and package_limits are the same of the whole package,
 * for the first CPU of each NUMA node, since all CPUs of a package count the same. What goes on is
 * counted when it ends.
 *
 * Each CPU has files of its own: all are read in the first sample, and after that those of CPUs
 * that were busy for more than a tenth of the time since. What another one was, it still is then.
 */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "capture/capture.h"
#include "capture/glob.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/kernel/busy_cpus.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

static const struct {
	const char *file, *field;
} of_core[] =
	{
		{"core_throttle_count", "core_count"},
		{"core_throttle_total_time_ms", "core_ms"},
		{"core_power_limit_count", "core_limits"},
},
  of_package[] = {
	  {"package_throttle_count", "package_count"},
	  {"package_throttle_total_time_ms", "package_ms"},
	  {"package_power_limit_count", "package_limits"},
};

struct throttled_core {
	bool is_read;
	double numbers[ARRAY_SIZE(of_core)]; /* NAN: it has none */
};

/* cores[i] is of cpus.list[i]. */
struct throttle {
	struct busy_cpus cpus;
	struct throttled_core *cores;
	size_t n, room;
	char (*firsts)[16]; /* the first CPU of each node */
	size_t n_firsts, firsts_room;
	bool is_known, is_here;
	bool is_wanted[ARRAY_SIZE(of_core)]; /* asked once: there may be hundreds of CPUs */
};

static int open_throttle(struct capture *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct throttle));
	return 0;
}

static void throttle_add_first(struct throttle *throttle, const char *cpu)
{
	ARRAY_GROW(throttle->firsts, throttle->n_firsts, throttle->firsts_room);
	snprintf(throttle->firsts[throttle->n_firsts++], sizeof(*throttle->firsts), "%s", cpu);
}

struct throttle_nodes {
	struct capture *fs;
	struct throttle *throttle;
};

/* "64-127": a node without CPUs has an empty list. */
static int throttle_add_node(void *arg, const char *path, const char *star)
{
	struct throttle_nodes *nodes = arg;
	struct bytes text;
	char cpu[16];
	size_t n = 0;

	(void)star;
	if (capture_read(nodes->fs, path, &text))
		return 0;
	while (n < text.len && text.data[n] >= '0' && text.data[n] <= '9')
		n++;
	if (!n || n > 8)
		return 0;
	snprintf(cpu, sizeof(cpu), "cpu%.*s", (int)n, text.data);
	throttle_add_first(nodes->throttle, cpu);
	return 0;
}

static void throttle_know(struct capture *fs, struct throttle *throttle, struct sink *sink)
{
	struct throttle_nodes nodes = {fs, throttle};
	size_t i;

	throttle->is_known = true;
	for (i = 0; i < ARRAY_SIZE(of_core); i++)
		throttle->is_wanted[i] = sink_wants(sink, of_core[i].field);
	throttle->is_here = capture_exists(fs, CPU_FOLDER "/cpu0/thermal_throttle");
	if (!throttle->is_here)
		return;
	capture_glob(fs, "/sys/devices/system/node/node*/cpulist", throttle_add_node, &nodes);
	if (!throttle->n_firsts)
		throttle_add_first(throttle, "cpu0");
}

static double throttle_read_number(
	struct capture *fs, const char *cpu, const char *file, struct sink *sink)
{
	struct bytes text, line;
	char path[128];
	double value;
	int err;

	snprintf(path, sizeof(path), CPU_FOLDER "/%s/thermal_throttle/%s", cpu, file);
	err = capture_read(fs, path, &text);
	if (err && err != -ENOENT && err != -ENODEV)
		sink_missing(sink, "%s: %s", path, strerror(-err));
	return !err && text_line(&text, &line) && text_number(line, &value) ? value : NAN;
}

static void throttle_put_core(
	struct capture *fs, struct throttle *throttle, size_t number, struct sink *sink)
{
	const struct busy_cpu *cpu = &throttle->cpus.list[number];
	struct throttled_core *core = &throttle->cores[number];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of_core); i++) {
		if (!throttle->is_wanted[i])
			continue;
		if (!core->is_read || cpu->is_busy)
			core->numbers[i] =
				throttle_read_number(fs, cpu->name, of_core[i].file, sink);
		sink_put(sink, cpu->name, of_core[i].field, core->numbers[i]);
	}
	core->is_read = true;
}

static void throttle_put_package(struct capture *fs, const char *cpu, struct sink *sink)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of_package); i++)
		if (sink_wants(sink, of_package[i].field))
			sink_put(sink, cpu, of_package[i].field,
				throttle_read_number(fs, cpu, of_package[i].file, sink));
}

static int read_throttle(struct capture *fs, void *state, struct sink *sink)
{
	struct throttle *throttle = state;
	size_t i;
	int err;

	if (!throttle->is_known)
		throttle_know(fs, throttle, sink);
	if (!throttle->is_here) {
		sink_absent(sink, "these CPUs do not count how often they are slowed down");
		return 0;
	}
	err = busy_cpus_look(fs, &throttle->cpus);
	if (err) {
		sink_missing(sink, "/proc/stat: %s", strerror(-err));
		return err;
	}
	while (throttle->n < throttle->cpus.n) {
		ARRAY_GROW(throttle->cores, throttle->n, throttle->room);
		throttle->cores[throttle->n++] = (struct throttled_core){.is_read = false};
	}
	for (i = 0; i < throttle->n; i++)
		throttle_put_core(fs, throttle, i, sink);
	for (i = 0; i < throttle->n_firsts; i++)
		throttle_put_package(fs, throttle->firsts[i], sink);
	return 0;
}

static void close_throttle(void *state)
{
	struct throttle *throttle = state;

	busy_cpus_free(&throttle->cpus);
	free(throttle->cores);
	free(throttle->firsts);
	free(throttle);
}

SOURCE(cputhrottle) = {
	.name = "cputhrottle",
	.what = "how often and how long the hardware slowed CPUs and packages down (Intel)",
	.open = open_throttle,
	.read = read_throttle,
	.close = close_throttle,
};
