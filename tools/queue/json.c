/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a look at queues say to a program? docs/queuediagnose.md describes the schema. */
#include "base/banned.h"

#include "base/json_write.h"
#include "base/str.h"
#include "tools/queue/json.h"
#include "tools/queue/limits.h"
#include "tools/queue/look.h"
#include "tools/queue/words.h"

static const char *const json_aheads[] = {
	"process", "itself_served", "idle", "quota", "earlier", "moved", "several", "hidden"};

static void json_group(struct json_writer *json, const char *key, const struct matrix_group *group)
{
	json_open(json, key, '{');
	json_write_string(json, "kind",
		group->ahead			     ? json_aheads[group->ahead]
			: group->first->is.is_kernel ? "kernel"
						     : "process");
	if (group->first) {
		json_write_string(json, "name", group->name);
		json_write_count(json, "processes_count", group->processes);
		if (group->processes == 1)
			json_write_count(json, "pid", group->first->is.pid);
	}
	json_write_if(json, "is_a", group->is_a);
	json_write_if(json, "is_b", group->is_b);
	json_close(json);
}

static void json_sums(struct json_writer *json, const struct matrix_table *table)
{
	size_t i;

	json_open(json, "waits", '[');
	for (i = 0; i < table->n_sums; i++) {
		const struct matrix_sum *sum = &table->sums[i];

		json_open(json, NULL, '{');
		json_group(json, "waiter", &table->groups[sum->waiter]);
		json_group(json, "ahead", &table->groups[sum->ahead]);
		json_write_number(json, "seconds", (double)sum->ns / 1e9);
		json_write_number(json, "longest_seconds", (double)sum->longest_ns / 1e9);
		json_write_count(json, "stretches_count", sum->count);
		json_close(json);
	}
	json_close(json);
}

static void json_lost(
	struct json_writer *json, const struct matrix_table *table, const struct queue_kind *kind)
{
	json_write_number(json, "confidence_ratio", queue_words_named(table, &kind->lost));
	json_write_number(json, "dropped_seconds", (double)kind->lost.pairs_ns / 1e9);
	json_write_count(json, "dropped_names_count", kind->lost.people);
}

static void json_stage(struct json_writer *json, const char *key, const struct queue_look *look,
	const struct queue_options *asked, enum queue_stage stage)
{
	const struct queue_kind *kind =
		stage == QUEUE_CPU || stage == QUEUE_STILL ? &look->cpu : &look->block;
	struct queue_limits limits;
	struct matrix_table table;

	json_open(json, key, '{');
	if (!kind->looked) {
		json_write_string(json, "missing", str_text(&kind->why));
		json_close(json);
		return;
	}
	matrix_tell(&table, &look->matrix, asked->has_a ? &asked->a : NULL,
		asked->has_b ? &asked->b : NULL, 1u << stage, 0);
	json_write_number(json, "waited_seconds", (double)table.ns / 1e9);
	if (asked->has_b)
		json_write_number(json, "behind_b_seconds", (double)table.behind_b_ns / 1e9);
	if (stage == QUEUE_CPU && look->delays.known) {
		queue_limits_default(&limits);
		json_write_number(json, "kernel_counted_seconds", (double)look->delays.ns / 1e9);
		json_write_bool(json, "agrees_with_kernel",
			queue_words_agrees(table.ns, look->delays.ns, &limits));
	}
	json_lost(json, &table, kind);
	json_sums(json, &table);
	json_close(json);
	matrix_table_free(&table);
}

void queue_json(struct str *out, const struct queue_look *look, const struct queue_options *asked)
{
	struct json_writer json;

	json_start(&json, out);
	json_write_string(&json, "schema", "tuesday-queues/1");
	json_write_number(&json, "seconds", look->seconds);
	json_write_bool(&json, "interrupted", look->interrupted);
	if (asked->has_a)
		json_write_string(&json, "a", asked->a.said);
	if (asked->has_b)
		json_write_string(&json, "b", asked->b.said);
	json_stage(&json, "cpu", look, asked, QUEUE_CPU);
	json_stage(&json, "cpu_still", look, asked, QUEUE_STILL);
	json_stage(&json, "disk_scheduler", look, asked, QUEUE_SCHEDULER);
	json_stage(&json, "disk_device", look, asked, QUEUE_DEVICE);
	json_finish(&json);
}
