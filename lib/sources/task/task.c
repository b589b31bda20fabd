/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which thread runs, which waits for a CPU, which cannot go on at all?
 *
 * Instances of task are "TID@START", so that a thread never inherits the counters of another one
 * that had its number before. Threads that are nice, by priority or by policy, wait by their own
 * wish: their fields begin with nice_, along the line that the kernel draws between user and nice
 * in /proc/stat.
 *
 * Instances of waiter are the threads that cannot go on at this moment: stuck_seconds, in a sleep
 * that nothing but its end ends, io_seconds, in one for I/O, whatever ends it, and queued_seconds,
 * for a CPU. "none" is always there, with 0.
 *
 * Instances of kthread are the kernel's threads that work on somebody's behalf, by name. Each has
 * the field cpu_ns, and another with its family in front: ksoftirqd.cpu_ns for "ksoftirqd/0";
 * run_delay_ns, and blocked, which is 1 while it is in uninterruptible sleep (D).
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/types.h>
#include <stdio.h>
#include <unistd.h>

#include "sources/task/task_group.h"
#include "bpf/iter/task.h"
#include "sys/caps.h"
#include "capture/capture.h"
#include "sample/source.h"
#include "sources/task/task.h"
#include "loader/task_iterator.h"
#include "sources/task/task_walk.h"
#include "sources/task/own_tasks.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"

#define SHARED "threads"
#define BLOB "task"
#define WCHAN_MAX 64 /* so many a sample */
#define PF_KTHREAD 0x00200000
#define SCHED_BATCH 3
#define SCHED_IDLE 5

/* In front of the records in a blob. */
struct task_header {
	char magic[4];
	uint16_t version;
	uint16_t record_size;
	uint32_t cut; /* there were more threads */
	uint32_t pad;
};

static const char magic[4] = {'t', 'a', 's', 'k'};

/* The records of a sample, as long as the version of them that was recorded. */
struct records {
	struct bytes rest;
	size_t size;
};

/* What the sources share. */
struct threads {
	struct task_iter *iter; /* NULL: /proc is walked */
	int iter_error;		/* -errno, why there is none; 0 in a replay, which does not know */
	struct str
		walked; /* in a replay of files without a blob, as of a machine written by hand */
};

static void task_release(void *object)
{
	struct threads *threads = object;

	task_iter_close(threads->iter);
	str_free(&threads->walked);
	free(threads);
}

int task_open(struct capture *fs, void **state)
{
	struct threads *threads = capture_attached(fs, SHARED);

	if (!threads) {
		threads = mem_zalloc(sizeof(*threads));
		if (capture_is_live(fs))
			threads->iter_error =
				caps_have(CAPS_BPF) ? task_iter_open(&threads->iter) : -EACCES;
		else if (!capture_is_replay(fs))
			threads->iter_error = -EOPNOTSUPP;
		capture_attach(fs, SHARED, threads, task_release);
	}
	*state = threads;
	return 0;
}

void task_missing(const void *state, struct sink *sink, const char *what)
{
	const struct threads *threads = state;

	switch (-threads->iter_error) {
	case 0:
	case EACCES:
		sink_missing(sink, "%s needs CAP_BPF and CAP_PERFMON (run as root)", what);
		break;
	case EOPNOTSUPP:
		sink_missing(
			sink, "%s: no file tells, and only the machine itself can be asked", what);
		break;
	case ENOENT:
		sink_missing(sink, "%s needs a kernel with BTF (CONFIG_DEBUG_INFO_BTF)", what);
		break;
	case ENOSYS:
		sink_missing(sink, "%s needs a kernel with BPF (CONFIG_BPF_SYSCALL)", what);
		break;
	default:
		sink_missing(sink, "%s needs BPF, which the kernel refuses here: %s", what,
			strerror(-threads->iter_error));
	}
}

