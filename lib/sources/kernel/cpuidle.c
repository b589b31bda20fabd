/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which idle states do the CPUs sleep? Instances are states ("state3", called by its name too).
 * Fields: time_us, usage (how often), above and below (how often that was too deep, or not deep
 * enough), each the sum of all CPUs; latency_us, how long waking up from it takes.
 *
 * Each CPU has a file for each of these and each state: 2000 reads on 128 CPUs. Only a check that
 * runs where it is named may ask.
 */
#include "base/banned.h"

#include <stdio.h>

#include "base/str.h"
#include "capture/capture.h"
#include "capture/glob.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"

#define STATES_MAX 16
#define CPU_FOLDER "/sys/devices/system/cpu"

static const struct {
	const char *file, *field;
} counters[] = {{"time", "time_us"}, {"usage", "usage"}, {"above", "above"}, {"below", "below"}};

struct idle_state {
	char name[16]; /* "state3" */
	double sums[ARRAY_SIZE(counters)];
	bool is_whole[ARRAY_SIZE(counters)]; /* of every CPU so far */
};

/* States are those of the first CPU: another kind of core may have fewer. */
struct cpuidle {
	struct capture *fs;
	struct idle_state states[STATES_MAX];
	size_t n;
	bool is_known;
};

static int open_cpuidle(struct capture *fs, void **state)
{
	struct cpuidle *cpuidle = mem_zalloc(sizeof(*cpuidle));

	cpuidle->fs = fs;
	*state = cpuidle;
	return 0;
}

static bool cpuidle_read_number(
	struct capture *fs, const char *folder, const char *state, const char *file, double *value)
{
	char path[160];
	struct bytes text, line;

	snprintf(path, sizeof(path), "%s/cpuidle/%s/%s", folder, state, file);
	return !capture_read_once(fs, path, &text) && text_line(&text, &line) &&
		text_number(line, value);
}

static int cpuidle_add_state(void *arg, const char *path, const char *star)
{
	struct cpuidle *cpuidle = arg;
	struct idle_state *state = &cpuidle->states[cpuidle->n++];

	(void)path;
	snprintf(state->name, sizeof(state->name), "state%.8s", star);
	return cpuidle->n == STATES_MAX;
}

static int cpuidle_add_cpu(void *arg, const char *path, const char *star)
{
	struct cpuidle *cpuidle = arg;
	char folder[64];
	double value;
	size_t i, k;

	(void)path;
	snprintf(folder, sizeof(folder), CPU_FOLDER "/cpu%.8s", star);
	for (i = 0; i < cpuidle->n; i++) {
		struct idle_state *state = &cpuidle->states[i];

		for (k = 0; k < ARRAY_SIZE(counters); k++) {
			if (!state->is_whole[k])
				continue;
			state->is_whole[k] = cpuidle_read_number(
				cpuidle->fs, folder, state->name, counters[k].file, &value);
			if (state->is_whole[k])
				state->sums[k] += value;
		}
	}
	return 0;
}

static void cpuidle_put_state(struct capture *fs, const struct idle_state *state, struct sink *sink)
{
	struct bytes text, line;
	char path[96], name[32];
	double value;
	size_t k;

	for (k = 0; k < ARRAY_SIZE(counters); k++)
		if (state->is_whole[k])
			sink_put(sink, state->name, counters[k].field, state->sums[k]);
	if (cpuidle_read_number(fs, CPU_FOLDER "/cpu0", state->name, "latency", &value))
		sink_put(sink, state->name, "latency_us", value);
	snprintf(path, sizeof(path), CPU_FOLDER "/cpu0/cpuidle/%s/name", state->name);
	if (!capture_read_once(fs, path, &text) && text_line(&text, &line) &&
		text_copy(line, name, sizeof(name)))
		sink_label(sink, state->name, name);
}

static int read_cpuidle(struct capture *fs, void *arg, struct sink *sink)
{
	struct cpuidle *cpuidle = arg;
	size_t i, k;

	if (!cpuidle->is_known)
		capture_glob(fs, CPU_FOLDER "/cpu0/cpuidle/state*", cpuidle_add_state, cpuidle);
	cpuidle->is_known = true;
	if (!cpuidle->n) {
		sink_absent(sink, "the kernel here chooses no idle states");
		return 0;
	}
	for (i = 0; i < cpuidle->n; i++)
		for (k = 0; k < ARRAY_SIZE(counters); k++) {
			cpuidle->states[i].sums[k] = 0;
			cpuidle->states[i].is_whole[k] = sink_wants(sink, counters[k].field);
		}
	capture_glob(fs, CPU_FOLDER "/cpu*/cpuidle/state0", cpuidle_add_cpu, cpuidle);
	for (i = 0; i < cpuidle->n; i++)
		cpuidle_put_state(fs, &cpuidle->states[i], sink);
	return 0;
}

static void close_cpuidle(void *state)
{
	free(state);
}

SOURCE(cpuidle) = {
	.name = "cpuidle",
	.what = "idle states: how long and how often the CPUs sleep in each, and what waking up "
		"takes",
	.open = open_cpuidle,
	.read = read_cpuidle,
	.close = close_cpuidle,
};
