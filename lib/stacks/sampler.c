/* SPDX-License-Identifier: GPL-2.0-only */
/* How do stacks come out of the kernel? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "stacks/probe.h"
#include "stacks/sampler.h"
#include "sys/caps.h"
#include "sys/pid_namespace.h"

struct stacks_sampler {
	struct stacks_wanted wanted;
	struct stacks_probe probe;
	struct ring_buffer *ring;
	struct bpf_link **links;
	size_t n_links, links_room;
	uint64_t began_ns, ended_ns;
	unsigned int cpus;
};

static int sampler_record(void *arg, void *data, size_t size)
{
	struct stacks_sampler *sampler = arg;
	const struct sample_record *record = data;
	const size_t head = sizeof(*record) - sizeof(record->frames);

	if (size < head || record->user > SAMPLE_USER_MOST || record->kernel > SAMPLE_KERNEL_MOST ||
		record->n_words > SAMPLE_WORDS ||
		size < head + (record->user + record->kernel) * sizeof(record->frames[0]))
		return 0;
	sampler->wanted.take(sampler->wanted.arg, record);
	return 0;
}

/* Where the kernel cannot walk to the true depth, the older probes do what they can. */
static int sampler_load(struct stacks_sampler *sampler)
{
	int err = stacks_probe_load(&sampler->probe, true, &sampler->wanted);

	if (err && err != -EPERM && err != -EACCES)
		err = stacks_probe_load(&sampler->probe, false, &sampler->wanted);
	else if (err == -EACCES && caps_have(CAPS_BPF))
		/* The verifier says so of what it does not understand. */
		err = stacks_probe_load(&sampler->probe, false, &sampler->wanted);
	if (err)
		return err;
	sampler->ring =
		ring_buffer__new(bpf_map__fd(sampler->probe.ring), sampler_record, sampler, NULL);
	return sampler->ring ? 0 : -errno;
}

int stacks_sampler_open(
	struct stacks_sampler **out, const struct stacks_wanted *wanted, struct str *why)
{
	struct stacks_sampler *sampler;
	libbpf_print_fn_t print;
	int err;

	if (!pid_namespace_is_first()) {
		str_add(why,
			"this is a PID namespace of its own, and the kernel tells the "
			"machine's numbers");
		return -EXDEV;
	}
	sampler = mem_zalloc(sizeof(*sampler));
	sampler->wanted = *wanted;
	print = libbpf_set_print(NULL);
	caps_raise(CAPS_BPF);
	err = sampler_load(sampler);
	caps_lower(CAPS_BPF);
	libbpf_set_print(print);
	if (!err) {
		*out = sampler;
		return 0;
	}
	if (err == -EPERM || err == -EACCES)
		str_add(why, "it needs CAP_BPF and CAP_PERFMON: run it as root");
	else
		str_addf(why, "the kernel does not take the probe (it came with Linux 5.8): %s",
			strerror(-err));
	stacks_sampler_close(sampler);
	return err;
}

void stacks_sampler_close(struct stacks_sampler *sampler)
{
	if (!sampler)
		return;
	for (size_t i = 0; i < sampler->n_links; i++)
		bpf_link__destroy(sampler->links[i]);
	free(sampler->links);
	ring_buffer__free(sampler->ring);
	stacks_probe_free(&sampler->probe);
	free(sampler);
}

int stacks_sampler_target(struct stacks_sampler *sampler, pid_t pid)
{
	const __u32 key = (__u32)pid, none = 0;
	int err;

	caps_raise(CAPS_BPF);
	err = bpf_map_update_elem(bpf_map__fd(sampler->probe.targets), &key, &none, BPF_ANY);
	caps_lower(CAPS_BPF);
	return err;
}

int stacks_sampler_waits_already(
	struct stacks_sampler *sampler, pid_t pid, pid_t tid, const char *comm, uint64_t stack)
{
	struct sample_away away = {.since_ns = monotonic_ns(), .stack = stack, .pid = (__u32)pid};
	const __u32 key = (__u32)tid;
	int err;

	memcpy(away.comm, comm, strnlen(comm, sizeof(away.comm) - 1));
	caps_raise(CAPS_BPF);
	err = bpf_map_update_elem(bpf_map__fd(sampler->probe.away), &key, &away, BPF_NOEXIST);
	caps_lower(CAPS_BPF);
	return err;
}

static int sampler_add_link(struct stacks_sampler *sampler, struct bpf_link *link)
{
	if (!link)
		return -errno;
	ARRAY_GROW(sampler->links, sampler->n_links, sampler->links_room);
	sampler->links[sampler->n_links++] = link;
	return 0;
}