/* Asks the kernel for the bytes of a blob. */
static int gather_threads(struct capture *fs, const struct threads *threads, struct str *blob)
{
	struct task_header header = {
		.version = TASK_RECORD_VERSION, .record_size = sizeof(struct task_record)};
	int err = -ENOSYS;

	memcpy(header.magic, magic, sizeof(magic));
	str_addn(blob, &header, sizeof(header));
	if (threads->iter)
		err = task_iter_read(threads->iter, blob);
	if (err && err != -E2BIG) {
		str_clear(blob);
		str_addn(blob, &header, sizeof(header));
		err = task_walk(fs, blob);
	}
	if (err == -E2BIG) {
		header.cut = 1;
		memcpy(blob->text, &header, sizeof(header));
		err = 0;
	}
	return err;
}

static int take_threads(struct capture *fs, const struct threads *threads)
{
	struct str blob = STR_INIT;
	int err = gather_threads(fs, threads, &blob);

	if (!err) {
		own_tasks_leave_out(&blob, sizeof(struct task_header));
		err = capture_put_blob(fs, BLOB, blob.text, blob.len);
	}
	str_free(&blob);
	return err;
}

/* The records of this sample: asked for once, whichever source comes first. */
static int threads_of_sample(
	struct capture *fs, struct threads *threads, struct records *records, bool *cut)
{
	struct task_header header;
	struct bytes blob;
	int err = capture_get_blob(fs, BLOB, &blob);

	if (err && !capture_is_replay(fs)) {
		err = take_threads(fs, threads);
		if (!err)
			err = capture_get_blob(fs, BLOB, &blob);
	} else if (err && capture_exists(fs, "/proc")) {
		str_clear(&threads->walked);
		err = gather_threads(fs, threads, &threads->walked);
		blob = (struct bytes){str_text(&threads->walked), threads->walked.len};
	}
	if (err)
		return err;
	if (blob.len < sizeof(header))
		return -EBADMSG;
	memcpy(&header, blob.data, sizeof(header));
	if (memcmp(header.magic, magic, sizeof(magic)) != 0 ||
		header.version != TASK_RECORD_VERSION || header.record_size < TASK_RECORD_SIZE_MIN)
		return -EBADMSG;
	*cut = header.cut != 0;
	records->rest = (struct bytes){blob.data + sizeof(header), blob.len - sizeof(header)};
	records->size = header.record_size;
	return 0;
}

/* Copies the next record out of what may lie at any address and end anywhere. */
static bool next_task(struct records *records, struct task_record *task)
{
	size_t size = records->size < sizeof(*task) ? records->size : sizeof(*task);

	if (records->rest.len < records->size)
		return false;
	memset(task, 0, sizeof(*task));
	memcpy(task, records->rest.data, size);
	task->comm[sizeof(task->comm) - 1] = 0;
	records->rest.data += records->size;
	records->rest.len -= records->size;
	return true;
}

static const char *task_name_of(const struct task_record *task)
{
	return (const char *)task->comm;
}

static void task_say_cut(struct sink *sink)
{
	sink_missing(sink, "there are more threads than are read");
}

int task_each(struct capture *fs, void *state, struct sink *sink,
	void (*each)(void *arg, const struct task_record *task), void *arg)
{
	struct task_record task;
	struct records records;
	bool cut = false;
	int err = threads_of_sample(fs, state, &records, &cut);

	if (!err && cut && sink)
		task_say_cut(sink);
	while (!err && next_task(&records, &task))
		each(arg, &task);
	return err;
}

struct task_instance task_instance_of(const struct task_record *task)
{
	struct task_instance instance;

	snprintf(instance.name, sizeof(instance.name), "%u@%llu", task->tid,
		(unsigned long long)task->start);
	return instance;
}

bool task_is_nice(const struct task_record *task)
{
	return task->nice > 0 || task->policy == SCHED_BATCH || task->policy == SCHED_IDLE ||
		task->idle_group;
}

/* Which fields anybody asked for: not looked up again for each of thousands of threads. */
struct wanted {
	bool cpu, delay, slices, blocked;
};

struct fields {
	const char *cpu, *delay, *slices;
};

static const struct fields plain = {"cpu_ns", "run_delay_ns", "timeslices"};
static const struct fields nice_ones = {"nice_cpu_ns", "nice_run_delay_ns", "nice_timeslices"};

