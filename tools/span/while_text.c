/* SPDX-License-Identifier: GPL-2.0-only */
/* What do the processes of a command say that spans of others do not? */
#include "base/banned.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json_write.h"
#include "base/str.h"
#include "tools/span/meanwhile.h"
#include "tools/span/text.h"
#include "tools/span/while.h"
#include "tools/span/while_text.h"

#define OVERLAP_NS 1000000 /* a shell may start the next one just before the last is gone */
#define POLLED_NS 50000000 /* where ends are seen by looks */
#define SHOWN_COLUMNS 60   /* of a command line in a sentence */

/* The processes that one process has started. */
struct while_jobs {
	size_t parent, n;
	size_t peak;	   /* at a time */
	uint64_t ran_ns;   /* while any ran */
	uint64_t slack_ns; /* overlaps up to this are none */
	uint64_t alone_ns; /* of it, while one ran, behind the end of all others */
	size_t longest;	   /* ended last */
};

static void while_add_time(struct str *out, double s)
{
	span_write_time(out, s * 1e9);
}

static void while_add_command(struct str *out, const struct span_while *run, size_t place)
{
	const struct process *process = &run->processes.list[place];
	const char *shown =
		process->command && !run->processes.redact ? process->command : process->name;

	str_addc(out, '\'');
	if (escape_columns(shown) <= SHOWN_COLUMNS)
		str_add(out, shown);
	else
		str_addf(out, "%.*s...", SHOWN_COLUMNS - 3, shown);
	str_addc(out, '\'');
}

static int while_later_start(const void *a, const void *b, void *arg)
{
	const struct process *list = arg;
	const uint64_t one = list[*(const size_t *)a].start_ns;
	const uint64_t other = list[*(const size_t *)b].start_ns;

	return one < other ? -1 : one > other;
}

/* How many run when one begins: those before it that have not ended. */
static void while_jobs_count(
	struct while_jobs *jobs, const struct process *list, const size_t *places)
{
	uint64_t last_ns = 0, before_ns = 0;
	size_t i, k;

	for (i = 0; i < jobs->n; i++) {
		const struct process *one = &list[places[i]];
		size_t running = 1;

		/* A look at the last thousand is enough for any machine's -j. */
		for (k = i; k-- > 0 && i - k < 1000;)
			running += list[places[k]].end_ns > one->start_ns + jobs->slack_ns;
		jobs->peak = running > jobs->peak ? running : jobs->peak;
		if (one->end_ns > last_ns) {
			jobs->ran_ns +=
				one->end_ns - (one->start_ns > last_ns ? one->start_ns : last_ns);
			before_ns = last_ns;
			last_ns = one->end_ns;
			jobs->longest = places[i];
		} else if (one->end_ns > before_ns) {
			before_ns = one->end_ns;
		}
	}
	if (jobs->n) {
		const uint64_t start_ns = list[jobs->longest].start_ns;

		jobs->alone_ns = last_ns - (before_ns > start_ns ? before_ns : start_ns);
	}
}

static struct while_jobs while_jobs_of(const struct span_while *run, size_t parent)
{
	const struct processes *all = &run->processes;
	struct while_jobs jobs = {
		.parent = parent, .slack_ns = run->polled ? POLLED_NS : OVERLAP_NS};
	size_t *places = mem_realloc_array(NULL, all->n + 1, sizeof(*places)), i;

	for (i = 0; i < all->n; i++)
		if (all->list[i].parent == parent)
			places[jobs.n++] = i;
	qsort_r(places, jobs.n, sizeof(*places), while_later_start, all->list);
	while_jobs_count(&jobs, all->list, places);
	free(places);
	return jobs;
}

/* The first one that has started more than one: a shell that only starts make is not the build. */
static size_t while_builder(const struct span_while *run)
{
	const struct processes *all = &run->processes;
	size_t at = 0, i, n = 1, child = 0;

	while (n == 1) {
		for (n = 0, i = at + 1; i < all->n; i++)
			if (all->list[i].parent == at) {
				child = i;
				n++;
			}
		if (n == 1)
			at = child;
	}
	return at;
}

static bool while_is_make(const struct process *process)
{
	return !strcmp(process->name, "make") || !strcmp(process->name, "gmake");
}

/* Whether one above it is a make that runs several jobs at a time. */
static bool while_in_make(const struct span_while *run, size_t place)
{
	const struct process *list = run->processes.list;
	size_t at;

	for (at = list[place].parent; at != SIZE_MAX; at = list[at].parent)
		if (while_is_make(&list[at]))
			return true;
	return false;
}

static bool while_is_told(const struct span_while *run, double share_ns)
{
	const struct process *first = run->processes.list;
	const double whole = (double)(first->end_ns - first->start_ns);

	return whole > 0 && share_ns >= run->limits.told.share * whole;
}