/* A clock on one CPU. 1 where there is no such CPU now. */
static int sampler_add_clock(struct stacks_sampler *sampler, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = (uint64_t)llround(1e9 / sampler->wanted.hertz),
	};
	struct bpf_link *link;
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == ENODEV ? 1 : -errno;
	link = bpf_program__attach_perf_event(sampler->probe.running, fd);
	if (!link) {
		const int err = -errno;

		close(fd);
		return err;
	}
	return sampler_add_link(sampler, link);
}

static int sampler_begin_clocks(struct stacks_sampler *sampler)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < cpus; cpu++) {
		const int err = sampler_add_clock(sampler, cpu);

		if (err < 0)
			return err;
		sampler->cpus += !err;
	}
	return sampler->cpus ? 0 : -ENODEV;
}

static int sampler_begin_waits(struct stacks_sampler *sampler)
{
	struct bpf_program *const programs[] = {
		sampler->probe.fork, sampler->probe.waking, sampler->probe.switching};

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const int err = sampler_add_link(sampler, bpf_program__attach(programs[i]));

		if (err)
			return err;
	}
	return 0;
}

int stacks_sampler_begin(struct stacks_sampler *sampler, struct str *why)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	int err;

	caps_raise(CAPS_BPF);
	if (sampler->wanted.hertz > 0) {
		err = sampler_begin_clocks(sampler);
		if (!err && sampler->wanted.by_target)
			err = sampler_add_link(sampler, bpf_program__attach(sampler->probe.fork));
	} else {
		err = sampler_begin_waits(sampler);
	}
	caps_lower(CAPS_BPF);
	libbpf_set_print(print);
	sampler->began_ns = monotonic_ns();
	if (err)
		str_addf(why, "the probe cannot be attached: %s", strerror(-err));
	return err;
}

void stacks_sampler_take(struct stacks_sampler *sampler)
{
	ring_buffer__consume(sampler->ring);
}

void stacks_sampler_end(struct stacks_sampler *sampler)
{
	for (size_t i = 0; i < sampler->n_links; i++)
		bpf_link__destroy(sampler->links[i]);
	sampler->n_links = 0;
	sampler->ended_ns = monotonic_ns();
	stacks_sampler_take(sampler);
}

/* A wait that has not ended is told as if it had ended now. */
static void sampler_tell_away(const struct stacks_sampler *sampler, uint32_t tid,
	const struct sample_away *away,
	void (*each)(void *arg, const struct sample_wait *wait, const struct sample_sum *sum),
	void *arg)
{
	const uint64_t end = sampler->ended_ns, woken = away->woken_ns ? away->woken_ns : end;
	const struct sample_wait wait = {.stack = away->stack,
		.waker_stack = away->waker_stack,
		.tid = tid,
		.waker_tid = away->waker_tid};
	struct sample_sum sum = {.times = 1, .pid = away->pid, .waker_pid = away->waker_pid};

	if (end <= away->since_ns)
		return;
	sum.blocked_ns = woken > away->since_ns ? woken - away->since_ns : 0;
	sum.queued_ns = end > woken ? end - woken : 0;
	sum.longest_ns = sum.blocked_ns;
	memcpy(sum.comm, away->comm, sizeof(sum.comm));
	memcpy(sum.waker, away->waker, sizeof(sum.waker));
	each(arg, &wait, &sum);
}

int stacks_sampler_waits(struct stacks_sampler *sampler,
	void (*each)(void *arg, const struct sample_wait *wait, const struct sample_sum *sum),
	void *arg)
{
	const int sums = bpf_map__fd(sampler->probe.sums), aways = bpf_map__fd(sampler->probe.away);
	struct sample_wait wait, *before = NULL;
	struct sample_away away;
	struct sample_sum sum;
	__u32 tid, *last = NULL;

	caps_raise(CAPS_BPF);
	while (!bpf_map_get_next_key(sums, before, &wait)) {
		if (!bpf_map_lookup_elem(sums, &wait, &sum))
			each(arg, &wait, &sum);
		before = &wait;
	}
	while (!bpf_map_get_next_key(aways, last, &tid)) {
		if (!bpf_map_lookup_elem(aways, &tid, &away))
			sampler_tell_away(sampler, tid, &away, each, arg);
		last = &tid;
	}
	caps_lower(CAPS_BPF);
	return 0;
}

void stacks_sampler_seen(const struct stacks_sampler *sampler, struct stacks_seen *seen)
{
	const uint64_t end = sampler->ended_ns ? sampler->ended_ns : monotonic_ns();

	*seen = (struct stacks_seen){
		.lost = *sampler->probe.lost,
		.looks = *sampler->probe.looks,
		.idle_looks = *sampler->probe.idle_looks,
		.seconds = (double)(end - sampler->began_ns) / 1e9,
		.cpus = sampler->cpus,
		.to_true_depth = sampler->probe.to_true_depth,
	};
}
