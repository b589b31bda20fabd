/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How does a tracer count? The maps, parameters and helpers that every tracer includes.
 *
 * A trace without instances counts in an array with a row for each CPU: its look-up is compiled
 * into the program, and a row that one CPU owns needs no atomic addition. Rows of instances are
 * made when an instance is first seen. Whom to blame is a hash of bounded size.
 */
#ifndef TUESDAY_BPF_TRACE_BPF_H
#define TUESDAY_BPF_TRACE_BPF_H

#include "kernel.h"
#include "map.h"
#include "trace.h"

#define BPF_ANY_ELEMENT 0
#define BPF_NEW_ELEMENT 1

char LICENSE[] SEC("license") = "GPL";

const volatile struct trace_params params = {};
struct trace_lost lost = {};
struct trace_budget budget = {};
volatile __u32 phase = TRACE_WAITS;

/* Says what the tracer is: kind of instances, and how it looks. What follows are more members of
 * struct tracer_info: .since = SINCE_LINUX(5, 17). */
#define TRACER(kind, text, ...) TRACER_FIELDS(kind, text, "", ##__VA_ARGS__)
#define TRACER_FIELDS(kind, text, names, ...) TRACER_INFO(kind, text, names, 0, ##__VA_ARGS__)
/* The same of one that may be always on: it asks within_budget(). */
#define SENTINEL(kind, text, ...) SENTINEL_FIELDS(kind, text, "", ##__VA_ARGS__)
#define SENTINEL_FIELDS(kind, text, names, ...) TRACER_INFO(kind, text, names, 1, ##__VA_ARGS__)
#define TRACER_INFO(kind, text, names, budgets, ...) \
	const volatile struct tracer_info info = {.instances = (kind), \
		.method = text, \
		.fields = names, \
		.keeps_budget = (budgets), \
		##__VA_ARGS__}

/* max_entries of hists, rows and destinations are set before loading. */
TUESDAY_MAP(hists, ARRAY, 1, __u32, struct hist);

TUESDAY_MAP(rows, HASH, 1, struct row, struct hist);

/* What the number of an INSTANCE_DESTINATION stands for. */
TUESDAY_MAP(destinations, HASH, 1, __u64, struct trace_destination);

/* What a new row starts with: a stack has no room for it. */
TUESDAY_MAP(empty, ARRAY, 1, __u32, struct hist);

TUESDAY_MAP(top, HASH, TRACE_CULPRITS, struct who, struct who_sum);

#define SECOND_NS 1000000000
#define ROOT_CGROUP 1

/*
 * Counts an event. Returns false from the event on that was too many, and then for ever: the
 * program has nothing more to do, and the child that attached it takes it away. The clock is read
 * once for as many events as a second may have. Another CPU may have begun to count anew between
 * two of our reads: that so many events came in a moment is no finding, since they cannot.
 */
static __always_inline bool within_budget(void)
{
	__u64 since, elapsed;

	if (!params.budget)
		return true;
	if (budget.over_ns)
		return false;
	since = budget.since_ns;
	if (!since)
		budget.since_ns = since = bpf_ktime_get_ns();
	__sync_fetch_and_add(&budget.events, 1);
	if (budget.events <= params.budget)
		return true;
	elapsed = bpf_ktime_get_ns() - since;
	if (elapsed > 1000 && elapsed < SECOND_NS) {
		budget.over_ns = since + elapsed;
		return false;
	}
	budget.events = 0;
	budget.since_ns = since + elapsed;
	return true;
}

/* 1 if v is greater than limit, for values below 2^63: without a branch, which would double what
 * the verifier has to follow. */
static __always_inline __u32 above(__u64 v, __u64 limit)
{
	return (__u32)((limit - v) >> 63);
}

static __always_inline __u32 log2_floor(__u64 v)
{
	__u32 log = above(v, 0xffffffff) << 5, more;

	v >>= log;
	more = above(v, 0xffff) << 4;
	v >>= more;
	log += more;
	more = above(v, 0xff) << 3;
	v >>= more;
	log += more;
	more = above(v, 0xf) << 2;
	v >>= more;
	log += more;
	more = above(v, 3) << 1;
	v >>= more;
	return log + more + above(v, 1);
}

static __always_inline __u32 hist_slot(__u64 v)
{
	__u32 octave;

	if (v < 1 << HIST_SUB_BITS)
		return (__u32)v;
	if (v >> HIST_OCTAVES)
		return HIST_SLOTS - 1;
	octave = log2_floor(v) - HIST_SUB_BITS;
	return ((octave + 1) << HIST_SUB_BITS) + ((v >> octave) & ((1 << HIST_SUB_BITS) - 1));
}

/* What every program asks first, so that it costs next to nothing before its time and after. */
static __always_inline bool is_counting(void)
{
	return phase == TRACE_COUNTS;
}

/* When iterators look for what has not ended: no event is counted beside them. */
static __always_inline bool is_ending(void)
{
	return phase == TRACE_ENDS;
}

/* The same where a tracer must know what was there before: then hist_of() and charge() count
 * nothing until it is time. */
static __always_inline bool is_over(void)
{
	return phase == TRACE_IS_OVER;
}

/* Whether it is a process of ours: what it waits for, and who waits for it, is our own doing. */
static __always_inline bool is_own(__u32 tgid)
{
	return (params.own[0] && tgid == params.own[0]) || (params.own[1] && tgid == params.own[1]);
}

static __always_inline __u32 current_tgid(void)
{
	return (__u32)(bpf_get_current_pid_tgid() >> 32);
}

static __always_inline void add(__u64 *counter, __u64 n)
{
	if (params.shared)
		__sync_fetch_and_add(counter, n);
	else
		*counter += n;
}

/* A greatest value may be lost where CPUs share a row and both set it in the same instant. */
static __always_inline void hist_add_many(struct hist *hist, __u64 v, __u64 times)
{
	__u32 slot = hist_slot(v);

	add(&hist->count, times);
	add(&hist->total, v * times);
	if (v > hist->max)
		hist->max = v;
	/* Always so, but the verifier cannot know. */
	if (slot < HIST_SLOTS)
		add(&hist->slots[slot], times);
}

static __always_inline void hist_add(struct hist *hist, __u64 v)
{
	hist_add_many(hist, v, 1);
}

static __always_inline __u32 row_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return params.shared && params.row_cpus ? cpu % params.row_cpus : cpu;
}