static struct wanted wanted_fields(const struct sink *sink, const struct fields *fields)
{
	return (struct wanted){
		.cpu = sink_wants(sink, fields->cpu),
		.delay = sink_wants(sink, fields->delay),
		.slices = sink_wants(sink, fields->slices),
		.blocked = sink_wants(sink, "state_d"),
	};
}

static void put_task(struct sink *sink, const struct task_record *task, const struct fields *fields,
	const struct wanted *wanted)
{
	bool has_delay = task->has & TASK_HAS_DELAY;
	struct task_instance of_task = task_instance_of(task);
	const char *instance = of_task.name;
	char label[64];

	if (wanted->cpu)
		sink_put(sink, instance, fields->cpu, (double)task->cpu_ns);
	if (wanted->delay && has_delay)
		sink_put(sink, instance, fields->delay, (double)task->run_delay_ns);
	if (wanted->slices && has_delay)
		sink_put(sink, instance, fields->slices, (double)task->timeslices);
	if (wanted->blocked)
		sink_put(sink, instance, "state_d", task->blocked != 0);
	snprintf(label, sizeof(label), "%s (pid %u)", task_name_of(task), task->tgid);
	sink_label(sink, instance, label);
}

static int read_records(struct capture *fs, void *state, struct sink *sink, struct records *records)
{
	bool cut = false;
	int err = threads_of_sample(fs, state, records, &cut);

	if (err == -EBADMSG)
		sink_missing(sink, "the threads were recorded by another version");
	else if (err)
		sink_missing(sink, "threads: %s", strerror(-err));
	else if (cut)
		task_say_cut(sink);
	return err;
}

static int read_task(struct capture *fs, void *state, struct sink *sink)
{
	struct wanted of_plain = wanted_fields(sink, &plain);
	struct wanted of_nice = wanted_fields(sink, &nice_ones);
	struct task_record task;
	struct records records;
	int err = read_records(fs, state, sink, &records);

	if (err)
		return err;
	while (next_task(&records, &task)) {
		if (task_is_nice(&task))
			put_task(sink, &task, &nice_ones, &of_nice);
		else
			put_task(sink, &task, &plain, &of_plain);
	}
	return 0;
}

/* "cp (pid 12) in percpu_down_write": the function of the kernel that it sleeps in. */
static void label_stuck(struct capture *fs, struct sink *sink, const struct task_record *task)
{
	struct task_instance instance = task_instance_of(task);
	struct bytes wchan = {"", 0};
	char path[64], label[160];

	snprintf(path, sizeof(path), "/proc/%u/wchan", task->tid);
	if (capture_read_hidden(fs, path, &wchan) || text_is(wchan, "0"))
		wchan.len = 0;
	snprintf(label, sizeof(label), "%s (pid %u)%s%.*s", task_name_of(task), task->tgid,
		wchan.len ? " in " : "", (int)(wchan.len < 64 ? wchan.len : 64), wchan.data);
	sink_label(sink, instance.name, label);
}

static void put_waiter(
	struct capture *fs, struct sink *sink, const struct task_record *task, size_t *labelled)
{
	struct task_instance instance = task_instance_of(task);
	double seconds = (double)task->wait_ns / 1e9;
	bool sleeps = task->stuck || task->sleeps_for_io;
	char label[64];

	if (task->sleeps_for_io)
		sink_put(sink, instance.name, "io_seconds", seconds);
	if (task->stuck)
		sink_put(sink, instance.name, "stuck_seconds", seconds);
	else if (task->queued && !task_is_nice(task))
		sink_put(sink, instance.name, "queued_seconds", seconds);
	else if (!sleeps)
		return;
	snprintf(label, sizeof(label), "%s (pid %u)", task_name_of(task), task->tgid);
	sink_label(sink, instance.name, label);
	if (sleeps && (*labelled)++ < WCHAN_MAX)
		label_stuck(fs, sink, task);
}

