/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which process is near to its limit of open files?
 *
 * Instances are processes, with the fields open and limit (the soft RLIMIT_NOFILE). The BPF
 * iterator of tasks gives the size of each process's table of open files, which no count exceeds,
 * and its limit: those that can be nearest to it in the first sample are counted then, and those
 * that are nearest followed. Without it all processes are counted once, and those that have the
 * most open files are followed.
 *
 * Since Linux 6.2 the size of /proc/PID/fd is how many are open, for a single system call; before
 * that its entries are counted, which needs the right to look at the process.
 *
 * The blob has a line for each of them: PID OPEN LIMIT NAME; and "missing" where more could be full
 * than were counted.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>
#include <sys/stat.h>

#include "bpf/iter/task.h"
#include "sys/privileged_call.h"
#include "base/num.h"
#include "capture/capture.h"
#include "sample/source.h"
#include "sources/task/task.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/task/open_files.h"
#include "capture/recording.h"
#include "capture/list.h"

#define FOLLOWED 16
/* So many are counted to know which are nearest, of those that have room for as many files as they
 * may have: whoever makes such room hides nobody by that. */
#define COUNTED 256
#define BLOB "openfiles"
/* The inode of the pid namespace that the machine began with (PROC_PID_INIT_INO). */
#define FIRST_PID_NAMESPACE 4026531836u

struct process {
	uint64_t pid, open, limit;
	double rank;
	char name[32];
};

struct openfiles {
	void *tasks;
	bool looked;
	bool missing;	      /* more may be full than were counted */
	struct process *list; /* the highest rank first */
	size_t n, room;
};

static int open_files_count_entry(void *arg, const char *name)
{
	(void)name;
	(*(uint64_t *)arg)++;
	return 0;
}

/* We have files open ourselves: where our own size is 0 the kernel does not count. */
static bool sizes_are_counts(void)
{
	struct stat st;

	return !stat("/proc/self/fd", &st) && st.st_size > 0;
}

static bool count_open(struct capture *fs, uint64_t pid, uint64_t *out)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/fd", pid);
	*out = 0;
	if (privileged_fstatat(AT_FDCWD, path, &st, 0))
		return false;
	if (st.st_size > 0 || sizes_are_counts())
		*out = (uint64_t)st.st_size;
	else if (capture_list(fs, path, open_files_count_entry, out))
		return false;
	return true;
}

/* "Max open files            1024                 524288               files" */
bool parse_open_files_limit(struct bytes text, uint64_t *out)
{
	struct bytes line;
	double value;

	while (text_line(&text, &line)) {
		if (!text_starts(line, "Max open files "))
			continue;
		line.data += strlen("Max open files ");
		line.len -= strlen("Max open files ");
		if (!text_next_number(&line, &value) || value < 0 || value > 1e15)
			return false;
		*out = (uint64_t)value;
		return true;
	}
	return false;
}

/* Without what would end a line of the blob. */
static void keep_name(struct process *process, struct bytes text)
{
	size_t i, n = 0;

	for (i = 0; i < text.len && n + 1 < sizeof(process->name); i++)
		if (text.data[i] != '\n' && text.data[i])
			process->name[n++] = text.data[i];
	process->name[n] = 0;
}

