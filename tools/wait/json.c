/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a program read where the time went? */
#include "base/banned.h"

#include "base/json_write.h"
#include "base/str.h"
#include "tools/wait/answer.h"
#include "tools/wait/json.h"
#include "tools/wait/watch.h"

static void json_row(
	struct json_writer *json, const struct wait_row *row, const char *key, const char *name)
{
	size_t i;

	if (!row->ns)
		return;
	json_open(json, NULL, '{');
	json_write_string(json, key, name);
	json_write_count(json, "ns", row->ns);
	json_open(json, "of", '[');
	for (i = 0; i < row->n; i++) {
		json_open(json, NULL, '{');
		json_write_string(json, "name", row->named[i].text);
		if (row->named[i].pid)
			json_write_count(json, "pid", row->named[i].pid);
		json_write_count(json, "ns", row->named[i].ns);
		json_write_count(json, "count", row->named[i].count);
		json_write_count(json, "longest_ns", row->named[i].max_ns);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void json_slowest(
	struct json_writer *json, const struct wait_answer *answer, const struct wait_look *look)
{
	const struct wait_process *process = answer->process;
	size_t i;

	json_open(json, "slowest", '[');
	for (i = 0; i < process->n_slowest; i++) {
		const struct waits_slow *slow = &process->slowest[i];
		const uint64_t began = slow->at_ns - slow->ns;

		json_open(json, NULL, '{');
		json_write_count(
			json, "at_ns", began > look->began_ns ? began - look->began_ns : 0);
		json_write_count(json, "ns", slow->ns);
		json_write_count(json, "tid", slow->tid);
		json_write_count(json, "call", slow->key.nr);
		json_write_text(json, "on", answer->slow_on[i]);
		json_close(json);
	}
	json_close(json);
}

static void json_children(struct json_writer *json, const struct wait_process *process)
{
	size_t i;

	json_open(json, "ended_children", '[');
	for (i = 0; i < process->n_children; i++) {
		json_open(json, NULL, '{');
		json_write_string(json, "name", process->children[i].comm);
		json_write_count(json, "count", process->children[i].sum.count);
		json_write_count(json, "cpu_ns", process->children[i].sum.exec_ns);
		json_write_count(json, "lives_ns", process->children[i].sum.life_ns);
		json_close(json);
	}
	json_close(json);
}

static void json_answer(struct json_writer *json, const char *key, const struct wait_answer *answer,
	const struct wait_look *look)
{
	const struct waits_process *seen = &answer->process->seen;
	int category;
	size_t i;

	json_open(json, key, '{');
	if (answer->processes)
		json_write_count(json, "processes_count", answer->processes);
	else
		json_write_count(json, "pid", answer->process->pid);
	json_write_string(json, "name", answer->name);
	json_write_string(json, "most", wait_category_name(answer->top));
	json_write_string(json, "sentence", str_text(&answer->sentence));
	json_write_text(json, "next", answer->advice.len ? str_text(&answer->advice) : NULL);
	json_write_count(json, "threads", answer->process->living);
	json_write_count(json, "wall_ns", answer->wall_ns);
	json_write_count(json, "parts_ns", answer->parts_ns);
	json_write_count(json, "switches", seen->switches);
	if (look->sees_calls) {
		json_write_number(json, "calls_seconds", look->calls_seconds);
		json_write_count(json, "calls", seen->calls);
		json_write_count(json, "calls_for_nothing", seen->nothing);
	}
	if (seen->died_ns) {
		json_write_count(json, "died_at_ns", seen->died_ns - look->began_ns);
		json_write_count(json, "wait_status", seen->status);
	}
	json_open(json, "parts", '[');
	for (category = 0; category < WAIT_CATEGORIES; category++)
		json_row(json, &answer->rows[category], "part",
			wait_category_name((enum wait_category)category));
	json_close(json);
	json_open(json, "functions", '[');
	for (i = 0; i < answer->functions.n; i++) {
		json_open(json, NULL, '{');
		json_write_string(json, "name", answer->functions.named[i].text);
		json_write_count(json, "samples", answer->functions.named[i].count);
		json_close(json);
	}
	json_close(json);
	json_open(json, "disks", '[');
	for (i = 0; i < answer->n_disks; i++)
		json_row(json, &answer->disks[i].ahead, "device", answer->disks[i].name);
	json_close(json);
	json_slowest(json, answer, look);
	json_children(json, answer->process);
	json_close(json);
}

void wait_json(struct str *out, const struct wait_answers *answers)
{
	const struct wait_look *look = answers->look;
	struct json_writer json;
	size_t i;

	json_start(&json, out);
	json_write_string(&json, "schema", "tuesday-waits/1");
	json_write_number(&json, "seconds", look->seconds);
	json_write_count(&json, "processes_seen", answers->processes);
	json_write_bool(&json, "sees_locks", look->sees_locks);
	json_write_bool(&json, "sees_disks", look->disks.looked);
	json_write_bool(&json, "interrupted", look->interrupted);
	json_write_number(&json, "confidence_ratio", wait_look_confidence(look));
	json_open(&json, "lost", '{');
	json_write_count(&json, "threads", look->lost.threads);
	json_write_count(&json, "sums", look->lost.sums);
	json_write_count(&json, "behind", look->lost.behind);
	json_write_count(&json, "children", look->lost.children);
	json_write_count(&json, "slow", look->lost.slow);
	json_close(&json);
	if (answers->sum.processes)
		json_answer(&json, "all", &answers->sum, look);
	json_open(&json, "processes", '[');
	for (i = 0; i < answers->n; i++)
		json_answer(&json, NULL, &answers->list[i], look);
	json_close(&json);
	json_finish(&json);
}
