/* SPDX-License-Identifier: GPL-2.0-only */
/* How does the kernel tell of forks, programs and ends? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "sys/caps.h"
#include "sys/pid_namespace.h"
#include "bpf/probe/process.h"
#include "tools/span/processes.h"
#include "tools/span/processes_probe.h"
#include "tools/wait/calls.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/probe/process.skel.h"
#pragma GCC diagnostic pop

struct processes_probe {
	struct process_full *skeleton;
	struct ring_buffer *ring;
	struct processes *to;
};

static int processes_probe_event(void *arg, void *data, size_t size)
{
	struct processes_probe *probe = arg;

	processes_take(probe->to, data, size);
	return 0;
}

static int processes_probe_follow(
	struct processes_probe *probe, pid_t pid, const struct process_thread *first)
{
	const __u32 tid = (__u32)pid;
	const int threads = bpf_map__fd(probe->skeleton->maps.threads);

	return bpf_map_update_elem(threads, &tid, first, BPF_ANY) ? -errno : 0;
}

/* Contentions are told since Linux 5.19: before that a wait for a lock of the kernel is one of an
 * unknown kind. */
static int processes_probe_attach(struct process_full *skeleton)
{
	int err;

	bpf_program__set_autoattach(skeleton->progs.contended, false);
	bpf_program__set_autoattach(skeleton->progs.uncontended, false);
	err = process_full__attach(skeleton);
	if (err)
		return err;
	skeleton->links.contended = bpf_program__attach(skeleton->progs.contended);
	skeleton->links.uncontended = bpf_program__attach(skeleton->progs.uncontended);
	return 0;
}

static int processes_probe_load(struct processes_probe *probe, pid_t pid)
{
	/* What the command does until it is let go is not counted. */
	const struct process_thread waits = {.part = WAITS_PARTS};
	struct process_full *skeleton = process_full__open();
	int err;

	if (!skeleton)
		return errno ? -errno : -EINVAL;
	probe->skeleton = skeleton;
#ifdef __x86_64__
	skeleton->rodata->regs_at = WAITS_REGS_AT;
#endif
	err = process_full__load(skeleton);
	if (!err)
		err = wait_calls_fill(bpf_map__fd(skeleton->maps.calls));
	if (!err)
		err = processes_probe_follow(probe, pid, &waits);
	if (!err)
		err = processes_probe_attach(skeleton);
	if (err)
		return err;
	probe->ring = ring_buffer__new(
		bpf_map__fd(skeleton->maps.events), processes_probe_event, probe, NULL);
	return probe->ring ? 0 : -errno;
}

int processes_probe_open(
	struct processes_probe **out, pid_t pid, struct processes *to, struct str *why)
{
	struct processes_probe *probe;
	libbpf_print_fn_t print;
	int err;

	if (!pid_namespace_is_first()) {
		str_add(why, "for this is a PID namespace of its own");
		return -EXDEV;
	}
	probe = mem_zalloc(sizeof(*probe));
	print = libbpf_set_print(NULL);
	probe->to = to;
	caps_raise(CAPS_BPF);
	err = processes_probe_load(probe, pid);
	caps_lower(CAPS_BPF);
	libbpf_set_print(print);
	if (!err) {
		*out = probe;
		return 0;
	}
	if (err == -EPERM || err == -EACCES)
		str_add(why, "it needs CAP_BPF and CAP_PERFMON: run it as root");
	else
		str_addf(why, "the kernel does not take the probe (it came with Linux 5.8): %s",
			strerror(-err));
	processes_probe_close(probe);
	return err;
}

void processes_probe_begin(struct processes_probe *probe, pid_t pid, uint64_t now_ns)
{
	const struct process_thread first = {
		.since = now_ns, .part = WAITS_QUEUE, .slept = WAITS_PARTS};

	caps_raise(CAPS_BPF);
	processes_probe_follow(probe, pid, &first);
	caps_lower(CAPS_BPF);
}

void processes_probe_take(struct processes_probe *probe)
{
	ring_buffer__consume(probe->ring);
}

uint64_t processes_probe_lost(const struct processes_probe *probe)
{
	return probe->skeleton->bss->lost;
}

void processes_probe_close(struct processes_probe *probe)
{
	if (!probe)
		return;
	ring_buffer__free(probe->ring);
	process_full__destroy(probe->skeleton);
	free(probe);
}
