/* SPDX-License-Identifier: GPL-2.0-only */
/* What do the files of each thread say? */
#include "base/banned.h"

#include <errno.h>
#include <linux/types.h>
#include <stdio.h>

#include "bpf/iter/task.h"
#include "base/num.h"
#include "capture/capture.h"
#include "sources/task/task_walk.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "capture/recording.h"
#include "capture/list.h"

#define THREADS_MAX 4096
#define NS_PER_TICK 10000000 /* of USER_HZ, which is 100 everywhere */

/* Where the fields of a stat file are, counted from the one behind the name. */
enum {
	STATE,
	PARENT,
	FLAGS = 6,
	UTIME = 11,
	STIME = 12,
	NICE = 16,
	START = 19,
	CPU = 36,
	POLICY = 38,
	STAT_FIELDS
};

static uint64_t unsigned_of(double value)
{
	return value > 0 && value < 9e18 ? (uint64_t)value : 0;
}

/* "1 (name) S …": the name can hold anything, brackets too, so it ends at the last one. */
static bool task_walk_take_name(struct bytes *text, struct task_record *task)
{
	struct bytes before;
	double tid;
	size_t end;

	if (!text_until(text, '(', &before) || !text_next_number(&before, &tid))
		return false;
	for (end = text->len; end && text->data[end - 1] != ')'; end--)
		;
	if (!end)
		return false;
	task->tid = (__u32)unsigned_of(tid);
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, text->data,
		end - 1 < sizeof(task->comm) ? end - 1 : sizeof(task->comm) - 1);
	text->data += end;
	text->len -= end;
	return true;
}

bool parse_task_stat(struct bytes text, struct task_record *task)
{
	struct bytes line, word;
	double v[STAT_FIELDS] = {0};
	size_t i;

	if (!task_walk_take_name(&text, task) || !text_line(&text, &line) ||
		!text_word(&line, &word))
		return false;
	task->blocked = text_is(word, "D");
	task->zombie = text_is(word, "Z");
	task->held = text_is(word, "t");
	task->runnable = text_is(word, "R");
	for (i = STATE + 1; i < STAT_FIELDS; i++)
		if (!text_next_number(&line, &v[i]))
			return false;
	task->flags = (__u32)unsigned_of(v[FLAGS]);
	task->cpu_ns = unsigned_of((v[UTIME] + v[STIME]) * NS_PER_TICK);
	task->nice = v[NICE] >= -20 && v[NICE] <= 19 ? (__s32)v[NICE] : 0;
	task->start = unsigned_of(v[START]);
	task->policy = (__u32)unsigned_of(v[POLICY]);
	task->parent = (__u32)unsigned_of(v[PARENT]);
	task->cpu_and_1 = (__u32)unsigned_of(v[CPU]) + 1;
	return true;
}

/* Without CONFIG_SCHED_INFO the file is there and says 0 0 0. */
bool parse_task_schedstat(struct bytes text, struct task_record *task)
{
	struct bytes line;
	double v[3];
	size_t i;

	if (!text_line(&text, &line))
		return false;
	for (i = 0; i < 3; i++)
		if (!text_next_number(&line, &v[i]))
			return false;
	if (v[0] <= 0 && v[2] <= 0)
		return false;
	task->cpu_ns = unsigned_of(v[0]);
	task->run_delay_ns = unsigned_of(v[1]);
	task->timeslices = unsigned_of(v[2]);
	task->has |= TASK_HAS_DELAY;
	return true;
}

struct walk {
	struct capture *fs;
	struct str *out;
	const char *pid;
	size_t n;
};

static bool task_walk_is_number(const char *name)
{
	uint64_t number;

	return !num_u64(name, 1, UINT32_MAX, &number);
}

static int add_thread(void *arg, const char *tid)
{
	struct walk *walk = arg;
	struct task_record task;
	struct bytes text;
	char path[600];

	if (!task_walk_is_number(tid))
		return 0;
	if (walk->n == THREADS_MAX)
		return 1;
	memset(&task, 0, sizeof(task));
	snprintf(path, sizeof(path), "/proc/%s/task/%s/stat", walk->pid, tid);
	if (capture_read_once(walk->fs, path, &text) || !parse_task_stat(text, &task))
		return 0;
	snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", walk->pid, tid);
	if (!capture_read_once(walk->fs, path, &text))
		parse_task_schedstat(text, &task);
	task.tgid = (__u32)strtoul(walk->pid, NULL, 10);
	if (task.tid == task.tgid)
		task.has |= TASK_HAS_PROCESS;
	str_addn(walk->out, &task, sizeof(task));
	walk->n++;
	return 0;
}

static int add_process(void *arg, const char *pid)
{
	struct walk *walk = arg;
	char path[300];

	if (!task_walk_is_number(pid))
		return 0;
	walk->pid = pid;
	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	capture_list_directories(walk->fs, path, add_thread, walk);
	return walk->n == THREADS_MAX;
}

int task_walk(struct capture *fs, struct str *out)
{
	struct walk walk = {.fs = fs, .out = out};
	bool paused = capture_pause_recording(fs, true);
	int err;

	err = capture_list_directories(fs, "/proc", add_process, &walk);
	capture_pause_recording(fs, paused);
	if (!err && walk.n == THREADS_MAX)
		err = -E2BIG;
	return err;
}
