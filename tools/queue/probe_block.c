/* SPDX-License-Identifier: GPL-2.0-only */
/* How does the probe on block devices get into the kernel? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "base/str.h"
#include "sys/caps.h"
#include "tools/queue/probe.h"
#include "tools/queue/probe_block.h"
#include "trace/load.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/probe/queueblock.skel.h"
#pragma GCC diagnostic pop

static void probe_block_destroy(void *skeleton)
{
	queueblock_full__destroy(skeleton);
}

/* Returns 0 or -errno. */
static int probe_block_load(struct queue_probe *probe)
{
	struct queueblock_full *skeleton = queueblock_full__open();
	int err;

	if (!skeleton)
		return errno ? -errno : -EINVAL;
	skeleton->rodata->queue_first = trace_queue_is_first();
	err = queueblock_full__load(skeleton);
	if (!err)
		err = queueblock_full__attach(skeleton);
	if (err) {
		queueblock_full__destroy(skeleton);
		return err;
	}
	probe->skeleton = skeleton;
	probe->destroy = probe_block_destroy;
	probe->pairs = bpf_map__fd(skeleton->maps.pairs);
	probe->people = bpf_map__fd(skeleton->maps.people);
	probe->counting = &skeleton->bss->counting;
	probe->lost = &skeleton->bss->lost;
	return 0;
}

int queue_probe_block(struct queue_probe *probe, struct str *why)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	int err;

	*probe = (struct queue_probe){.still = -1};
	caps_raise(CAPS_BPF);
	err = probe_block_load(probe);
	caps_lower(CAPS_BPF);
	libbpf_set_print(print);
	if (err == -EPERM || err == -EACCES)
		str_add(why, "it needs CAP_BPF and CAP_PERFMON: run it as root");
	else if (err)
		str_addf(why,
			"the kernel does not take the probe on its block devices (it needs BTF, "
			"Linux 5.4 or newer): %s",
			strerror(-err));
	return err;
}
