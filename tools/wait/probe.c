/* SPDX-License-Identifier: GPL-2.0-only */
/* How is the probe on the waits of threads loaded, and what did it sum? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "sys/caps.h"
#include "sys/pid_namespace.h"
#include "tools/wait/calls.h"
#include "tools/wait/probe.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/probe/waits.skel.h"
#pragma GCC diagnostic pop

#define LINKS_MAX 8

struct wait_probe {
	struct waits_full *skeleton;
	struct bpf_link *links[LINKS_MAX];
	size_t n_links;
	struct ring_buffer *ring;
	const struct wait_wanted *wanted;
	bool sees_locks;
	struct bpf_link *calls;		   /* NULL: system calls are not seen now */
	uint64_t calls_since, calls_until; /* 0: not yet */
};

static int wait_probe_slow(void *arg, void *data, size_t size)
{
	struct wait_probe *probe = arg;

	if (size >= sizeof(struct waits_slow) && probe->wanted->slow)
		probe->wanted->slow(probe->wanted->arg, data);
	return 0;
}

/* Returns whether it could be attached. */
static bool wait_probe_attach(struct wait_probe *probe, struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach(program);

	if (!link)
		return false;
	probe->links[probe->n_links++] = link;
	return true;
}

static int wait_probe_load(struct wait_probe *probe)
{
	struct waits_full *skeleton = waits_full__open();
	int err;

	if (!skeleton)
		return errno ? -errno : -EINVAL;
	probe->skeleton = skeleton;
	skeleton->rodata->params.all = probe->wanted->all;
	skeleton->rodata->params.children = probe->wanted->children;
	skeleton->rodata->params.slow_ns = probe->wanted->slow_ns;
	skeleton->rodata->params.own = (uint32_t)getpid();
#ifdef __x86_64__
	skeleton->rodata->regs_at = WAITS_REGS_AT;
#endif
	err = waits_full__load(skeleton);
	if (!err)
		err = wait_calls_fill(bpf_map__fd(skeleton->maps.calls));
	if (err)
		return err;
	if (!wait_probe_attach(probe, skeleton->progs.waking) ||
		!wait_probe_attach(probe, skeleton->progs.switched) ||
		!wait_probe_attach(probe, skeleton->progs.forked) ||
		!wait_probe_attach(probe, skeleton->progs.exited))
		return errno ? -errno : -EINVAL;
	/* These came with Linux 5.19, and cost all system calls something. */
	probe->sees_locks = wait_probe_attach(probe, skeleton->progs.contended) &&
		wait_probe_attach(probe, skeleton->progs.uncontended);
	probe->ring =
		ring_buffer__new(bpf_map__fd(skeleton->maps.slow), wait_probe_slow, probe, NULL);
	return probe->ring ? 0 : -errno;
}

int wait_probe_open(struct wait_probe **out, const struct wait_wanted *wanted, struct str *why)
{
	struct wait_probe *probe;
	libbpf_print_fn_t print;
	int err;

	if (!pid_namespace_is_first()) {
		str_add(why,
			"this is a PID namespace of its own, where the kernel's numbers of "
			"processes are other ones: run it on the host");
		return -EXDEV;
	}
	probe = mem_zalloc(sizeof(*probe));
	probe->wanted = wanted;
	print = libbpf_set_print(NULL);
	caps_raise(CAPS_BPF);
	err = wait_probe_load(probe);
	caps_lower(CAPS_BPF);
	libbpf_set_print(print);
	if (!err) {
		*out = probe;
		return 0;
	}
	if (err == -EPERM || err == -EACCES)
		str_add(why, "it needs CAP_BPF and CAP_PERFMON: run it as root");
	else
		str_addf(why,
			"the kernel does not take the probe (it needs Linux 5.8 with its "
			"types, CONFIG_DEBUG_INFO_BTF): %s",
			strerror(-err));
	wait_probe_close(probe);
	return err;
}

void wait_probe_close(struct wait_probe *probe)
{
	if (!probe)
		return;
	caps_raise(CAPS_BPF);
	while (probe->n_links)
		bpf_link__destroy(probe->links[--probe->n_links]);
	bpf_link__destroy(probe->calls);
	ring_buffer__free(probe->ring);
	waits_full__destroy(probe->skeleton);
	caps_lower(CAPS_BPF);
	free(probe);
}

int wait_probe_follow(struct wait_probe *probe, pid_t pid, const char *comm)
{
	const int processes = bpf_map__fd(probe->skeleton->maps.processes);
	struct waits_process fresh = {0};
	const uint32_t tgid = (uint32_t)pid;
	int err = 0;

	snprintf(fresh.comm, sizeof(fresh.comm), "%s", comm);
	caps_raise(CAPS_BPF);
	if (bpf_map_update_elem(processes, &tgid, &fresh, BPF_NOEXIST) && errno != EEXIST)
		err = -errno;
	caps_lower(CAPS_BPF);
	return err;
}

