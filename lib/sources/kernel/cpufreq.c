/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How fast do the CPUs run that have work to do? Instances are those that were busy for more than a
 * tenth of the time between two samples, with what was read when they last were; of the others
 * nothing is read, since each CPU has files of its own. Fields: khz, allowed_khz
 * (scaling_max_freq), base_khz, max_khz, and of any name that is asked for governor_NAME and
 * preference_NAME (of performance and energy): 1 where that is the one in force, else 0.
 */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/common/value_files.h"
#include "sources/kernel/busy_cpus.h"

static const struct {
	const char *file, *field;
	bool is_fixed; /* read once */
} numbers[] = {
	{"scaling_cur_freq", "khz", false},
	{"scaling_max_freq", "allowed_khz", false},
	{"base_frequency", "base_khz", true},
	{"cpuinfo_max_freq", "max_khz", true},
};

static const struct {
	const char *file, *prefix;
} words[] = {
	{"scaling_governor", "governor_"},
	{"energy_performance_preference", "preference_"},
};

struct cpu_speed {
	bool is_known;
	double numbers[ARRAY_SIZE(numbers)]; /* NAN: it has none */
	char words[ARRAY_SIZE(words)][32];   /* "": it has none */
};

/* speeds[i] is of cpus.list[i]. */
struct cpufreq {
	struct busy_cpus cpus;
	struct cpu_speed *speeds;
	size_t n, room;
	bool is_known; /* what is wanted: asked once, there may be hundreds of CPUs */
	bool wants_number[ARRAY_SIZE(numbers)], wants_word[ARRAY_SIZE(words)];
};

static int open_cpufreq(struct capture *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct cpufreq));
	return 0;
}

static void cpufreq_know(struct cpufreq *cpufreq, struct sink *sink)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		cpufreq->wants_number[i] = sink_wants(sink, numbers[i].field);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		cpufreq->wants_word[i] = sink_wants_prefix(sink, words[i].prefix);
	cpufreq->is_known = true;
}

static bool cpufreq_read_line(struct capture *fs, const char *cpu, const char *file,
	struct bytes *line, struct sink *sink)
{
	char path[128];
	struct bytes text;
	int err;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s/cpufreq/%s", cpu, file);
	err = capture_read(fs, path, &text);
	if (err && err != -ENOENT && err != -ENODEV && err != -EBUSY)
		sink_missing(sink, "%s: %s", path, strerror(-err));
	return !err && text_line(&text, line);
}

static void cpufreq_read_speed(
	struct capture *fs, struct cpufreq *cpufreq, size_t number, struct sink *sink)
{
	const char *cpu = cpufreq->cpus.list[number].name;
	struct cpu_speed *speed = &cpufreq->speeds[number];
	struct bytes line;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!cpufreq->wants_number[i] || (numbers[i].is_fixed && speed->is_known))
			continue;
		if (!cpufreq_read_line(fs, cpu, numbers[i].file, &line, sink) ||
			!text_number(line, &speed->numbers[i]))
			speed->numbers[i] = NAN;
	}
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (cpufreq->wants_word[i] &&
			(!cpufreq_read_line(fs, cpu, words[i].file, &line, sink) ||
				!text_copy(line, speed->words[i], sizeof(speed->words[i]))))
			*speed->words[i] = 0;
	speed->is_known = true;
}

struct cpufreq_putting {
	struct sink *sink;
	const struct cpufreq *cpufreq;
};

/* Asked for is "governor_performance", or that of one CPU. */
static void cpufreq_put_word(void *arg, const char *field)
{
	const struct cpufreq_putting *putting = arg;
	const struct cpufreq *cpufreq = putting->cpufreq;
	const char *dot = strrchr(field, '.'), *name;
	size_t i, k;

	field = dot ? dot + 1 : field;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!str_starts(field, words[i].prefix))
			continue;
		name = field + strlen(words[i].prefix);
		for (k = 0; k < cpufreq->n; k++)
			if (*cpufreq->speeds[k].words[i])
				sink_put(putting->sink, cpufreq->cpus.list[k].name, field,
					!strcmp(name, cpufreq->speeds[k].words[i]));
	}
}

static void cpufreq_put_speed(struct sink *sink, const char *cpu, const struct cpu_speed *speed)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (speed->numbers[i] > 0)
			sink_put(sink, cpu, numbers[i].field, speed->numbers[i]);
}

static void cpufreq_make_room(struct cpufreq *cpufreq)
{
	while (cpufreq->n < cpufreq->cpus.n) {
		ARRAY_GROW(cpufreq->speeds, cpufreq->n, cpufreq->room);
		cpufreq->speeds[cpufreq->n++] = (struct cpu_speed){.is_known = false};
	}
}

static int read_cpufreq(struct capture *fs, void *state, struct sink *sink)
{
	struct cpufreq *cpufreq = state;
	struct cpufreq_putting putting = {sink, cpufreq};
	bool any = false;
	size_t i;
	int err = busy_cpus_look(fs, &cpufreq->cpus);

	if (err) {
		sink_missing(sink, "/proc/stat: %s", strerror(-err));
		return err;
	}
	if (!cpufreq->is_known)
		cpufreq_know(cpufreq, sink);
	cpufreq_make_room(cpufreq);
	for (i = 0; i < cpufreq->n; i++) {
		const struct busy_cpu *cpu = &cpufreq->cpus.list[i];

		if (cpu->is_busy)
			cpufreq_read_speed(fs, cpufreq, i, sink);
		if (!cpufreq->speeds[i].is_known)
			continue;
		cpufreq_put_speed(sink, cpu->name, &cpufreq->speeds[i]);
		any = true;
	}
	sink_each_wanted(sink, cpufreq_put_word, &putting);
	if (!any)
		sink_none(sink);
	return 0;
}

static void close_cpufreq(void *state)
{
	struct cpufreq *cpufreq = state;

	busy_cpus_free(&cpufreq->cpus);
	free(cpufreq->speeds);
	free(cpufreq);
}

SOURCE(cpufreq) = {
	.name = "cpufreq",
	.what = "the speed of the CPUs that are busy, and who sets it",
	.open = open_cpufreq,
	.read = read_cpufreq,
	.close = close_cpufreq,
};