/* Returns whether there is one. */
static bool while_text_submakes(
	struct str *out, const struct span_while *run, const struct while_jobs *build)
{
	const struct processes *all = &run->processes;
	size_t i, told = 0;

	for (i = 1; i < all->n && told < 3; i++) {
		const struct process *process = &all->list[i];
		struct while_jobs jobs;

		if (i == build->parent || !while_is_make(process) || !while_in_make(run, i) ||
			!while_is_told(run, (double)(process->end_ns - process->start_ns)))
			continue;
		jobs = while_jobs_of(run, i);
		if (jobs.peak != 1 || (double)jobs.n < run->limits.told.jobs)
			continue;
		while_add_command(out, run, i);
		str_addf(out, " is a make within a make, and ran its %zu jobs one at a time for ",
			jobs.n);
		span_write_time(out, (double)(process->end_ns - process->start_ns));
		str_add(out,
			": a rule that says make instead of $(MAKE) does not pass the jobserver "
			"on.\n");
		told++;
	}
	return told;
}

static void while_text_jobs(
	struct str *out, const struct span_while *run, const struct while_jobs *jobs)
{
	if (jobs->peak == 1 && (double)jobs->n >= run->limits.told.jobs &&
		while_is_told(run, (double)jobs->ran_ns)) {
		str_addf(out, "Its %zu jobs ran one at a time, for ", jobs->n);
		span_write_time(out, (double)jobs->ran_ns);
		str_addf(out, ": this machine has %ld CPUs%s.\n", sysconf(_SC_NPROCESSORS_ONLN),
			while_is_make(&run->processes.list[jobs->parent]) ? ", and make takes -j"
									  : "");
	} else if (jobs->peak > 1 && while_is_told(run, (double)jobs->alone_ns)) {
		str_add(out, "One long job holds it: ");
		while_add_command(out, run, jobs->longest);
		str_add(out, " ran alone for ");
		span_write_time(out, (double)jobs->alone_ns);
		str_add(out, " after all others had ended.\n");
	}
}

/* Returns whether that was much. */
static bool while_text_locks(struct str *out, const struct span_while *run)
{
	const struct processes *all = &run->processes;
	size_t i, waited = 0;

	if (!while_is_told(run, run->lock_s * 1e9))
		return false;
	for (i = 0; i < all->n; i++)
		waited += all->list[i].lock_s > 0;
	str_addf(out, "%zu of its processes waited for a lock on a file, together for ", waited);
	while_add_time(out, run->lock_s);
	str_addf(out, "; '%s' had it last.\n", run->lock_holder);
	return true;
}

/* Seconds of all that ended. */
struct while_sums {
	double cpu_s;
	double part_s[WAITS_PARTS];
};

/* What else processes wait for, as it is told and as JSON has it. */
static const struct {
	enum waits_part part;
	const char *text, *key;
} while_parts[] = {
	{WAITS_MEMORY, "for memory", "memory_s"},
	{WAITS_LOCK, "for locks of the kernel", "kernel_lock_s"},
	{WAITS_FUTEX, "for other threads", "futex_s"},
	{WAITS_SLEEP, "asleep by their own wish", "sleep_s"},
	{WAITS_DATA, "for data of others", "data_s"},
	{WAITS_EVENTS, "for events", "events_s"},
	{WAITS_FAMILY, "for their children", "children_s"},
	{WAITS_QUOTA, "out of their CPU quota", "quota_s"},
	{WAITS_OTHER, "uninterruptible", "uninterruptible_s"},
	{WAITS_SHARED, "for locks that processes share", "shared_lock_s"},
	{WAITS_MESSAGE, "for messages", "message_s"},
	{WAITS_STOPPED, "stopped", "stopped_s"},
	{WAITS_ELSE, "in other calls", "other_s"},
};

static struct while_sums while_sum(const struct processes *all)
{
	struct while_sums sums = {0};
	size_t i, part;

	for (i = 0; i < all->n; i++) {
		sums.cpu_s += all->list[i].cpu_s;
		for (part = 0; part < WAITS_PARTS; part++)
			sums.part_s[part] += all->list[i].part_s[part];
	}
	return sums;
}

