/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get of a look? Keys are kept for ever; what is not known has none. */
#include "base/banned.h"

#include "base/json_write.h"
#include "base/str.h"
#include "flame/kind.h"
#include "tools/cpu/functions.h"
#include "tools/cpu/json.h"
#include "tools/cpu/look.h"
#include "tools/cpu/waits.h"

#define SCHEMA "tuesday-cpu/1"

static double json_share(const struct cpu_look *look, uint64_t weight)
{
	return look->profile.total ? (double)weight / (double)look->profile.total : 0;
}

static double json_seconds(const struct cpu_look *look, uint64_t weight)
{
	return look->asked->waits ? (double)weight / 1e9 : (double)weight / look->asked->hertz;
}

static void json_write_look(struct json_writer *json, const struct cpu_look *look)
{
	const struct stacks_seen *seen = &look->seen;

	json_write_number(json, "seconds", seen->seconds);
	if (!look->asked->waits) {
		json_write_number(json, "hertz", look->asked->hertz);
		json_write_count(json, "cpus", seen->cpus);
		json_write_count(json, "samples", look->profile.total);
		json_write_count(json, "samples_in_kernel", look->profile.in_kernel);
		json_write_count(json, "samples_lost", seen->lost.samples);
	} else {
		json_write_number(json, "waited_seconds", (double)look->profile.total / 1e9);
		json_write_number(json, "queued_seconds", (double)look->profile.queued_ns / 1e9);
		json_write_count(json, "waits_lost", seen->lost.sums + seen->lost.away);
		json_write_count(json, "stacks_lost", seen->lost.stacks);
	}
	json_write_if(json, "interrupted", look->interrupted);
	json_write_if(json, "to_true_depth", seen->to_true_depth);
	json_write_count(json, "deepest", look->folded.deepest);
	if (look->folded.with_user) {
		const double all = (double)look->folded.with_user;

		json_write_number(json, "broken_ratio", (double)look->folded.broken / all);
		json_write_number(json, "truncated_ratio", (double)look->folded.truncated / all);
		json_write_number(json, "unnamed_ratio", (double)look->folded.unnamed / all);
	}
	if (look->counted.cycles && look->counted.instructions)
		json_write_number(json, "cycles_per_instruction",
			(double)look->counted.cycles / (double)look->counted.instructions);
}

static void json_write_functions(struct json_writer *json, const struct cpu_look *look)
{
	struct cpu_functions functions = {.n = 0};

	cpu_functions_find(&functions, look);
	json_open(json, "functions", '[');
	for (size_t i = 0; i < functions.n && i < look->asked->top; i++) {
		const struct cpu_function *function = &functions.list[i];

		json_open(json, NULL, '{');
		json_write_string(json, "name", function->name);
		json_write_text(json, "caller", function->caller);
		json_write_text(json, "in", function->whose);
		json_write_number(json, "self_ratio", json_share(look, function->self));
		json_write_number(json, "with_callees_ratio", json_share(look, function->with));
		json_write_number(json, "self_seconds", json_seconds(look, function->self));
		json_close(json);
	}
	json_close(json);
	cpu_functions_free(&functions);
}

/* A frame without what says that it is a waker's, which its place says here. */
static void json_write_frame(struct json_writer *json, const char *key, const char *frame)
{
	size_t len;
	char *name;

	if (!frame)
		return;
	flame_kind_of(frame, &len);
	name = mem_strndup(frame, len);
	json_write_text(json, key, name);
	free(name);
}

static void json_write_wakers(
	struct json_writer *json, const struct cpu_look *look, const struct cpu_wait *wait)
{
	if (!wait->n_wakers)
		return;
	json_open(json, "wakers", '[');
	for (size_t i = 0; i < wait->n_wakers && i < look->asked->top; i++) {
		const struct cpu_waker *waker = &wait->wakers[i];

		json_open(json, NULL, '{');
		json_write_string(json, "name", waker->comm);
		if (waker->pid)
			json_write_count(json, "pid", waker->pid);
		json_write_frame(json, "function", waker->function);
		json_write_frame(json, "caller", waker->caller);
		json_write_number(json, "seconds", (double)waker->ns / 1e9);
		json_close(json);
	}
	json_close(json);
}

static void json_write_waits(struct json_writer *json, const struct cpu_look *look)
{
	struct cpu_waits waits = {.n = 0};

	cpu_waits_find(&waits, look);
	json_open(json, "waits", '[');
	for (size_t i = 0; i < waits.n && i < look->asked->top; i++) {
		const struct cpu_wait *wait = &waits.list[i];

		json_open(json, NULL, '{');
		json_write_string(json, "name", wait->comm);
		json_write_count(json, "pid", wait->pid);
		json_write_text(json, "function", wait->function);
		json_write_text(json, "caller", wait->caller);
		json_write_text(json, "reason", wait->reason);
		json_write_number(json, "ratio", json_share(look, wait->ns));
		json_write_number(json, "seconds", (double)wait->ns / 1e9);
		json_write_number(json, "longest_seconds", (double)wait->longest_ns / 1e9);
		json_write_count(json, "times", wait->times);
		json_write_wakers(json, look, wait);
		json_close(json);
	}
	json_close(json);
	cpu_waits_free(&waits);
}

static void json_write_processes(struct json_writer *json, const struct cpu_look *look)
{
	struct cpu_processes processes = {.n = 0};

	cpu_processes_find(&processes, look);
	json_open(json, "processes", '[');
	for (size_t i = 0; i < processes.n && i < look->asked->top; i++) {
		const struct cpu_process *process = &processes.list[i];

		json_open(json, NULL, '{');
		json_write_string(json, "name", process->comm);
		json_write_count(json, "pid", process->pid);
		json_write_count(json, "threads", process->threads);
		json_write_number(json, "ratio", json_share(look, process->weight));
		json_write_number(json, "seconds", json_seconds(look, process->weight));
		json_close(json);
	}
	json_close(json);
	cpu_processes_free(&processes);
}

void cpu_json(struct str *out, const struct cpu_look *look)
{
	struct json_writer json;

	json_start(&json, out);
	json_write_string(&json, "schema", SCHEMA);
	json_write_string(&json, "look", look->asked->waits ? "waiting" : "running");
	json_write_look(&json, look);
	if (look->asked->waits)
		json_write_waits(&json, look);
	else
		json_write_functions(&json, look);
	json_write_processes(&json, look);
	json_finish(&json);
}
