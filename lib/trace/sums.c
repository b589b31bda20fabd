/* SPDX-License-Identifier: GPL-2.0-only */
/* What has a tracer counted since the last look? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/caps.h"
#include "trace/attach.h"
#include "trace/histogram.h"
#include "trace/job.h"
#include "trace/load.h"
#include "trace/spec.h"
#include "trace/sums.h"

#define CPUS_MAX 8192
#define ROWS_MAX (TRACE_INSTANCES * TRACE_INSTANCE_CPUS)

struct trace_sums {
	struct trace_job job;
	uint64_t field; /* the number of the thing that is looked at */
	struct hist before, now, row;
};

static unsigned int trace_sums_cpus(void)
{
	const long n = sysconf(_SC_NPROCESSORS_CONF);

	return n > 0 && n < CPUS_MAX ? (unsigned int)n : CPUS_MAX;
}

/* Which of several things is meant. Returns 0 or -ENOTSUP with a phrase. */
static int trace_sums_choose(struct trace_sums *sums, const char *field)
{
	char names[sizeof(sums->job.loaded.info.fields)], *rest = names, *name;

	snprintf(names, sizeof(names), "%s", sums->job.loaded.info.fields);
	for (sums->field = 0; (name = strsep(&rest, " ")); sums->field++) {
		const bool is_number = *name == '#';

		if (field && strcmp(name + is_number, field) != 0)
			continue;
		/* The first one that is a time, where none is asked for. */
		if (is_number && !field)
			continue;
		if (!is_number)
			return 0;
		str_addf(&sums->job.missing, "'%s' is a number, and no time that something takes",
			field);
		return -ENOTSUP;
	}
	str_addf(&sums->job.missing, "it measures no '%s', but: %s", field ? field : "time",
		*sums->job.loaded.info.fields ? sums->job.loaded.info.fields : "one thing");
	return -ENOTSUP;
}

static int trace_sums_load(struct trace_sums *sums, const char *field)
{
	struct trace_machine machine = {.cpus = trace_sums_cpus(), .tracefs = -EAGAIN};
	int err;

	trace_job_load(&sums->job, &machine);
	if (machine.tracefs >= 0)
		close(machine.tracefs);
	if (!sums->job.is_loaded)
		return -ENOTSUP;
	err = *sums->job.loaded.info.fields || field ? trace_sums_choose(sums, field) : 0;
	if (err)
		return err;
	trace_job_attach(&sums->job);
	return sums->job.is_loaded ? 0 : -ENOTSUP;
}

int trace_sums_open(
	struct trace_sums **out, const struct trace_spec *spec, const char *field, struct str *why)
{
	struct trace_sums *sums = mem_zalloc(sizeof(*sums));
	int err;

	sums->job.spec = spec;
	sums->job.alone = true;
	/* Said first, since what is missed first else is something to read. */
	if (!caps_have(CAPS_BPF)) {
		str_add(why, "needs CAP_BPF and CAP_PERFMON: run as root");
		free(sums);
		return -EPERM;
	}
	caps_raise(CAPS_BPF | CAPS_READ | CAPS_NAMESPACE);
	err = trace_sums_load(sums, field);
	caps_lower(CAPS_BPF | CAPS_READ | CAPS_NAMESPACE);
	if (err) {
		str_add(why, str_text(&sums->job.missing));
		trace_sums_close(sums);
		return err;
	}
	*out = sums;
	return 0;
}

void trace_sums_begin(struct trace_sums *sums)
{
	trace_job_begin(&sums->job);
}

void trace_sums_end(struct trace_sums *sums)
{
	if (!sums->job.over)
		trace_job_end(&sums->job);
	trace_job_detach(&sums->job);
}

static void trace_sums_add_rows(struct trace_sums *sums)
{
	struct row key, next, *last = NULL;

	for (size_t n = 0;
		n < ROWS_MAX && !bpf_map_get_next_key(sums->job.loaded.rows, last, &next); n++) {
		uint64_t field;

		key = next;
		last = &key;
		memcpy(&field, key.id + sizeof(uint64_t), sizeof(field));
		if (*sums->job.loaded.info.fields && field != sums->field)
			continue;
		if (!bpf_map_lookup_elem(sums->job.loaded.rows, &key, &sums->row))
			hist_merge(&sums->now, &sums->row);
	}
}

static void trace_sums_read(struct trace_sums *sums)
{
	sums->now = (struct hist){0};
	/* Before Linux 5.19 even to read an open map takes the right. */
	caps_raise(CAPS_BPF);
	if (sums->job.declared.instances != INSTANCE_NONE || *sums->job.loaded.info.fields)
		trace_sums_add_rows(sums);
	for (uint32_t cpu = 0; sums->job.declared.instances == INSTANCE_NONE &&
		!*sums->job.loaded.info.fields && cpu < sums->job.loaded.row_cpus;
		cpu++)
		if (!bpf_map_lookup_elem(sums->job.loaded.hists, &cpu, &sums->row))
			hist_merge(&sums->now, &sums->row);
	caps_lower(CAPS_BPF);
}

void trace_sums_take(
	struct trace_sums *sums, void (*each)(void *arg, uint64_t ns, uint64_t times), void *arg)
{
	trace_sums_read(sums);
	for (size_t slot = 0; slot < HIST_SLOTS; slot++)
		if (sums->now.slots[slot] > sums->before.slots[slot])
			each(arg, hist_slot_low((unsigned int)slot),
				sums->now.slots[slot] - sums->before.slots[slot]);
	sums->before = sums->now;
}

uint64_t trace_sums_lost(const struct trace_sums *sums)
{
	const struct trace_lost *lost = sums->job.loaded.lost;

	return lost->starts + lost->instances + sums->job.misses;
}

void trace_sums_who(struct trace_sums *sums,
	void (*each)(void *arg, const char *name, uint32_t pid, uint64_t max_ns), void *arg)
{
	struct who key, next, *last = NULL;
	struct who_sum sum;
	char name[TRACE_NAME + 1];

	caps_raise(CAPS_BPF);
	for (size_t n = 0;
		n < TRACE_CULPRITS && !bpf_map_get_next_key(sums->job.loaded.top, last, &next);
		n++) {
		key = next;
		last = &key;
		if (key.kind != WHO_COMM && key.kind != WHO_VICTIM && key.kind != WHO_TEXT)
			continue;
		if (bpf_map_lookup_elem(sums->job.loaded.top, &key, &sum))
			continue;
		snprintf(name, sizeof(name), "%.*s", TRACE_NAME, (const char *)key.name);
		each(arg, name, sum.pid, sum.max);
	}
	caps_lower(CAPS_BPF);
}

const char *trace_sums_method(const struct trace_sums *sums)
{
	return str_text(&sums->job.method);
}

void trace_sums_close(struct trace_sums *sums)
{
	if (!sums)
		return;
	trace_job_unload(&sums->job);
	free(sums);
}
