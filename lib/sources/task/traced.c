/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which process is traced (ptrace: strace, gdb), by whom, and how often does it stop for that?
 *
 * Instances are the traced processes. switches is how often their traced threads got a CPU: whoever
 * is traced gives it up at each stop. tracer_switches is the same of the tracer, who is woken by
 * each of them: a debugger that only waits is not. held is 1 where all of them stand still at this
 * moment, since the tracer has stopped them. "none" is always there, with 0.
 *
 * The iterator of tasks tells at no cost who is traced, and their status by whom. Without it the
 * status of each process is read once, and those that were traced then are followed.
 *
 * The blob has a line for each thread, and one for each tracer:
 *
 *   tracer PID SWITCHES NAME
 *   traced PID SWITCHES TRACER HELD NAME
 *   missing                               there were more processes than were looked at
 */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>

#include "base/culprit.h"
#include "base/num.h"
#include "base/number_map.h"
#include "base/str.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "capture/recording.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/task/task.h"
#include "sources/task/traced.h"

#define BLOB "traced"
#define TRACED_MAX 4096
#define STATUS_MAX 4096 /* processes whose status is read */

/* A process that is traced, and by whom. */
struct tracing_pair {
	uint32_t pid, tracer;
};

struct traced {
	void *threads; /* of task_open */
	struct capture *fs;
	bool looked;  /* the status of all was read */
	bool missing; /* there were more than were looked at */
	size_t n_looked;
	struct tracing_pair pairs[TRACED_MAX];
	size_t n;
	/* By pid: the number of a traced process's pair, tracers, and what was traced before. */
	struct number_map by_pid, tracers, before;
	struct str blob; /* of this sample */
};

uint32_t parse_status_tracer(struct bytes text)
{
	struct bytes line;
	double pid;

	while (text_line(&text, &line)) {
		if (!text_starts(line, "TracerPid:"))
			continue;
		line.data += strlen("TracerPid:");
		line.len -= strlen("TracerPid:");
		return text_next_number(&line, &pid) && pid > 0 && pid <= UINT32_MAX ? (uint32_t)pid
										     : 0;
	}
	return 0;
}

static bool traced_has(const struct number_map *map, uint32_t pid)
{
	size_t i;

	return number_map_get(map, pid, &i);
}

/* Whether this record may be of a process that is traced. */
static bool traced_is_asked(struct traced *traced, const struct task_record *task)
{
	if (task->has & TASK_HAS_PTRACE)
		return task->ptrace != 0;
	if (task->tid != task->tgid || (traced->looked && !traced_has(&traced->before, task->tgid)))
		return false;
	traced->missing |= traced->n_looked == STATUS_MAX;
	return traced->n_looked++ < STATUS_MAX;
}

/* By whom says the status, of the thread itself: a process may be traced in a part of its threads.
 */
static void traced_look_at(void *arg, const struct task_record *task)
{
	struct traced *traced = arg;
	struct bytes text;
	char path[64];
	uint32_t tracer;

	if (!traced_is_asked(traced, task) || traced_has(&traced->by_pid, task->tgid))
		return;
	snprintf(path, sizeof(path), "/proc/%u/status", task->tid);
	if (capture_read_once(traced->fs, path, &text))
		return;
	tracer = parse_status_tracer(text);
	if (!tracer)
		return;
	if (traced->n == TRACED_MAX) {
		traced->missing = true;
		return;
	}
	number_map_add(&traced->by_pid, task->tgid, traced->n);
	number_map_add(&traced->tracers, tracer, 0);
	traced->pairs[traced->n++] = (struct tracing_pair){task->tgid, tracer};
}

/* Names come from people: they stand at the end of a line, and are one line. */
static void traced_add_name(struct str *blob, const struct task_record *task)
{
	const char *at;

	for (at = (const char *)task->comm; *at; at++)
		str_addc(blob, *at == '\n' ? '?' : *at);
	str_addc(blob, '\n');
}

