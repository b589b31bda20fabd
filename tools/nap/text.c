/* SPDX-License-Identifier: GPL-2.0-only */
/* How are naps told to a tired person? */
#include "base/banned.h"

#include <inttypes.h>

#include "base/escape.h"
#include "base/str.h"
#include "base/terminal.h"
#include "base/unit.h"
#include "base/wrap.h"
#include "tools/nap/options.h"
#include "tools/nap/report.h"
#include "tools/nap/text.h"

#define NAME_COLUMNS 40
#define COLUMNS 100
#define CLEARED_MAX 3

static void nap_text_time(struct str *out, uint64_t ns)
{
	value_for_people(out, (double)ns / 1e9, UNIT_SECONDS);
}

static void nap_text_name(struct str *out, const char *comm, pid_t pid)
{
	escape_terminal_cut(out, *comm ? comm : "?", NAME_COLUMNS);
	str_addf(out, " (pid %d)", (int)pid);
}

static void nap_text_line(struct str *out, size_t indent, const struct str *line)
{
	const unsigned int columns = terminal_columns();

	wrap_blanks(out, indent);
	wrap_text(out, columns ? columns : COLUMNS, indent, indent, str_text(line));
}

/* "reader (pid 7) had its smaps open in 20 of 20 naps" */
static void nap_text_culprit(struct str *line, const struct nap_sleeper *sleeper)
{
	const struct nap_blame *blame = &sleeper->blame;
	const struct nap_blamed *first = &blame->suspects[0];

	switch (blame->by) {
	case NAP_BY_FILE:
		nap_text_name(line, first->comm, first->pid);
		str_addf(line,
			" had its %s open in %zu of %zu naps, and whoever reads or writes "
			"that holds the lock.",
			first->holds, first->held, blame->naps);
		break;
	case NAP_BY_FORK:
		str_addf(line,
			"It forked in %zu of %zu naps: fork copies the memory map, and "
			"holds its lock for as long.",
			blame->forks, blame->naps);
		break;
	case NAP_BY_OVERLAP:
		nap_text_name(line, first->comm, first->pid);
		str_addf(line, " ran through %zu of %zu naps, and %.1f times as long without one.",
			first->fits, blame->naps, first->without);
		break;
	case NAP_BY_CGROUP:
		str_add(line, "Its cgroup did that: see the limits of that below.");
		break;
	case NAP_BY_SIGNAL:
		str_add(line,
			"Who stopped it is not known: a process that sends a signal leaves "
			"no trace.");
		break;
	case NAP_BY_ITSELF:
		str_add(line, "Nobody else is to blame: a thread of it holds the lock and sleeps.");
		break;
	case NAP_BY_NOBODY:
		str_add(line, "Nobody was found who ran during these naps and not otherwise.");
	}
}

/* The same where its cgroup held it back. */
static const char *nap_text_limits(enum nap_cause cause)
{
	switch (cause) {
	case NAP_FROZEN:
		return "see who freezes that cgroup, or one above it, by cgroup.freeze or "
		       "freezer.state: docker pause, a snapshot";
	case NAP_OOM:
		return "a larger memory.limit_in_bytes of it or of one above it, or the OOM killer "
		       "again: memory.oom_control";
	case NAP_MEMORY_LIMIT:
		return "a larger memory.high of it or of one above it";
	default:
		return "a larger quota, or a burst: cpu.max and cpu.max.burst, or "
		       "cpu.cfs_quota_us and cpu.cfs_burst_us";
	}
}

/* What a person can do, one line. */
static const char *nap_text_remedy(const struct nap_blame *blame)
{
	switch (blame->by) {
	case NAP_BY_FILE:
		return "let it look less often, or at /proc/PID/statm or status, which take no "
		       "lock";
	case NAP_BY_FORK:
		return "huge pages make its page tables, and the copy, smaller; or fork from a "
		       "small "
		       "helper process";
	case NAP_BY_CGROUP:
		return nap_text_limits(blame->cause);
	case NAP_BY_SIGNAL:
		return blame->cause == NAP_TRACED ? "see TracerPid in /proc/PID/status"
						  : "see whoever sends SIGSTOP: a job of cron, "
						    "cpulimit, a debugger, a shell";
	case NAP_BY_ITSELF:
		return "see who holds its lock: stacks of all of its threads, while it naps";
	case NAP_BY_OVERLAP:
	case NAP_BY_NOBODY:
		break;
	}
	return NULL;
}

static void nap_text_group(struct str *out, const struct nap_report *report, pid_t pid)
{
	const struct nap_watch *watch = report->watch;
	struct str line = STR_INIT;
	size_t i;

	for (i = watch->n_events; i-- > 0;)
		if (watch->events[i].pid == pid)
			break;
	if (i < watch->n_events) {
		str_add(&line, "cgroup: ");
		escape_terminal(&line, *watch->events[i].group ? watch->events[i].group : "/");
		nap_text_line(out, 2, &line);
	}
	str_free(&line);
}

/* Who else ran, and why he is not it. */
static void nap_text_cleared(struct str *out, const struct nap_blame *blame)
{
	struct str line = STR_INIT;
	size_t i, told = 0;

	for (i = blame->named ? 1 : 0; i < blame->n && told < CLEARED_MAX; i++) {
		const struct nap_blamed *other = &blame->suspects[i];

		if (!nap_blamed_is_cleared(other) || !other->fits)
			continue;
		str_clear(&line);
		str_add(&line, "cleared: ");
		nap_text_name(&line, other->comm, other->pid);
		str_addf(&line, " ran through %zu of them, and %.0f times as long without a nap",
			other->fits, other->without);
		nap_text_line(out, 2, &line);
		told++;
	}
	str_free(&line);
}

