/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does it cost this machine to be watched, and by whom?
 *
 * Observers are programs of a name that a check file asks for (falco.cpu_ns), and whoever holds BPF
 * programs that watch others. Instances are their names, so that what belongs together is together:
 *
 * NAME.cpu_ns     CPU time that processes of this name have used since the first sample, and 0
 *                 where none runs; of exactly the names that somebody asks for
 * *.agent_ns      the same of those that run, and *.agent_bytes, the memory that is theirs
 * *.bpf_cpus      CPUs that its BPF programs kept busy, by a slice of the run: 0.01 is 1 % of one
 * *.program_cpus  the same of each BPF program, as "program ID"
 * *.serving_cpus  of each that does a part of somebody's work (network, cgroups, schedulers)
 *
 * The instance "all" has the sums, all_agent_ns, all_agent_bytes and all_bpf_cpus, and a label that
 * says whose the most is; "none" has agent_ns and program_cpus, which are 0. own_bpf_cpus is of our
 * own programs, which are in none of these.
 *
 * The BPF numbers are there from the second sample on. The blob is as in bpf_cost.h, and empty
 * where the rights were missing.
 */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>

#include "base/culprit.h"
#include "base/number_map.h"
#include "base/str.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "capture/environment.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/task/bpf_cost.h"
#include "sources/task/task.h"

#define BLOB "bpfcost"
#define SUFFIX ".cpu_ns"
#define COMM_SIZE 16
#define WANTED_MAX 256
#define AGENTS_MAX 256 /* processes of names that are asked for */
#define OWNERS_MAX 64
#define SHOWN_MAX 3 /* of those that cost the most */

/* A thread of an agent, as it was in the sample before. */
struct thread_time {
	uint32_t tid;
	uint64_t start, cpu_ns;
};

/* A name that is asked for, or that holds BPF programs. */
struct owner {
	char name[32];
	uint64_t pid; /* of one of them, 0 for nobody's */
	bool is_agent;
	double cpu_ns, bytes, bpf_cpus;
};

struct observer {
	void *threads; /* of task_open */
	struct bpf_cost *cost;
	struct str answer; /* what BPF programs cost, once that is known */
	int error;	   /* why it is not */

	char wanted[WANTED_MAX][COMM_SIZE];
	size_t n_wanted;
	struct owner owners[OWNERS_MAX + WANTED_MAX];
	size_t n_owners;
	struct number_map agents_by_pid; /* their numbers in agents */

	/* Of this sample. */
	struct {
		uint32_t pid;
		size_t owner;
	} agents[AGENTS_MAX];
	size_t n_agents;
	struct thread_time *now, *before;
	size_t n_now, n_before, room_now, room_before;
	bool began; /* there was a sample before */
	bool cut;   /* there are more agents than are looked at */
	uint64_t first_ns, before_ns, now_ns;
};

static int open_observer(struct capture *fs, void **state)
{
	struct observer *observer = mem_zalloc(sizeof(*observer));

	*state = observer;
	return task_open(fs, &observer->threads);
}

static void close_observer(void *state)
{
	struct observer *observer = state;

	bpf_cost_free(observer->cost);
	str_free(&observer->answer);
	free(observer->now);
	free(observer->before);
	number_map_free(&observer->agents_by_pid);
	free(observer);
}

/* The kernel cuts names to 15 bytes, and so may who asks for one. */
static void observer_take_wanted(void *arg, const char *field)
{
	struct observer *observer = arg;
	size_t len = strlen(field), suffix = strlen(SUFFIX);

	if (len <= suffix || strcmp(field + len - suffix, SUFFIX) != 0 ||
		observer->n_wanted == WANTED_MAX)
		return;
	len -= suffix;
	snprintf(observer->wanted[observer->n_wanted++], COMM_SIZE, "%.*s", (int)len, field);
}

static size_t observer_owner(struct observer *observer, const char *name, uint64_t pid)
{
	struct owner *owner;
	size_t i;

	for (i = 0; i < observer->n_owners; i++)
		if (!strcmp(observer->owners[i].name, name))
			return i;
	/* What has no room is nobody's, and not another one's. */
	if (i == ARRAY_SIZE(observer->owners)) {
		observer->cut = true;
		return i;
	}
	owner = &observer->owners[observer->n_owners++];
	*owner = (struct owner){.pid = pid};
	snprintf(owner->name, sizeof(owner->name), "%s", name);
	return i;
}