/* This CPU's row of a trace without instances. */
static __always_inline struct hist *hist_here(void)
{
	__u32 cpu = row_cpu();

	return bpf_map_lookup_elem(&hists, &cpu);
}

/* As hist_of(), at any time: for what was there before and is counted as such. */
static __always_inline struct hist *hist_at_any_time(const __u64 id[2])
{
	struct row key = {};
	struct hist *hist;
	__u32 zero = 0;

	__builtin_memcpy(key.id, id, sizeof(key.id));
	key.cpu = row_cpu();
	hist = bpf_map_lookup_elem(&rows, &key);
	if (hist)
		return hist;
	hist = bpf_map_lookup_elem(&empty, &zero);
	if (!hist)
		return hist;
	bpf_map_update_elem(&rows, &key, hist, BPF_NEW_ELEMENT);
	hist = bpf_map_lookup_elem(&rows, &key);
	if (!hist && params.others)
		return hist_here();
	if (!hist)
		__sync_fetch_and_add(&lost.instances, 1);
	return hist;
}

/* This CPU's row of an instance; where none is left the one of all others, or NULL, and it is
 * counted as lost. NULL too where it is not time to count. */
static __always_inline struct hist *hist_of(const __u64 id[2])
{
	return is_counting() ? hist_at_any_time(id) : NULL;
}

/* As charge(), at any time. */
static __always_inline void charge_at_any_time(const struct who *who, __u32 pid, __u64 value)
{
	struct who_sum fresh = {}, *sum;

	sum = bpf_map_lookup_elem(&top, who);
	if (!sum) {
		bpf_map_update_elem(&top, who, &fresh, BPF_NEW_ELEMENT);
		sum = bpf_map_lookup_elem(&top, who);
	}
	if (!sum) {
		__sync_fetch_and_add(&lost.culprits, 1);
		return;
	}
	/* The compiler makes an atomic "or" of an addition of nothing: that came with Linux 5.12.
	 */
	asm volatile("" : "+r"(value));
	__sync_fetch_and_add(&sum->count, 1);
	__sync_fetch_and_add(&sum->total, value);
	if (value > sum->max)
		sum->max = value;
	sum->pid = pid;
}

/* Charges somebody, once it is time to count. name must be cleared behind its end: it is a key. */
static __always_inline void charge(const struct who *who, __u32 pid, __u64 value)
{
	if (is_counting() || is_ending())
		charge_at_any_time(who, pid, value);
}

/* We were there, since we trace; nobody wants to hear it. A task's comm may have garbage behind its
 * 0, which the copy of a string leaves behind. */
static __always_inline void charge_task(
	__u32 kind, const struct task_struct *task, __u32 instance, __u64 value)
{
	struct who who = {.kind = kind, .instance = instance};

	if (is_own(task->tgid))
		return;
	bpf_probe_read_kernel_str(who.name, sizeof(who.name), task->comm);
	charge(&who, task->tgid, value);
}

/* The same for the present task, which a program has no pointer to before Linux 5.11. */
static __always_inline void charge_current(__u32 kind, __u32 instance, __u64 value)
{
	struct who who = {.kind = kind, .instance = instance};
	__u32 tgid = (__u32)(bpf_get_current_pid_tgid() >> 32);

	if (is_own(tgid))
		return;
	bpf_get_current_comm(who.name, sizeof(who.name));
	charge(&who, tgid, value);
}

/* The group, by its number in the hierarchy of version 2, beside who is in it. Not the root, which
 * is everybody's: there nobody is named. */
static __always_inline void charge_group(__u64 cgroup, __u32 instance, __u64 value)
{
	struct who who = {.kind = WHO_CGROUP, .instance = instance};

	if (cgroup <= ROOT_CGROUP)
		return;
	__builtin_memcpy(who.name, &cgroup, sizeof(cgroup));
	charge(&who, 0, value);
}

#endif
