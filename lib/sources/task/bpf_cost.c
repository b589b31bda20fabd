/* SPDX-License-Identifier: GPL-2.0-only */
/* How long does each BPF program run? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/types.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/str.h"
#include "bpf/iter/holder.h"
#include "bpf/iter/task.h"
#include "loader/holder_iterator.h"
#include "sources/common/parse_text.h"
#include "sources/task/bpf_cost.h"
#include "sources/task/task_walk.h"
#include "sys/caps.h"
#include "sys/child.h"
#include "sys/read_write.h"

#define PARTS 5
#define PART_MS 50
#define PAUSE_MS 150
#define SLICE_MS (PARTS * PART_MS + (PARTS - 1) * PAUSE_MS)
#define ANSWER_MS 2000 /* beyond the slice, on a machine that is slow */
#define PROGRAMS_MAX 4096
#define NS_PER_TICK 10000000u /* of USER_HZ, which is 100 everywhere */
#define CAPS_COST (CAPS_NAMESPACE | CAPS_BPF)

struct bpf_cost {
	struct child child;
	bool started;
	int error; /* or -ENODATA: nothing is to be taken any more */
	struct str answer;
};

struct counted_program {
	struct bpf_prog_info info;
	uint64_t runs, ns; /* in the slice */
	uint64_t part_runs[PARTS], part_ns[PARTS];
	uint32_t pid;
	bool ours;
	char owner[16];
};

struct slice {
	pid_t reader; /* the process that asks, whose programs are ours */
	uint64_t started_ns;
	struct counted_program *programs;
	size_t n;
	uint64_t ns;
};

/* What is there to see what others do. The rest forwards packets, chooses tasks, guards a cgroup:
 * without it something would not work. */
static bool bpf_type_watches(uint32_t type)
{
	switch (type) {
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_PERF_EVENT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE:
	case BPF_PROG_TYPE_TRACING:
	case BPF_PROG_TYPE_LSM:
		return true;
	default:
		return false;
	}
}

/* Programs come and go at any time: one that has gone is none. */
static bool bpf_cost_info(uint32_t id, struct bpf_prog_info *info)
{
	uint32_t len = sizeof(*info);
	int fd = bpf_prog_get_fd_by_id(id), err;

	if (fd < 0)
		return false;
	memset(info, 0, sizeof(*info));
	err = bpf_obj_get_info_by_fd(fd, info, &len);
	close(fd);
	return !err;
}

/* When this process began, by the clock that stamps programs; 0 where that is not known. */
static uint64_t bpf_cost_started_ns(void)
{
	struct task_record self = {0};
	struct str text = STR_INIT;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	uint64_t ns = 0;

	if (fd >= 0 && !read_all(fd, 4096, &text) &&
		parse_task_stat((struct bytes){str_text(&text), text.len}, &self))
		ns = self.start * NS_PER_TICK;
	if (fd >= 0)
		close(fd);
	str_free(&text);
	return ns;
}

/* Whether it watches, and was there before us. Ours are not, nor are those of who began with us. */
static bool bpf_cost_is_before(const struct bpf_prog_info *info, uint64_t started_ns)
{
	return bpf_type_watches(info->type) && info->load_time < started_ns;
}

/* Returns 1 where there is such a program, 0 where there is none, or -errno. */
static int bpf_cost_any_before(uint64_t started_ns)
{
	struct bpf_prog_info info;
	uint32_t id = 0;
	size_t n;

	for (n = 0; n < PROGRAMS_MAX; n++) {
		if (bpf_prog_get_next_id(id, &id))
			return errno == ENOENT ? 0 : -errno;
		if (bpf_cost_info(id, &info) && bpf_cost_is_before(&info, started_ns))
			return 1;
	}
	return 0;
}

static void bpf_cost_list(struct slice *slice)
{
	uint32_t id = 0;
	size_t room = 0;

	while (slice->n < PROGRAMS_MAX && !bpf_prog_get_next_id(id, &id)) {
		ARRAY_GROW(slice->programs, slice->n, room);
		slice->programs[slice->n] = (struct counted_program){0};
		slice->n += bpf_cost_info(id, &slice->programs[slice->n].info);
	}
}

static void bpf_cost_sleep(int ms)
{
	caps_lower(CAPS_COST);
	poll(NULL, 0, ms);
	caps_raise(CAPS_COST);
}

/* What each has used since it was last read. One that has gone has used nothing more. */
static void bpf_cost_count_part(struct slice *slice, size_t part)
{
	struct bpf_prog_info now;
	size_t i;

	for (i = 0; i < slice->n; i++) {
		struct counted_program *program = &slice->programs[i];

		if (!bpf_cost_info(program->info.id, &now))
			now = program->info;
		program->part_ns[part] = now.run_time_ns - program->info.run_time_ns;
		program->part_runs[part] = now.run_cnt - program->info.run_cnt;
		program->info = now;
	}
}