static void while_text_cpu(struct str *out, const struct span_while *run)
{
	const struct while_sums sums = while_sum(&run->processes);
	size_t i;

	str_addf(out, "Processes: %zu, with ", run->processes.n);
	while_add_time(out, sums.cpu_s);
	str_add(out, " on CPUs");
	if (!run->polled) {
		str_add(out, ", ");
		while_add_time(out, sums.part_s[WAITS_QUEUE]);
		str_add(out, " waiting for one");
	}
	if (sums.part_s[WAITS_DISK] > 0) {
		str_add(out, ", ");
		while_add_time(out, sums.part_s[WAITS_DISK]);
		str_add(out, " waiting for disks");
	}
	for (i = 0; i < ARRAY_SIZE(while_parts); i++)
		if (while_is_told(run, sums.part_s[while_parts[i].part] * 1e9)) {
			str_add(out, ", ");
			while_add_time(out, sums.part_s[while_parts[i].part]);
			str_addf(out, " %s", while_parts[i].text);
		}
	str_add(out, ".\n");
	if (run->lost)
		str_addf(out,
			"However: %" PRIu64
			" events had no room, and their processes may be missing.\n",
			run->lost);
}

/* Jobs that waited run one after the other too, and a make within is a long job: the reason is
 * said, not what comes of it. */
void span_while_reason(struct str *out, const struct span_while *run)
{
	const struct while_jobs jobs = while_jobs_of(run, while_builder(run));

	if (!while_text_locks(out, run) && !while_text_submakes(out, run, &jobs))
		while_text_jobs(out, run, &jobs);
}

/* Of less time the counters say nothing. */
static bool while_is_long(const struct span_while *run)
{
	const struct process *first = run->processes.list;

	return (double)(first->end_ns - first->start_ns) >= run->limits.told.checks * 1e9;
}

/* What the checks said, who have read what others wrote. */
static void while_text_meanwhile(
	struct str *out, const struct meanwhile *said, const struct span_holder *holder)
{
	struct meanwhile_findings findings;
	size_t i;

	meanwhile_find(&findings, said, holder);
	for (i = 0; i < findings.n; i++) {
		const struct meanwhile_finding *one = &findings.list[i];

		str_add(out, "Meanwhile: ");
		escape_terminal(out, one->worst->check);
		str_addc(out, ' ');
		escape_terminal(out, one->worst->verdict);
		str_add(out, ", for ");
		span_write_time(out, (double)one->ns);
		str_add(out, " of that: ");
		escape_terminal(out, one->worst->summary);
		str_addc(out, '\n');
	}
	if (said->asked && !findings.n)
		str_addf(out, "Meanwhile: none of %zu checks of this machine was maybe or bad.\n",
			said->asked);
	free(findings.list);
}

void span_while_text(
	struct str *out, const struct span_while *run, const struct span_holder *holder)
{
	if (while_is_long(run))
		while_text_meanwhile(out, &run->meanwhile, holder);
	span_while_reason(out, run);
	while_text_cpu(out, run);
}

void span_while_json_meanwhile(
	struct json_writer *json, const struct span_while *run, const struct span_holder *holder)
{
	struct meanwhile_findings findings = {0};
	size_t i;

	if (while_is_long(run))
		meanwhile_find(&findings, &run->meanwhile, holder);
	json_open(json, "meanwhile", '[');
	for (i = 0; i < findings.n; i++) {
		json_open(json, NULL, '{');
		json_write_string(json, "check", findings.list[i].worst->check);
		json_write_string(json, "verdict", findings.list[i].worst->verdict);
		json_write_count(json, "ns", findings.list[i].ns);
		json_write_string(json, "summary", findings.list[i].worst->summary);
		json_close(json);
	}
	json_close(json);
	free(findings.list);
}

static void while_json_processes(struct json_writer *json, const struct span_while *run)
{
	const struct while_sums sums = while_sum(&run->processes);
	size_t i;

	json_write_count(json, "processes", run->processes.n);
	json_write_number(json, "cpu_s", sums.cpu_s);
	if (!run->polled)
		json_write_number(json, "run_queue_s", sums.part_s[WAITS_QUEUE]);
	if (sums.part_s[WAITS_DISK] > 0)
		json_write_number(json, "disk_s", sums.part_s[WAITS_DISK]);
	for (i = 0; i < ARRAY_SIZE(while_parts); i++)
		if (sums.part_s[while_parts[i].part] > 0)
			json_write_number(
				json, while_parts[i].key, sums.part_s[while_parts[i].part]);
	if (run->lock_s > 0)
		json_write_number(json, "file_lock_s", run->lock_s);
	json_write_count(json, "lost_events", run->lost);
	json_write_bool(json, "polled", run->polled);
}

void span_while_json(struct json_writer *json, const struct span_while *run)
{
	struct str reason = STR_INIT;

	json_open(json, "while", '{');
	json_write_count(json, "exit_status", (uint64_t)span_while_status(run));
	span_while_reason(&reason, run);
	if (reason.len)
		reason.text[reason.len - 1] = 0;
	json_write_text(json, "reason", reason.len ? reason.text : NULL);
	str_free(&reason);
	while_json_processes(json, run);
	span_while_json_meanwhile(json, run, NULL);
	json_close(json);
}
