/* SPDX-License-Identifier: GPL-2.0-only */
/* How does the probe on run queues get into the kernel? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/caps.h"
#include "tools/queue/probe.h"
#include "tools/queue/probe_cpu.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/probe/queuecpu.skel.h"
#pragma GCC diagnostic pop

/* What this kernel may have or not, the best first. */
struct probe_cpu_way {
	bool typed; /* the verifier knows the tracepoint's types: Linux 5.5 */
	bool still; /* iterators: Linux 5.8 */
};

static void probe_cpu_destroy(void *skeleton)
{
	queuecpu_full__destroy(skeleton);
}

/* Returns 0 or -errno. */
static int probe_cpu_try(struct queue_probe *probe, struct probe_cpu_way way)
{
	struct queuecpu_full *skeleton = queuecpu_full__open();
	int err;

	if (!skeleton)
		return errno ? -errno : -EINVAL;
	bpf_program__set_autoload(skeleton->progs.queuecpu_switch, way.typed);
	bpf_program__set_autoload(skeleton->progs.queuecpu_switch_raw, !way.typed);
	bpf_program__set_autoload(skeleton->progs.queuecpu_still, way.still);
	bpf_map__set_max_entries(skeleton->maps.rings, (__u32)libbpf_num_possible_cpus());
	err = queuecpu_full__load(skeleton);
	if (!err)
		err = queuecpu_full__attach(skeleton);
	if (err) {
		queuecpu_full__destroy(skeleton);
		return err;
	}
	probe->skeleton = skeleton;
	probe->destroy = probe_cpu_destroy;
	probe->pairs = bpf_map__fd(skeleton->maps.pairs);
	probe->people = bpf_map__fd(skeleton->maps.people);
	probe->counting = &skeleton->bss->counting;
	probe->lost = &skeleton->bss->lost;
	probe->still = way.still ? bpf_link__fd(skeleton->links.queuecpu_still) : -1;
	return 0;
}

int queue_probe_cpu(struct queue_probe *probe, struct str *why)
{
	static const struct probe_cpu_way ways[] = {{true, true}, {true, false}, {false, false}};
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	int err = -ENOSYS;
	size_t i;

	*probe = (struct queue_probe){.still = -1};
	caps_raise(CAPS_BPF);
	for (i = 0; i < ARRAY_SIZE(ways) && err && err != -EPERM; i++)
		err = probe_cpu_try(probe, ways[i]);
	caps_lower(CAPS_BPF);
	libbpf_set_print(print);
	if (err == -EPERM || err == -EACCES)
		str_add(why, "it needs CAP_BPF and CAP_PERFMON: run it as root");
	else if (err)
		str_addf(why,
			"the kernel does not take the probe on its run queues (it needs BTF, "
			"SCHED_INFO "
			"and FAIR_GROUP_SCHED, Linux 5.4 or newer): %s",
			strerror(-err));
	return err;
}