static void traced_write_tracer(void *arg, const struct task_record *task)
{
	struct traced *traced = arg;

	if (!traced_has(&traced->tracers, task->tgid))
		return;
	str_addf(&traced->blob, "tracer %u %" PRIu64 " ", task->tgid, (uint64_t)task->timeslices);
	traced_add_name(&traced->blob, task);
}

static void traced_write_task(void *arg, const struct task_record *task)
{
	struct traced *traced = arg;
	size_t i;

	if (((task->has & TASK_HAS_PTRACE) && !task->ptrace) ||
		!number_map_get(&traced->by_pid, task->tgid, &i))
		return;
	str_addf(&traced->blob, "traced %u %" PRIu64 " %u %u ", task->tgid,
		(uint64_t)task->timeslices, traced->pairs[i].tracer, task->held);
	traced_add_name(&traced->blob, task);
}

/* Begins a sample: what is traced becomes what was. */
static void traced_turn(struct traced *traced)
{
	struct number_map before = traced->before;

	str_clear(&traced->blob);
	traced->before = traced->by_pid;
	traced->by_pid = before;
	number_map_clear(&traced->by_pid);
	number_map_clear(&traced->tracers);
	traced->n = traced->n_looked = 0;
}

static int traced_take_sample(struct traced *traced, struct capture *fs, struct sink *sink)
{
	bool paused = capture_pause_recording(fs, true);
	int err;

	traced->fs = fs;
	traced_turn(traced);
	err = task_each(fs, traced->threads, sink, traced_look_at, traced);
	capture_pause_recording(fs, paused);
	traced->looked = true;
	if (!err && traced->n)
		err = task_each(fs, traced->threads, NULL, traced_write_tracer, traced);
	if (!err && traced->n)
		err = task_each(fs, traced->threads, NULL, traced_write_task, traced);
	if (traced->missing)
		str_add(&traced->blob, "missing\n");
	if (!err)
		err = capture_put_blob(fs, BLOB, str_text(&traced->blob), traced->blob.len);
	return err;
}

/* A line of the blob. */
struct traced_line {
	uint64_t pid, tracer, held, switches;
	char name[32];
};

static bool traced_parse_line(struct bytes line, struct traced_line *out)
{
	uint64_t *numbers[] = {&out->pid, &out->switches, &out->tracer, &out->held};
	const char *at, *end = line.data + line.len;
	bool is_tracer = text_starts(line, "tracer ");
	size_t i;

	*out = (struct traced_line){0};
	if (!is_tracer && !text_starts(line, "traced "))
		return false;
	at = line.data + strlen("traced ");
	for (i = 0; i < (is_tracer ? 2 : ARRAY_SIZE(numbers)); i++)
		if (num_next(&at, end, numbers[i]))
			return false;
	at += at < end && *at == ' ';
	return text_copy((struct bytes){at, (size_t)(end - at)}, out->name, sizeof(out->name));
}

/* What all threads of one process have. */
struct traced_sum {
	struct traced_line process;
	bool all_held;
	double switches;
};

/* What the lines of the blob add up to: of each traced process, and how often all threads of each
 * tracer got a CPU. */
struct traced_sums {
	struct traced_sum *list;
	double *tracers;
	size_t n, room, n_tracers, room_tracers;
	struct number_map by_pid, tracers_by_pid;
};

/* Threads are listed by their own numbers, so those of several processes stand mixed. */
static void traced_add_thread(struct traced_sums *sums, const struct traced_line *thread)
{
	size_t i = sums->n;

	if (number_map_add(&sums->by_pid, thread->pid, sums->n)) {
		ARRAY_GROW(sums->list, sums->n, sums->room);
		sums->list[sums->n++] = (struct traced_sum){.process = *thread, .all_held = true};
	} else {
		number_map_get(&sums->by_pid, thread->pid, &i);
	}
	sums->list[i].switches += (double)thread->switches;
	sums->list[i].all_held &= thread->held != 0;
}

static void traced_add_tracer(struct traced_sums *sums, const struct traced_line *thread)
{
	size_t i = sums->n_tracers;

	if (number_map_add(&sums->tracers_by_pid, thread->pid, sums->n_tracers)) {
		ARRAY_GROW(sums->tracers, sums->n_tracers, sums->room_tracers);
		sums->tracers[sums->n_tracers++] = 0;
	} else {
		number_map_get(&sums->tracers_by_pid, thread->pid, &i);
	}
	sums->tracers[i] += (double)thread->switches;
}