static int read_waiter(struct capture *fs, void *state, struct sink *sink)
{
	struct task_record task;
	struct records records;
	size_t labelled = 0;
	bool known = false;
	int err = read_records(fs, state, sink, &records);

	while (!err && next_task(&records, &task)) {
		known |= (task.has & TASK_HAS_WAIT) != 0;
		put_waiter(fs, sink, &task, &labelled);
	}
	if (known) {
		sink_put(sink, "none", "stuck_seconds", 0);
		sink_put(sink, "none", "io_seconds", 0);
		sink_put(sink, "none", "queued_seconds", 0);
	} else {
		task_missing(state, sink, "the wait time of threads");
	}
	return err;
}

/* Adds the family's own field: the name up to the number of its CPU or node. */
static void put_kthread(struct sink *sink, const struct task_record *task)
{
	size_t len = strcspn(task_name_of(task), "/0123456789");
	char field[32];

	sink_put(sink, task_name_of(task), "cpu_ns", (double)task->cpu_ns);
	snprintf(field, sizeof(field), "%.*s.cpu_ns", (int)len, task_name_of(task));
	sink_put(sink, task_name_of(task), field, (double)task->cpu_ns);
	if (task->has & TASK_HAS_DELAY)
		sink_put(sink, task_name_of(task), "run_delay_ns", (double)task->run_delay_ns);
	sink_put(sink, task_name_of(task), "blocked", task->blocked != 0);
}

static int read_kthread(struct capture *fs, void *state, struct sink *sink)
{
	static const char names[] =
		"ksoftirqd/* kswapd* kcompactd* khugepaged ksmd napi/* arc_* l2arc* kworker/* "
		"md*_raid5 md*_raid6";
	struct task_record task;
	struct records records;
	int err = read_records(fs, state, sink, &records);

	if (err)
		return err;
	while (next_task(&records, &task))
		if ((task.flags & PF_KTHREAD) && str_matches(task_name_of(&task), names))
			put_kthread(sink, &task);
	return 0;
}

static bool task_culprit(struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct task_record task;
	struct records records;
	bool cut;

	if (threads_of_sample(fs, state, &records, &cut))
		return false;
	while (next_task(&records, &task)) {
		if (strcmp(task_instance_of(&task).name, instance) != 0)
			continue;
		snprintf(out->kind, sizeof(out->kind), "process");
		snprintf(out->name, sizeof(out->name), "%s", task_name_of(&task));
		snprintf(out->id, sizeof(out->id), "%u", task.tgid);
		return true;
	}
	return false;
}

/* A worker's work stands behind its name in /proc alone: "kworker/u4:2-writeback". */
static bool kthread_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct task_record task;
	struct records records;
	struct bytes text, line;
	char path[64];
	bool cut;

	if (threads_of_sample(fs, state, &records, &cut))
		return false;
	while (next_task(&records, &task)) {
		if (!(task.flags & PF_KTHREAD) || strcmp(task_name_of(&task), instance) != 0)
			continue;
		snprintf(out->kind, sizeof(out->kind), "process");
		snprintf(out->id, sizeof(out->id), "%u", task.tgid);
		snprintf(path, sizeof(path), "/proc/%u/comm", task.tgid);
		if (capture_read_once(fs, path, &text) || !text_line(&text, &line) ||
			!text_copy(line, out->name, sizeof(out->name)))
			snprintf(out->name, sizeof(out->name), "%s", task_name_of(&task));
		return true;
	}
	return false;
}

SOURCE(task) = {
	.name = "task",
	.what = "every thread: CPU time, time that it waited for a CPU, and whether it is blocked",
	.open = task_open,
	.read = read_task,
	.culprit = task_culprit,
	.fleeting = true,
	.groups = TASK_GROUPS,
	.group_of = task_group_of,
};

SOURCE(waiter) = {
	.name = "waiter",
	.what = "threads that cannot go on: stuck in the kernel, or in line for a CPU, and how "
		"long",
	.open = task_open,
	.read = read_waiter,
	.culprit = task_culprit,
	.fleeting = true,
	.groups = TASK_GROUPS,
	.group_of = task_group_of,
};

SOURCE(kthread) = {
	.name = "kthread",
	.what = "the kernel's own threads by name: CPU time, waiting for a CPU, and whether in "
		"uninterruptible sleep (D)",
	.open = task_open,
	.read = read_kthread,
	.culprit = kthread_culprit,
};