static void read_name(struct capture *fs, struct process *process)
{
	struct bytes text = {"", 0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", process->pid);
	if (capture_read_once(fs, path, &text))
		text.len = 0;
	keep_name(process, text);
}

/* Whether its limit is known; "unlimited" is none. */
static bool read_limit(struct capture *fs, struct process *process)
{
	struct bytes text;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/limits", process->pid);
	return !capture_read_once(fs, path, &text) && parse_open_files_limit(text, &process->limit);
}

static void open_files_add(struct openfiles *state, const struct process *process)
{
	ARRAY_GROW(state->list, state->n, state->room);
	state->list[state->n++] = *process;
}

static int open_files_compare_ranks(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->rank < y->rank || x->rank > y->rank)
		return x->rank < y->rank ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Keeps the n with the highest ranks, in order. */
static void open_files_keep(struct openfiles *state, size_t n)
{
	if (state->n)
		qsort(state->list, state->n, sizeof(*state->list), open_files_compare_ranks);
	if (state->n > n)
		state->n = n;
}

struct looking {
	struct capture *fs;
	struct openfiles *state;
};

/* What is in a sandbox may open nothing at all: of those that can be full, the larger come first.
 */
static double open_files_rank_of(uint64_t room, uint64_t limit)
{
	double share = room < limit ? (double)room / (double)limit : 1;

	return share + (double)room / UINT32_MAX;
}

static void look_at_record(void *arg, const struct task_record *task)
{
	struct process process = {.pid = task->tgid, .limit = task->files_max};
	const char *name = (const char *)task->comm;
	struct looking *looking = arg;

	if (!task->files_room || task->files_max == UINT64_MAX)
		return;
	process.rank = open_files_rank_of(task->files_room, task->files_max);
	keep_name(&process, (struct bytes){name, strlen(name)});
	open_files_add(looking->state, &process);
}

static int open_files_look_at_process(void *arg, const char *name)
{
	struct looking *looking = arg;
	struct process process = {0};

	if (!num_u64(name, 1, UINT32_MAX, &process.pid) &&
		count_open(looking->fs, process.pid, &process.open) && process.open) {
		process.rank = (double)process.open;
		open_files_add(looking->state, &process);
	}
	return 0;
}

/* The records number processes as the whole machine does. In another pid namespace a number is
 * somebody else's, who may well have the same name: one of the same server's many. */
static bool open_files_has_own_numbers(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino != FIRST_PID_NAMESPACE;
}

/* A number may have been given out again since. */
static bool is_the_same(struct capture *fs, const struct process *process)
{
	struct process found = {.pid = process->pid};

	read_name(fs, &found);
	return !strcmp(found.name, process->name);
}

static void drop_strangers(struct capture *fs, struct openfiles *state)
{
	size_t i, n, kept = 0;

	open_files_keep(state, state->n);
	for (n = FOLLOWED; n < state->n && n < COUNTED && state->list[n].rank >= 1;)
		n++;
	state->missing = n == COUNTED && n < state->n && state->list[n].rank >= 1;
	open_files_keep(state, n);
	for (i = 0; i < state->n; i++)
		if (is_the_same(fs, &state->list[i]))
			state->list[kept++] = state->list[i];
	state->n = kept;
}

static void follow_counts(struct capture *fs, struct openfiles *state)
{
	struct looking looking = {fs, state};
	size_t i, kept = 0;

	capture_list_directories(fs, "/proc", open_files_look_at_process, &looking);
	open_files_keep(state, FOLLOWED);
	for (i = 0; i < state->n; i++) {
		if (!read_limit(fs, &state->list[i]))
			continue;
		read_name(fs, &state->list[i]);
		state->list[kept++] = state->list[i];
	}
	state->n = kept;
}

static void count_followed(struct capture *fs, struct openfiles *state)
{
	size_t i;

	for (i = 0; i < state->n; i++)
		if (!count_open(fs, state->list[i].pid, &state->list[i].open))
			state->list[i].open = 0;
}

/* Who has more open than it may has lowered its limit since, as a sandbox does: it wants no more.
 */
static double open_files_share_of(const struct process *process)
{
	return process->limit && process->open <= process->limit
		? (double)process->open / (double)process->limit
		: 0;
}

static void look_around(struct capture *fs, struct openfiles *state)
{
	size_t i;

	if (open_files_has_own_numbers())
		state->n = 0;
	else
		drop_strangers(fs, state);
	if (!state->n)
		follow_counts(fs, state);
	count_followed(fs, state);
	for (i = 0; i < state->n; i++)
		state->list[i].rank = open_files_share_of(&state->list[i]);
	open_files_keep(state, FOLLOWED);
	state->looked = true;
}

static void open_files_take_sample(
	struct capture *fs, struct openfiles *state, struct sink *sink, struct str *blob)
{
	struct looking looking = {fs, state};
	bool paused;
	size_t i;

	/* Those records are for others too, and belong into the recording. */
	if (!state->looked)
		task_each(fs, state->tasks, sink, look_at_record, &looking);
	paused = capture_pause_recording(fs, true);
	if (!state->looked)
		look_around(fs, state);
	else
		count_followed(fs, state);
	capture_pause_recording(fs, paused);
	for (i = 0; i < state->n; i++)
		if (state->list[i].open)
			str_addf(blob, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
				state->list[i].pid, state->list[i].open, state->list[i].limit,
				state->list[i].name);
	if (state->missing)
		str_add(blob, "missing\n");
}

static bool parse_process(struct bytes line, struct process *process)
{
	const char *at = line.data, *end = line.data + line.len;
	size_t len;

	*process = (struct process){0};
	if (num_next(&at, end, &process->pid) || num_next(&at, end, &process->open) ||
		num_next(&at, end, &process->limit))
		return false;
	at += at < end && *at == ' ';
	len = (size_t)(end - at);
	if (len >= sizeof(process->name) || memchr(at, 0, len))
		return false;
	memcpy(process->name, at, len);
	return true;
}

void parse_open_files(struct bytes text, struct sink *sink)
{
	struct process process;
	struct bytes line;
	char instance[24], label[80];

	while (text_line(&text, &line)) {
		if (text_is(line, "missing"))
			sink_missing(sink,
				"more processes may have as many files open as they may than were "
				"counted, %d",
				COUNTED);
		if (!parse_process(line, &process))
			continue;
		snprintf(instance, sizeof(instance), "%" PRIu64, process.pid);
		snprintf(label, sizeof(label), "%s (pid %s)", process.name, instance);
		sink_put(sink, instance, "open", (double)process.open);
		sink_put(sink, instance, "limit", (double)process.limit);
		sink_label(sink, instance, label);
	}
}

static int open_files_open(struct capture *fs, void **state)
{
	struct openfiles *files = mem_zalloc(sizeof(*files));

	*state = files;
	return task_open(fs, &files->tasks);
}

static int read_files(struct capture *fs, void *state, struct sink *sink)
{
	struct str blob = STR_INIT;
	struct bytes text;
	int err;

	if (capture_is_live(fs)) {
		open_files_take_sample(fs, state, sink, &blob);
		capture_put_blob(fs, BLOB, str_text(&blob), blob.len);
		str_free(&blob);
	}
	err = capture_get_blob(fs, BLOB, &text);
	if (err)
		sink_missing(sink, "open files: %s", capture_why_untold(fs, err));
	else
		parse_open_files(text, sink);
	return err;
}

static bool open_files_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct process process;
	struct bytes text, line;
	uint64_t pid;

	(void)state;
	if (num_u64(instance, 1, UINT32_MAX, &pid) || capture_get_blob(fs, BLOB, &text))
		return false;
	while (text_line(&text, &line)) {
		if (!parse_process(line, &process) || process.pid != pid)
			continue;
		snprintf(out->kind, sizeof(out->kind), "process");
		snprintf(out->name, sizeof(out->name), "%s", process.name);
		snprintf(out->id, sizeof(out->id), "%s", instance);
		return true;
	}
	return false;
}

static void close_files(void *state)
{
	struct openfiles *files = state;

	free(files->list);
	free(files);
}

SOURCE(openfiles) = {
	.name = "openfiles",
	.what = "open files and their limit, of the processes that have the most",
	.open = open_files_open,
	.read = read_files,
	.close = close_files,
	.culprit = open_files_culprit,
	.fleeting = true,
};
