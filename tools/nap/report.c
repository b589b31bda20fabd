/* SPDX-License-Identifier: GPL-2.0-only */
/* Who napped, how often, and who is to blame? */
#include "base/banned.h"

#include "base/str.h"
#include "tools/nap/report.h"

double nap_report_ran(const void *arg, pid_t pid)
{
	const struct nap_watch *watch = arg;
	size_t i;

	for (i = watch->processes.n; i-- > 0;)
		if (watch->processes.list[i].pid == pid)
			return (double)(watch->processes.list[i].cpu_ns -
				       watch->processes.list[i].first_cpu_ns) /
				1e9;
	return -1;
}

static struct nap_sleeper *report_sleeper(struct nap_report *report, const struct nap_event *event)
{
	size_t i;

	for (i = 0; i < report->n; i++)
		if (report->sleepers[i].pid == event->pid)
			return &report->sleepers[i];
	report->sleepers =
		mem_realloc_array(report->sleepers, report->n + 1, sizeof(*report->sleepers));
	report->sleepers[report->n] = (struct nap_sleeper){.pid = event->pid, .comm = event->comm};
	return &report->sleepers[report->n++];
}

static int report_by_time(const void *a, const void *b)
{
	const struct nap_sleeper *x = a, *y = b;

	return x->napped_ns < y->napped_ns ? 1 : x->napped_ns > y->napped_ns ? -1 : 0;
}

static void report_add(struct nap_report *report, const struct nap_event *event)
{
	struct nap_sleeper *sleeper = report_sleeper(report, event);
	const uint64_t ns = event->end_ns - event->begin_ns;

	sleeper->naps++;
	sleeper->napped_ns += ns;
	sleeper->longest_ns = ns > sleeper->longest_ns ? ns : sleeper->longest_ns;
	sleeper->drops += event->drops;
	sleeper->late_ns += event->late_ns;
}

void nap_report_make(
	struct nap_report *report, const struct nap_options *asked, const struct nap_watch *watch)
{
	size_t i;

	*report = (struct nap_report){.asked = asked,
		.watch = watch,
		.seconds = (double)(watch->now_ns - watch->began_ns) / 1e9};
	for (i = 0; i < watch->n_events; i++)
		report_add(report, &watch->events[i]);
	for (i = 0; i < watch->processes.n; i++) {
		const struct nap_watched *watched = watch->processes.list[i].watched;

		if (!watched || !watched->watched_ns)
			continue;
		report->busy++;
		report->pauses += watched->pauses;
		report->idles += watched->idles;
	}
	for (i = 0; i < report->n; i++)
		nap_blame_find(&report->sleepers[i].blame, watch->events, watch->n_events,
			report->sleepers[i].pid, nap_report_ran, watch);
	if (report->n)
		qsort(report->sleepers, report->n, sizeof(*report->sleepers), report_by_time);
}

void nap_report_free(struct nap_report *report)
{
	free(report->sleepers);
	*report = (struct nap_report){0};
}

void nap_write_events(struct str *out, const struct nap_report *report)
{
	const struct nap_watch *watch = report->watch;
	size_t i;

	for (i = 0; i < watch->n_events; i++) {
		const struct nap_event *event = &watch->events[i];
		const uint64_t since_ns =
			event->begin_ns > watch->began_ns ? event->begin_ns - watch->began_ns : 0;

		str_addf(out, "%.6f %.6f\n", (double)since_ns / 1e9,
			(double)(event->end_ns - event->begin_ns) / 1e9);
	}
}
