/* SPDX-License-Identifier: GPL-2.0-only */
/* What did the counters do between the run before and this one? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "base/version.h"
#include "check/check.h"
#include "judge/metric.h"
#include "capture/capture.h"
#include "report/report.h"
#include "sys/statedir.h"
#include "sample/sweep.h"
#include "history/run_state.h"
#include "history/continue.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"
#include "sample/instances.h"
#include "expr/eval.h"
#include "expr/condition.h"

/* A clock that was moved by less was not moved, it was kept right. */
#define CLOCK_JUMP_SECONDS 60
/* Instances of one reference beyond which it is no longer a state, it is a log. */
#define INSTANCES_MAX 4096

static char *read_boot_id(struct capture *fs)
{
	struct bytes bytes;

	if (capture_read(fs, "/proc/sys/kernel/random/boot_id", &bytes))
		return NULL;
	return mem_strndup(bytes.data, strcspn(bytes.data, "\n"));
}

static size_t continue_last_sample(const struct sweep *sweep)
{
	size_t n = sweep_samples(sweep);

	return n ? n - 1 : 0;
}

/* By the clock on the wall. */
static time_t time_of_last(const struct sweep *sweep, const struct report *report)
{
	return report->time_start + (time_t)sweep_seconds(sweep, 0, continue_last_sample(sweep));
}

static const char *why_not(const struct run_state *saved, int error, const char *boot_id)
{
	switch (error) {
	case 0:
		break;
	case -ENOENT:
		return "first run";
	case -EPERM:
		return "what the last run left is not this user's own; begun anew";
	case -EINVAL:
		return "what the last run left is damaged; begun anew";
	default:
		return "what the last run left cannot be read; begun anew";
	}
	if (strcmp(saved->version, tuesday_version) != 0)
		return "another version of Tuesday since";
	if (!boot_id || !*saved->boot_id)
		return "nobody knows whether the machine was rebooted since";
	if (strcmp(saved->boot_id, boot_id) != 0)
		return "rebooted since";
	return NULL;
}

/* What the clock on the wall says of the time in between, against the one that nobody can set. */
static char *clock_jump(
	const struct run_state *saved, const struct sweep *sweep, const struct report *report)
{
	double wall = difftime(time_of_last(sweep, report), saved->time);
	double real = report->replay || !saved->boottime_ns
		? sweep_seconds(sweep, SWEEP_EARLIER, continue_last_sample(sweep))
		: ((double)boottime_ns() - (double)saved->boottime_ns) / 1e9;
	struct str text = STR_INIT;

	if (fabs(wall - real) < CLOCK_JUMP_SECONDS)
		return NULL;
	str_add(&text, "the clock was set ");
	str_add(&text, wall > real ? "forward by " : "back by ");
	value_for_people(&text, fabs(wall - real), UNIT_SECONDS);
	str_add(&text, " since");
	return str_take(&text);
}

void continue_from(const struct run_state *saved, int error, struct sweep *sweep,
	struct capture *fs, struct report *report)
{
	char *boot_id = read_boot_id(fs);
	const char *why = why_not(saved, error, boot_id);
	struct continued *continued = &report->continued;
	size_t i;

	*continued = (struct continued){.asked = true, .time = error ? 0 : saved->time};
	if (!why && saved->monotonic_ns >= sweep_time_ns(sweep, 0))
		why = "what the last run left is from a later time; begun anew";
	free(boot_id);
	if (why) {
		continued->context = mem_strdup(why);
		return;
	}
	sweep_set_earlier(sweep, saved->monotonic_ns);
	for (i = 0; i < saved->n_counters; i++)
		sweep_put_earlier(sweep, saved->counters[i].source, saved->counters[i].key,
			saved->counters[i].instance, saved->counters[i].value);
	continued->seconds = sweep_seconds(sweep, SWEEP_EARLIER, continue_last_sample(sweep));
	continued->context = clock_jump(saved, sweep, report);
}

struct retention {
	struct run_state *saved;
	const struct sweep *sweep;
	bool *kept; /* by reference */
};

static void keep_value(const struct retention *retention, int reference, const char *source,
	const char *key, size_t instance, const char *name)
{
	double value = sweep_value(
		retention->sweep, reference, continue_last_sample(retention->sweep), instance);

	if (isfinite(value))
		run_state_add_counter(retention->saved, source, key, name, value);
}

static void keep_reference(void *arg, int reference)
{
	const struct retention *retention = arg;
	const struct instances *instances = sweep_instances(retention->sweep, reference);
	const char *source, *key;
	size_t i, n = instances ? instances_count(instances) : 1;

	if (retention->kept[reference] || n > INSTANCES_MAX ||
		sweep_is_fleeting(retention->sweep, reference) ||
		!sweep_reference_name(retention->sweep, reference, &source, &key))
		return;
	retention->kept[reference] = true;
	for (i = 0; i < n; i++)
		keep_value(retention, reference, source, key, i,
			instances ? instances_name(instances, i) : "");
}

static void keep_metric(struct retention *retention, const struct metric *metric)
{
	size_t i;

	if (!metric_is_kept(metric, retention->sweep))
		return;
	expr_each_reference(metric->value, keep_reference, retention);
	condition_each_reference(metric->enough, keep_reference, retention);
	for (i = 0; i < metric->n_howevers; i++)
		condition_each_reference(metric->howevers[i].when, keep_reference, retention);
}

static size_t count_references(const struct sweep *sweep)
{
	const char *source, *key;
	int n = 0;

	while (sweep_reference_name(sweep, n, &source, &key))
		n++;
	return (size_t)n;
}

static void forget_counters(struct run_state *saved)
{
	size_t i;

	for (i = 0; i < saved->n_counters; i++) {
		free(saved->counters[i].source);
		free(saved->counters[i].key);
		free(saved->counters[i].instance);
	}
	saved->n_counters = 0;
	free(saved->version);
	free(saved->boot_id);
}

void continue_keep(struct run_state *saved, struct check *const *checks, size_t n_checks,
	const struct sweep *sweep, struct capture *fs, const struct report *report)
{
	struct retention retention = {.saved = saved, .sweep = sweep};
	char *boot_id = read_boot_id(fs);
	size_t i, k;

	forget_counters(saved);
	saved->version = mem_strdup(tuesday_version);
	saved->boot_id = boot_id ? boot_id : mem_strdup("");
	saved->time = time_of_last(sweep, report);
	saved->monotonic_ns = sweep_time_ns(sweep, continue_last_sample(sweep));
	saved->boottime_ns = report->replay ? 0 : boottime_ns();
	retention.kept = mem_zalloc(count_references(sweep) + 1);
	for (i = 0; i < n_checks; i++)
		for (k = 0; k < checks[i]->n_metrics; k++)
			keep_metric(&retention, checks[i]->metrics[k]);
	free(retention.kept);
}