static int bpf_cost_compare_numbers(const void *a, const void *b)
{
	const uint64_t *one = a, *two = b;

	return (*one > *two) - (*one < *two);
}

uint64_t bpf_cost_of_parts(uint64_t *parts, size_t n)
{
	qsort(parts, n, sizeof(*parts), bpf_cost_compare_numbers);
	return n * parts[n / 2];
}

/* Returns the length of all parts together, in ns. */
static uint64_t bpf_cost_count(struct slice *slice)
{
	uint64_t began_ns, ns = 0;
	size_t i;

	for (i = 0; i < PARTS; i++) {
		if (i)
			bpf_cost_sleep(PAUSE_MS);
		bpf_cost_count_part(slice, i); /* from here on */
		began_ns = monotonic_ns();
		bpf_cost_sleep(PART_MS);
		bpf_cost_count_part(slice, i);
		ns += monotonic_ns() - began_ns;
	}
	for (i = 0; i < slice->n; i++) {
		struct counted_program *program = &slice->programs[i];

		program->runs = bpf_cost_of_parts(program->part_runs, PARTS);
		program->ns = bpf_cost_of_parts(program->part_ns, PARTS);
	}
	return ns;
}

static bool bpf_cost_found_any(const struct slice *slice)
{
	size_t i;

	for (i = 0; i < slice->n; i++)
		if (slice->programs[i].runs &&
			bpf_cost_is_before(&slice->programs[i].info, slice->started_ns))
			return true;
	return false;
}

/* The kernel lists them by their numbers. */
static int bpf_cost_compare(const void *id, const void *program)
{
	const uint32_t *wanted = id, *has = &((const struct counted_program *)program)->info.id;

	return (*wanted > *has) - (*wanted < *has);
}

static struct counted_program *bpf_cost_find(struct slice *slice, uint32_t id)
{
	return bsearch(&id, slice->programs, slice->n, sizeof(*slice->programs), bpf_cost_compare);
}

/* The first process that holds it; of several that have inherited it that is the oldest. */
static void bpf_cost_take_holder(struct slice *slice, struct holder_record *holder)
{
	struct counted_program *program = bpf_cost_find(slice, holder->program);

	if (!program || program->pid)
		return;
	holder->comm[sizeof(holder->comm) - 1] = 0;
	program->pid = holder->pid;
	program->ours = (pid_t)holder->pid == slice->reader || child_is_ours((pid_t)holder->pid);
	snprintf(program->owner, sizeof(program->owner), "%s", (const char *)holder->comm);
}

bool bpf_cost_may_be_ours(uint64_t load_ns, uint64_t started_ns)
{
	return load_ns >= started_ns;
}

static void bpf_cost_guess_ours(struct slice *slice)
{
	size_t i;

	for (i = 0; i < slice->n; i++)
		slice->programs[i].ours =
			bpf_cost_may_be_ours(slice->programs[i].info.load_time, slice->started_ns);
}

static void bpf_cost_find_holders(struct slice *slice)
{
	struct holder_record holder;
	struct str records = STR_INIT;
	size_t at;
	int err = holder_iter_read(&records);

	if (err && err != -E2BIG)
		bpf_cost_guess_ours(slice);
	for (at = 0; at + sizeof(holder) <= records.len; at += sizeof(holder)) {
		memcpy(&holder, records.text + at, sizeof(holder));
		bpf_cost_take_holder(slice, &holder);
	}
	str_free(&records);
}

/* As a word of a line, or as its end: "-" for none. */
static void bpf_cost_add_name(struct str *out, const char *name)
{
	const char *at;

	if (!*name)
		str_addc(out, '-');
	for (at = name; *at; at++)
		str_addc(out, iscntrl((unsigned char)*at) ? '?' : *at);
}

static void bpf_cost_write(const struct slice *slice, struct str *out)
{
	size_t i;

	str_addf(out, "slice %" PRIu64 "\n", slice->ns);
	for (i = 0; i < slice->n; i++) {
		const struct counted_program *program = &slice->programs[i];

		if (!program->runs)
			continue;
		str_addf(out, "program %u %s %s %" PRIu64 " %" PRIu64 " %u ", program->info.id,
			bpf_type_watches(program->info.type) ? "watch" : "serve",
			program->ours ? "ours" : "others", program->runs, program->ns,
			program->pid);
		bpf_cost_add_name(out, program->info.name);
		str_addc(out, ' ');
		bpf_cost_add_name(out, program->owner);
		str_addc(out, '\n');
	}
}