void wait_probe_thread(
	struct wait_probe *probe, pid_t pid, pid_t tid, const struct waits_thread *now)
{
	struct waits_thread thread = *now;
	const uint32_t key = (uint32_t)tid;

	thread.tgid = (uint32_t)pid;
	/* Who comes later is counted from then on. */
	if (probe->skeleton->bss->began_ns)
		thread.since = thread.born = monotonic_ns();
	caps_raise(CAPS_BPF);
	bpf_map_update_elem(bpf_map__fd(probe->skeleton->maps.threads), &key, &thread, BPF_NOEXIST);
	caps_lower(CAPS_BPF);
}

void wait_probe_see_calls(struct wait_probe *probe, bool wanted)
{
	if (wanted ? probe->calls_since != 0 : !probe->calls)
		return;
	caps_raise(CAPS_BPF);
	if (wanted) {
		probe->calls = bpf_program__attach(probe->skeleton->progs.call_ended);
		probe->calls_since = monotonic_ns();
	} else {
		bpf_link__destroy(probe->calls);
		probe->calls = NULL;
		probe->calls_until = monotonic_ns();
	}
	caps_lower(CAPS_BPF);
}

void wait_probe_begin(struct wait_probe *probe)
{
	probe->skeleton->bss->began_ns = monotonic_ns();
}

void wait_probe_end(struct wait_probe *probe)
{
	probe->skeleton->bss->ended_ns = monotonic_ns();
	ring_buffer__consume(probe->ring);
}

void wait_probe_take(struct wait_probe *probe)
{
	ring_buffer__consume(probe->ring);
}

uint64_t wait_probe_began(const struct wait_probe *probe)
{
	return probe->skeleton->bss->began_ns;
}

uint64_t wait_probe_ended(const struct wait_probe *probe)
{
	return probe->skeleton->bss->ended_ns;
}

const struct waits_lost *wait_probe_lost(const struct wait_probe *probe)
{
	return &probe->skeleton->bss->lost;
}

double wait_probe_calls_seconds(const struct wait_probe *probe)
{
	const uint64_t began = wait_probe_began(probe),
		       since = probe->calls_since > began ? probe->calls_since : began,
		       until = probe->calls_until ? probe->calls_until : wait_probe_ended(probe);

	if (!probe->calls && !probe->calls_until)
		return 0;
	return until > since ? (double)(until - since) / 1e9 : 0;
}

bool wait_probe_sees_locks(const struct wait_probe *probe)
{
	return probe->sees_locks;
}

/* Each entry of a map: key and value have the room that the map wants. */
static bool wait_probe_next(const struct bpf_map *map, void *key, bool first, void *value)
{
	const int fd = bpf_map__fd(map);
	bool found = false;

	/* Before Linux 6.0 reading is a right as loading is. */
	caps_raise(CAPS_BPF);
	while (!found && !bpf_map_get_next_key(fd, first ? NULL : key, key)) {
		first = false;
		found = !bpf_map_lookup_elem(fd, key, value);
	}
	caps_lower(CAPS_BPF);
	return found;
}

void wait_probe_threads(struct wait_probe *probe,
	void (*each)(void *arg, uint32_t tid, const struct waits_thread *thread), void *arg)
{
	struct waits_thread thread;
	uint32_t tid;
	bool first = true;

	while (wait_probe_next(probe->skeleton->maps.threads, &tid, first, &thread)) {
		each(arg, tid, &thread);
		first = false;
	}
}

void wait_probe_processes(struct wait_probe *probe,
	void (*each)(void *arg, uint32_t tgid, const struct waits_process *process), void *arg)
{
	struct waits_process process;
	uint32_t tgid;
	bool first = true;

	while (wait_probe_next(probe->skeleton->maps.processes, &tgid, first, &process)) {
		each(arg, tgid, &process);
		first = false;
	}
}

void wait_probe_sums(struct wait_probe *probe,
	void (*each)(void *arg, const struct waits_key *key, const struct waits_sum *sum),
	void *arg)
{
	struct waits_key key;
	struct waits_sum sum;
	bool first = true;

	while (wait_probe_next(probe->skeleton->maps.sums, &key, first, &sum)) {
		each(arg, &key, &sum);
		first = false;
	}
}

void wait_probe_behind(struct wait_probe *probe,
	void (*each)(void *arg, const struct waits_behind *key, uint64_t ns), void *arg)
{
	struct waits_behind key;
	uint64_t ns;
	bool first = true;

	while (wait_probe_next(probe->skeleton->maps.behind, &key, first, &ns)) {
		each(arg, &key, ns);
		first = false;
	}
}

void wait_probe_children(struct wait_probe *probe,
	void (*each)(
		void *arg, const struct waits_children *key, const struct waits_child_sum *sum),
	void *arg)
{
	struct waits_children key;
	struct waits_child_sum sum;
	bool first = true;

	while (wait_probe_next(probe->skeleton->maps.children, &key, first, &sum)) {
		each(arg, &key, &sum);
		first = false;
	}
}
