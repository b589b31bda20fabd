/* SPDX-License-Identifier: GPL-2.0-only */
/* How do naps stand in JSON? docs/napdiagnose.md has the keys. */
#include "base/banned.h"

#include "base/json_write.h"
#include "base/str.h"
#include "heatmap/show.h"
#include "tools/nap/json.h"
#include "tools/nap/report.h"

static const char *const nap_culprits[] = {
	[NAP_BY_NOBODY] = "unknown",
	[NAP_BY_OVERLAP] = "overlap",
	[NAP_BY_CGROUP] = "cgroup",
	[NAP_BY_SIGNAL] = "signal",
	[NAP_BY_ITSELF] = "itself",
	[NAP_BY_FORK] = "fork",
	[NAP_BY_FILE] = "file",
};

static void nap_json_blame(struct json_writer *json, const struct nap_blame *blame)
{
	size_t i;

	json_write_text(json, "cause", nap_cause_name(blame->cause));
	json_write_text(json, "by", nap_culprits[blame->by]);
	json_write_count(json, "naps_with_fork", blame->forks);
	if (blame->named) {
		json_open(json, "culprit", '{');
		json_write_count(json, "pid", (uint64_t)blame->suspects[0].pid);
		json_write_text(json, "name", blame->suspects[0].comm);
		json_write_text(json, "file", blame->suspects[0].holds);
		json_close(json);
	}
	json_open(json, "suspects", '[');
	for (i = 0; i < blame->n; i++) {
		const struct nap_blamed *other = &blame->suspects[i];

		json_open(json, NULL, '{');
		json_write_count(json, "pid", (uint64_t)other->pid);
		json_write_text(json, "name", other->comm);
		json_write_count(json, "naps", other->fits);
		json_write_count(json, "naps_with_file", other->held);
		json_write_number(json, "times_without_nap", other->without);
		json_write_if(json, "cleared", nap_blamed_is_cleared(other));
		json_close(json);
	}
	json_close(json);
}

static void nap_json_sleeper(struct json_writer *json, const struct nap_sleeper *sleeper)
{
	json_open(json, NULL, '{');
	json_write_count(json, "pid", (uint64_t)sleeper->pid);
	json_write_text(json, "name", sleeper->comm);
	json_write_count(json, "naps", sleeper->naps);
	json_write_number(json, "napped_seconds", (double)sleeper->napped_ns / 1e9);
	json_write_number(json, "longest_seconds", (double)sleeper->longest_ns / 1e9);
	json_write_count(json, "drops", sleeper->drops);
	nap_json_blame(json, &sleeper->blame);
	json_close(json);
}

static void nap_json_event(
	struct json_writer *json, const struct nap_watch *watch, const struct nap_event *event)
{
	size_t i;

	json_open(json, NULL, '{');
	json_write_number(json, "begin_seconds",
		event->begin_ns > watch->began_ns
			? (double)(event->begin_ns - watch->began_ns) / 1e9
			: 0.0);
	json_write_number(json, "seconds", (double)(event->end_ns - event->begin_ns) / 1e9);
	json_write_count(json, "pid", (uint64_t)event->pid);
	json_write_text(json, "name", event->comm);
	json_write_text(json, "cause", nap_cause_name(event->cause));
	json_write_text(json, "function", event->function);
	json_write_text(json, "cgroup", event->group);
	json_write_number(json, "busy_cpus", event->busy);
	json_write_count(json, "waiting_connections", event->waiting);
	json_write_count(json, "drops", event->drops);
	json_write_number(json, "late_seconds", (double)event->late_ns / 1e9);
	json_write_if(json, "goes_on", event->goes_on);
	json_write_if(json, "partial", event->partial);
	json_open(json, "ran", '[');
	for (i = 0; i < event->n_suspects; i++) {
		json_open(json, NULL, '{');
		json_write_count(json, "pid", (uint64_t)event->suspects[i].pid);
		json_write_text(json, "name", event->suspects[i].comm);
		json_write_number(json, "share", event->suspects[i].overlap);
		json_write_text(json, "file", event->suspects[i].holds);
		json_write_if(json, "child", event->suspects[i].child);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

void nap_write_json(
	struct str *out, const struct nap_report *report, const struct heatmap_show *show)
{
	const struct nap_watch *watch = report->watch;
	struct json_writer json;
	size_t i;

	json_start(&json, out);
	json_write_text(&json, "tool", "napdiagnose");
	json_write_number(&json, "seconds", report->seconds);
	json_write_count(&json, "looks", watch->looks);
	json_write_count(&json, "busy_processes", report->busy);
	json_write_count(&json, "pauses", report->pauses);
	json_write_count(&json, "idle_pauses", report->idles);
	json_write_number(&json, "late_seconds", (double)watch->late_ns / 1e9);
	json_write_number(&json, "late_worst_seconds", (double)watch->late_worst_ns / 1e9);
	json_write_count(&json, "lost_naps", watch->lost_events);
	json_open(&json, "processes", '[');
	for (i = 0; i < report->n; i++)
		nap_json_sleeper(&json, &report->sleepers[i]);
	json_close(&json);
	json_open(&json, "naps", '[');
	for (i = 0; i < watch->n_events; i++)
		nap_json_event(&json, watch, &watch->events[i]);
	json_close(&json);
	if (show)
		heatmap_show_json(&json, show);
	json_finish(&json);
}