/* Whether somebody has switched the count on for good, which it may be before Linux 5.8 too. */
static bool bpf_cost_counts_always(void)
{
	struct str text = STR_INIT;
	int fd = open("/proc/sys/kernel/bpf_stats_enabled", O_RDONLY | O_CLOEXEC);
	bool on = fd >= 0 && !read_all(fd, 16, &text) && *str_text(&text) == '1';

	if (fd >= 0)
		close(fd);
	str_free(&text);
	return on;
}

/* In the child. An empty answer: this kernel does not count. */
static int bpf_cost_run(void *arg, int fd)
{
	struct slice slice = *(const struct slice *)arg;
	struct str answer = STR_INIT;
	int status = 0, statistics;

	caps_raise(CAPS_COST);
	statistics = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (statistics >= 0 || bpf_cost_counts_always()) {
		bpf_cost_list(&slice);
		slice.ns = bpf_cost_count(&slice);
		caps_lower(CAPS_COST);
		if (statistics >= 0)
			close(statistics);
		if (bpf_cost_found_any(&slice))
			bpf_cost_find_holders(&slice);
		bpf_cost_write(&slice, &answer);
		status = write_all(fd, str_text(&answer), answer.len) != 0;
	}
	free(slice.programs);
	str_free(&answer);
	return status;
}

struct bpf_cost *bpf_cost_begin(void)
{
	struct bpf_cost *cost = mem_zalloc(sizeof(*cost));
	struct slice slice = {.reader = getpid(), .started_ns = bpf_cost_started_ns()};
	int any;

	if (!caps_have(CAPS_COST)) {
		cost->error = -EPERM;
		return cost;
	}
	caps_raise(CAPS_COST);
	any = bpf_cost_any_before(slice.started_ns);
	caps_lower(CAPS_COST);
	if (any < 0) {
		cost->error = any;
	} else if (!any) {
		str_add(&cost->answer, "slice 0\n");
	} else {
		cost->error = child_start(&cost->child, bpf_cost_run, &slice);
		cost->started = !cost->error;
	}
	return cost;
}

int bpf_cost_take(struct bpf_cost *cost, struct str *out)
{
	int err = cost->error, status = 0;

	if (cost->started) {
		cost->started = false;
		err = child_collect(
			&cost->child, SLICE_MS + ANSWER_MS, NULL, NULL, &cost->answer, &status);
		if (!err && !cost->answer.len)
			err = -EOPNOTSUPP;
	}
	if (!err)
		str_add(out, str_text(&cost->answer));
	cost->error = err ? err : -ENODATA;
	return err;
}

void bpf_cost_free(struct bpf_cost *cost)
{
	if (!cost)
		return;
	if (cost->started)
		child_abandon(&cost->child);
	str_free(&cost->answer);
	free(cost);
}

bool bpf_cost_slice(struct bytes *text, uint64_t *ns)
{
	struct bytes line;
	const char *at, *end;

	if (!text_line(text, &line) || !text_starts(line, "slice "))
		return false;
	at = line.data + strlen("slice ");
	end = line.data + line.len;
	return !num_next(&at, end, ns);
}

/* "ID KIND WHOSE RUNS NS PID NAME COMM": the last may have blanks inside. */
static bool bpf_cost_take_program(struct bytes line, struct bpf_program_cost *out)
{
	struct bytes kind, whose, name;
	const char *at = line.data, *end = line.data + line.len;

	if (num_next(&at, end, &out->id))
		return false;
	line = (struct bytes){at, (size_t)(end - at)};
	if (!text_word(&line, &kind) || !text_word(&line, &whose))
		return false;
	out->watches = text_is(kind, "watch");
	out->ours = text_is(whose, "ours");
	at = line.data;
	if (num_next(&at, end, &out->runs) || num_next(&at, end, &out->ns) ||
		num_next(&at, end, &out->pid))
		return false;
	line = (struct bytes){at, (size_t)(end - at)};
	if (!text_word(&line, &name) || !text_copy(name, out->name, sizeof(out->name)))
		return false;
	while (line.len && *line.data == ' ') {
		line.data++;
		line.len--;
	}
	return text_copy(line, out->owner, sizeof(out->owner));
}

bool bpf_cost_next(struct bytes *text, struct bpf_program_cost *out)
{
	struct bytes line;

	while (text_line(text, &line)) {
		if (!text_starts(line, "program "))
			continue;
		line.data += strlen("program ");
		line.len -= strlen("program ");
		if (bpf_cost_take_program(line, out))
			return true;
	}
	return false;
}