static bool observer_is_wanted(const struct observer *observer, const char *name)
{
	size_t i;

	for (i = 0; i < observer->n_wanted; i++)
		if (!strcmp(observer->wanted[i], name))
			return true;
	return false;
}

/* The processes that are agents: the name is that of the first thread. */
static void observer_take_process(void *arg, const struct task_record *task)
{
	struct observer *observer = arg;
	const char *name = (const char *)task->comm;
	size_t owner;

	if (task->tid != task->tgid || !(task->has & TASK_HAS_PROCESS) || task->zombie ||
		!observer_is_wanted(observer, name))
		return;
	if (observer->n_agents == AGENTS_MAX) {
		observer->cut = true;
		return;
	}
	owner = observer_owner(observer, name, task->tgid);
	if (owner == ARRAY_SIZE(observer->owners))
		return;
	observer->owners[owner].is_agent = true;
	observer->owners[owner].pid = task->tgid;
	number_map_add(&observer->agents_by_pid, task->tgid, observer->n_agents);
	observer->agents[observer->n_agents].pid = task->tgid;
	observer->agents[observer->n_agents++].owner = owner;
}

static int observer_compare_threads(const void *a, const void *b)
{
	const struct thread_time *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* One that was not there before and has used more than a thread can since then is not new: its
 * process had another name, or could not be seen. */
static double observer_used(const struct observer *observer, const struct thread_time *thread)
{
	const struct thread_time *before = observer->n_before
		? bsearch(thread, observer->before, observer->n_before, sizeof(*thread),
			  observer_compare_threads)
		: NULL;
	uint64_t most = observer->now_ns - observer->before_ns;

	if (before)
		return thread->cpu_ns > before->cpu_ns ? (double)(thread->cpu_ns - before->cpu_ns)
						       : 0;
	return observer->began && thread->cpu_ns <= most ? (double)thread->cpu_ns : 0;
}

static void observer_take_thread(void *arg, const struct task_record *task)
{
	struct observer *observer = arg;
	struct thread_time thread = {task->tid, task->start, task->cpu_ns};
	size_t i;

	if (!number_map_get(&observer->agents_by_pid, task->tgid, &i))
		return;
	ARRAY_GROW(observer->now, observer->n_now, observer->room_now);
	observer->now[observer->n_now++] = thread;
	observer->owners[observer->agents[i].owner].cpu_ns += observer_used(observer, &thread);
}

/* What a process has in memory of its own and shares: the second number of its statm. */
static void observer_add_memory(struct observer *observer, struct capture *fs)
{
	double page = machine_page_bytes(fs), pages;
	struct bytes text;
	char path[64];
	size_t i;

	for (i = 0; i < observer->n_owners; i++)
		observer->owners[i].bytes = 0;
	for (i = 0; i < observer->n_agents; i++) {
		snprintf(path, sizeof(path), "/proc/%u/statm", observer->agents[i].pid);
		if (!capture_read_once(fs, path, &text) && text_next_number(&text, &pages) &&
			text_next_number(&text, &pages))
			observer->owners[observer->agents[i].owner].bytes += pages * page;
	}
}

static int observer_take_agents(struct observer *observer, struct capture *fs, struct sink *sink)
{
	struct thread_time *swap = observer->before;
	size_t room = observer->room_before;
	int err;

	observer->before = observer->now;
	observer->n_before = observer->n_now;
	observer->room_before = observer->room_now;
	observer->now = swap;
	observer->room_now = room;
	observer->n_now = observer->n_agents = 0;
	number_map_clear(&observer->agents_by_pid);
	if (observer->n_before)
		qsort(observer->before, observer->n_before, sizeof(*observer->before),
			observer_compare_threads);
	err = task_each(fs, observer->threads, sink, observer_take_process, observer);
	if (!err && observer->n_agents)
		err = task_each(fs, observer->threads, NULL, observer_take_thread, observer);
	observer_add_memory(observer, fs);
	return err;
}

/* The answer is in every sample from the one on in which it came, as in a replay. */
static void observer_take_cost(struct observer *observer, struct capture *fs)
{
	struct bytes text;
	int err = 0;

	if (!capture_is_live(fs)) {
		str_clear(&observer->answer);
		err = capture_get_blob(fs, BLOB, &text);
		if (!err)
			str_addn(&observer->answer, text.data, text.len);
		/* The first sample of a recording has none, and an old one has none at all. */
		observer->error = err && observer->began ? err : 0;
		if (!err && !text.len)
			observer->error = -EPERM;
		return;
	}
	if (!observer->cost) {
		observer->cost = bpf_cost_begin();
		return;
	}
	err = bpf_cost_take(observer->cost, &observer->answer);
	if (err != -ENODATA)
		observer->error = err;
	if (observer->answer.len || observer->error == -EPERM)
		capture_put_blob(fs, BLOB, str_text(&observer->answer), observer->answer.len);
}

static void observer_put_program(
	struct sink *sink, const struct bpf_program_cost *program, double cpus)
{
	char instance[32], label[128];

	snprintf(instance, sizeof(instance), "program %" PRIu64, program->id);
	if (program->pid)
		snprintf(label, sizeof(label), "%s of %s (pid %" PRIu64 ")", program->name,
			program->owner, program->pid);
	else
		snprintf(label, sizeof(label), "%s, which no process holds", program->name);
	sink_put(sink, instance, program->watches ? "program_cpus" : "serving_cpus", cpus);
	sink_label(sink, instance, label);
}

/* What no process holds goes by the program's own name. */
static void observer_add_program(
	struct observer *observer, const struct bpf_program_cost *program, double cpus)
{
	size_t owner;

	if (!program->watches)
		return;
	owner = observer_owner(
		observer, program->pid ? program->owner : program->name, program->pid);
	if (owner == ARRAY_SIZE(observer->owners))
		return;
	observer->owners[owner].bpf_cpus += cpus;
	if (program->pid)
		observer->owners[owner].pid = program->pid;
}

static void observer_put_costs(struct observer *observer, struct sink *sink)
{
	struct bytes text = {str_text(&observer->answer), observer->answer.len};
	struct bpf_program_cost program;
	double all = 0, own = 0, cpus;
	uint64_t slice;
	size_t i;

	for (i = 0; i < observer->n_owners; i++)
		observer->owners[i].bpf_cpus = 0;
	if (!bpf_cost_slice(&text, &slice))
		return;
	while (slice && bpf_cost_next(&text, &program)) {
		cpus = (double)program.ns / (double)slice;
		if (program.ours) {
			own += cpus;
			continue;
		}
		if (program.watches)
			all += cpus;
		observer_put_program(sink, &program, cpus);
		observer_add_program(observer, &program, cpus);
	}
	sink_put(sink, "all", "all_bpf_cpus", all);
	sink_put(sink, "none", "program_cpus", 0);
	if (slice)
		sink_put(sink, "", "own_bpf_cpus", own);
}

static double observer_cpus_of(const struct observer *observer, const struct owner *owner)
{
	double ns = (double)(observer->now_ns - observer->first_ns);

	return owner->bpf_cpus + (ns > 0 ? owner->cpu_ns / ns : 0);
}

/* The next of those that cost something, the most first. below: what the one before costs. */
static const struct owner *observer_next_costly(
	const struct observer *observer, const struct owner *before)
{
	double below = before ? observer_cpus_of(observer, before) : 1e9;
	const struct owner *best = NULL;
	size_t i;

	for (i = 0; i < observer->n_owners; i++) {
		const struct owner *owner = &observer->owners[i];
		double cpus = observer_cpus_of(observer, owner);

		if (cpus > 0 && cpus < below && (!best || cpus > observer_cpus_of(observer, best)))
			best = owner;
	}
	return best;
}

/* "falco 4.1 %, auditd 0.2 %", of all CPUs. */
static void observer_label_all(
	const struct observer *observer, struct capture *fs, struct sink *sink)
{
	double cpus = machine_cpus(fs) ? machine_cpus(fs) : 1;
	const struct owner *owner = NULL;
	struct str label = STR_INIT;
	int i;

	for (i = 0; i < SHOWN_MAX; i++) {
		owner = observer_next_costly(observer, owner);
		if (!owner)
			break;
		str_addf(&label, "%s%s %.1f %%", i ? ", " : "", owner->name,
			100 * observer_cpus_of(observer, owner) / cpus);
	}
	sink_label(sink, "all", label.len ? str_text(&label) : "nobody in particular");
	str_free(&label);
}

static void observer_put_agents(struct observer *observer, struct sink *sink)
{
	double ns = 0, bytes = 0;
	char label[80];
	size_t i;

	for (i = 0; i < observer->n_wanted; i++)
		sink_put(sink, observer->wanted[i], "cpu_ns", 0);
	for (i = 0; i < observer->n_owners; i++) {
		const struct owner *owner = &observer->owners[i];

		if (owner->bpf_cpus > 0)
			sink_put(sink, owner->name, "bpf_cpus", owner->bpf_cpus);
		if (owner->is_agent) {
			sink_put(sink, owner->name, "cpu_ns", owner->cpu_ns);
			sink_put(sink, owner->name, "agent_ns", owner->cpu_ns);
			sink_put(sink, owner->name, "agent_bytes", owner->bytes);
			ns += owner->cpu_ns;
			bytes += owner->bytes;
		}
		if (!owner->pid)
			continue;
		snprintf(label, sizeof(label), "%s (pid %" PRIu64 ")", owner->name, owner->pid);
		sink_label(sink, owner->name, label);
	}
	sink_put(sink, "none", "agent_ns", 0);
	sink_put(sink, "all", "all_agent_ns", ns);
	sink_put(sink, "all", "all_agent_bytes", bytes);
}

static void observer_say_missing(
	const struct capture *fs, const struct observer *observer, struct sink *sink)
{
	if (observer->error == -EPERM)
		sink_missing(sink, "what BPF programs cost needs CAP_SYS_ADMIN and CAP_BPF");
	else if (observer->error == -EOPNOTSUPP)
		sink_missing(sink, "what BPF programs cost needs Linux 5.8");
	else if (observer->error)
		sink_missing(sink, "what BPF programs cost: %s",
			capture_why_untold(fs, observer->error));
	if (observer->cut)
		sink_missing(sink,
			"more processes of known names run than are looked at, %d, or more hold "
			"BPF "
			"programs than are told apart, %d",
			AGENTS_MAX, OWNERS_MAX);
}

static int read_observer(struct capture *fs, void *state, struct sink *sink)
{
	struct observer *observer = state;
	int err;

	if (!observer->began)
		sink_each_wanted(sink, observer_take_wanted, observer);
	observer->now_ns = capture_time_ns(fs);
	if (!observer->began)
		observer->first_ns = observer->now_ns;
	observer_take_cost(observer, fs);
	err = observer_take_agents(observer, fs, sink);
	if (err)
		sink_missing(sink, "threads: %s", strerror(-err));
	observer_put_costs(observer, sink);
	observer_say_missing(fs, observer, sink);
	observer_put_agents(observer, sink);
	observer_label_all(observer, fs, sink);
	observer->before_ns = observer->now_ns;
	observer->began = true;
	return err;
}

static bool observer_program_owner(
	const struct observer *observer, const char *instance, struct culprit *out)
{
	struct bytes text = {str_text(&observer->answer), observer->answer.len};
	struct bpf_program_cost program;
	char name[32];
	uint64_t slice;

	if (!bpf_cost_slice(&text, &slice))
		return false;
	while (bpf_cost_next(&text, &program)) {
		snprintf(name, sizeof(name), "program %" PRIu64, program.id);
		if (strcmp(name, instance) != 0 || !program.pid)
			continue;
		snprintf(out->name, sizeof(out->name), "%s", program.owner);
		snprintf(out->id, sizeof(out->id), "%" PRIu64, program.pid);
		return true;
	}
	return false;
}

/* Of all: who costs the most. */
static bool observer_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const struct observer *observer = state;
	const struct owner *owner = NULL;
	size_t i;

	(void)fs;
	snprintf(out->kind, sizeof(out->kind), "process");
	if (observer_program_owner(observer, instance, out))
		return true;
	if (!strcmp(instance, "all"))
		owner = observer_next_costly(observer, NULL);
	for (i = 0; !owner && i < observer->n_owners; i++)
		if (!strcmp(observer->owners[i].name, instance))
			owner = &observer->owners[i];
	if (!owner || !owner->pid)
		return false;
	snprintf(out->name, sizeof(out->name), "%s", owner->name);
	snprintf(out->id, sizeof(out->id), "%" PRIu64, owner->pid);
	return true;
}

SOURCE(observer) = {
	.name = "observer",
	.what = "what watching costs: BPF programs by owner, and agents by name",
	.open = open_observer,
	.read = read_observer,
	.close = close_observer,
	.culprit = observer_culprit,
	.fleeting = true,
};