static void nap_text_sleeper(
	struct str *out, const struct nap_report *report, const struct nap_sleeper *sleeper)
{
	const char *remedy = nap_text_remedy(&sleeper->blame);
	struct str line = STR_INIT;

	nap_text_name(&line, sleeper->comm, sleeper->pid);
	str_addf(&line, " napped %zu %s in ", sleeper->naps, sleeper->naps == 1 ? "time" : "times");
	value_for_people(&line, report->seconds, UNIT_SECONDS);
	str_add(&line, ", together ");
	nap_text_time(&line, sleeper->napped_ns);
	str_add(&line, ", the longest ");
	nap_text_time(&line, sleeper->longest_ns);
	str_addf(&line, ": it %s", nap_cause_phrase(sleeper->blame.cause));
	if (sleeper->blame.naps < sleeper->naps)
		str_addf(&line, " (%zu of them)", sleeper->blame.naps);
	str_add(&line, ". ");
	nap_text_culprit(&line, sleeper);
	nap_text_line(out, 0, &line);
	str_clear(&line);
	if (sleeper->drops) {
		str_addf(&line,
			"%" PRIu64 " connection(s) were dropped meanwhile, in its network "
			"namespace",
			sleeper->drops);
		nap_text_line(out, 2, &line);
		str_clear(&line);
	}
	nap_text_cleared(out, &sleeper->blame);
	if (sleeper->blame.by == NAP_BY_CGROUP)
		nap_text_group(out, report, sleeper->pid);
	if (sleeper->late_ns) {
		str_add(&line, "however: we got no CPU ourselves for ");
		nap_text_time(&line, sleeper->late_ns);
		str_add(&line, " of these naps, and saw less of them");
		nap_text_line(out, 2, &line);
		str_clear(&line);
	}
	if (remedy) {
		str_addf(&line, "what to do: %s", remedy);
		nap_text_line(out, 2, &line);
	}
	str_free(&line);
}

static void nap_text_event(
	struct str *out, const struct nap_watch *watch, const struct nap_event *event)
{
	struct str length = STR_INIT;
	size_t i;

	nap_text_time(&length, event->end_ns - event->begin_ns);
	str_addf(out, "  %8.3f  %9s  %7d  %s%s",
		event->begin_ns > watch->began_ns
			? (double)(event->begin_ns - watch->began_ns) / 1e9
			: 0.0,
		str_text(&length), (int)event->pid, nap_cause_name(event->cause),
		event->partial ? ", some threads" : "");
	if (event->goes_on)
		str_add(out, ", goes on");
	if (*event->function) {
		str_add(out, " in ");
		escape_name_cut(out, event->function, NAME_COLUMNS);
	}
	if (event->waiting)
		str_addf(out, "; %" PRIu64 " connection(s) waited", event->waiting);
	for (i = 0; i < event->n_suspects; i++) {
		str_add(out, i ? ", " : "; ran: ");
		nap_text_name(out, event->suspects[i].comm, event->suspects[i].pid);
		str_addf(out, " %.0f %%", 100 * event->suspects[i].overlap);
		if (*event->suspects[i].holds)
			str_addf(out, " with %s", event->suspects[i].holds);
	}
	str_addc(out, '\n');
	str_free(&length);
}

static void nap_text_events(struct str *out, const struct nap_report *report)
{
	const struct nap_watch *watch = report->watch;
	const size_t top = report->asked->top;
	size_t i;

	str_add(out, "\n  second     length      pid  why\n");
	for (i = 0; i < watch->n_events && i < top; i++)
		nap_text_event(out, watch, &watch->events[i]);
	if (watch->n_events > top)
		str_addf(out, "  and %zu more: -n shows them\n", watch->n_events - top);
}

/* What was looked at, and what of it was not seen. */
static void nap_text_watch(struct str *out, const struct nap_report *report)
{
	const struct nap_watch *watch = report->watch;
	struct str line = STR_INIT;

	str_addf(&line,
		"%zu process(es) were busy (%.0f %% of a CPU or more), and looked at %" PRIu64
		" times in ",
		report->busy, 100 * watch->least_busy, watch->looks);
	value_for_people(&line, report->seconds, UNIT_SECONDS);
	str_addf(&line, "; %" PRIu64 " of their %" PRIu64 " pauses as long had nothing to do.",
		report->idles, report->pauses);
	nap_text_line(out, 0, &line);
	if (watch->late_count) {
		str_clear(&line);
		str_addf(&line, "We got no CPU ourselves %" PRIu64 " time(s), ", watch->late_count);
		nap_text_time(&line, watch->late_ns);
		str_add(&line, " together, at worst ");
		nap_text_time(&line, watch->late_worst_ns);
		str_add(&line, ": of naps in that time only the length is known.");
		nap_text_line(out, 0, &line);
	}
	str_free(&line);
}

void nap_write_text(struct str *out, const struct nap_report *report)
{
	size_t i;

	if (!report->busy && !report->n)
		str_add(out,
			report->asked->common.n_names
				? "Of what was asked for nothing was busy: a nap is only told of a "
				  "process that computes.\n"
				: "No process was busy: a nap is only told of one that "
				  "computes.\n");
	else if (!report->n)
		str_add(out, "No nap: whoever was busy ran whenever there was work.\n");
	for (i = 0; i < report->n; i++)
		nap_text_sleeper(out, report, &report->sleepers[i]);
	if (report->n)
		nap_text_events(out, report);
	if (report->busy || report->n) {
		str_addc(out, '\n');
		nap_text_watch(out, report);
	}
}