static void traced_put_process(
	const struct traced_sums *sums, const struct traced_sum *sum, struct sink *sink)
{
	char instance[24], label[80];
	size_t i;
	bool seen = number_map_get(&sums->tracers_by_pid, sum->process.tracer, &i);

	snprintf(instance, sizeof(instance), "%" PRIu64, sum->process.pid);
	snprintf(label, sizeof(label), "%s (pid %s)", sum->process.name, instance);
	sink_put(sink, instance, "switches", sum->switches);
	sink_put(sink, instance, "tracer_switches", seen ? sums->tracers[i] : 0);
	sink_put(sink, instance, "held", sum->all_held);
	sink_label(sink, instance, label);
}

void parse_traced(struct bytes text, struct sink *sink)
{
	struct traced_sums sums = {0};
	struct bytes rest = text, line;
	struct traced_line one;
	size_t i;

	while (text_line(&rest, &line)) {
		if (text_starts(line, "traced ") && traced_parse_line(line, &one))
			traced_add_thread(&sums, &one);
		else if (text_starts(line, "tracer ") && traced_parse_line(line, &one))
			traced_add_tracer(&sums, &one);
		else if (text_is(line, "missing"))
			sink_missing(
				sink, "there are more processes than are asked who traces them");
	}
	for (i = 0; i < sums.n; i++)
		traced_put_process(&sums, &sums.list[i], sink);
	sink_put(sink, "none", "switches", 0);
	sink_put(sink, "none", "tracer_switches", 0);
	sink_put(sink, "none", "held", 0);
	free(sums.list);
	free(sums.tracers);
	number_map_free(&sums.by_pid);
	number_map_free(&sums.tracers_by_pid);
}

static int open_traced(struct capture *fs, void **state)
{
	struct traced *traced = mem_zalloc(sizeof(*traced));

	*state = traced;
	return task_open(fs, &traced->threads);
}

static int read_traced(struct capture *fs, void *state, struct sink *sink)
{
	struct bytes text;
	int err = 0;

	if (capture_is_live(fs))
		err = traced_take_sample(state, fs, sink);
	if (!err)
		err = capture_get_blob(fs, BLOB, &text);
	if (err)
		sink_missing(sink, "who is traced: %s", strerror(-err));
	else
		parse_traced(text, sink);
	return err;
}

static bool traced_find(struct bytes text, const char *kind, uint64_t pid, struct traced_line *out)
{
	struct bytes line;

	while (text_line(&text, &line))
		if (text_starts(line, kind) && traced_parse_line(line, out) && out->pid == pid)
			return true;
	return false;
}

/* The tracer, by its number alone where it is not seen, as from within a container. */
static bool traced_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct traced_line process, tracer;
	struct bytes text;
	uint64_t pid;

	(void)state;
	if (num_u64(instance, 1, UINT32_MAX, &pid) || capture_get_blob(fs, BLOB, &text) ||
		!traced_find(text, "traced ", pid, &process))
		return false;
	if (!traced_find(text, "tracer ", process.tracer, &tracer))
		snprintf(tracer.name, sizeof(tracer.name), "another process");
	snprintf(out->kind, sizeof(out->kind), "process");
	snprintf(out->name, sizeof(out->name), "%s", tracer.name);
	snprintf(out->id, sizeof(out->id), "%" PRIu64, process.tracer);
	return true;
}

static void close_traced(void *state)
{
	struct traced *traced = state;

	str_free(&traced->blob);
	number_map_free(&traced->by_pid);
	number_map_free(&traced->tracers);
	number_map_free(&traced->before);
	free(traced);
}

SOURCE(traced) = {
	.name = "traced",
	.what = "processes that are traced (strace, gdb): how often they stop for that, and by "
		"whom",
	.open = open_traced,
	.read = read_traced,
	.close = close_traced,
	.culprit = traced_culprit,
	.fleeting = true,
};
