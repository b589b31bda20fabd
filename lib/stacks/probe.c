/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the two probes does this kernel take? */
#include "base/banned.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "stacks/probe.h"
#include "stacks/sampler.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/probe/sample.skel.h"
#include "bpf/probe/sample___before_5_17.skel.h"
#pragma GCC diagnostic pop

/* Both have the same maps, programs and globals. */
#define PROBE_POINT_AT(probe, of, skeleton_) \
	do { \
		(probe)->skeleton = (skeleton_); \
		(probe)->ring = (skeleton_)->maps.ring; \
		(probe)->targets = (skeleton_)->maps.targets; \
		(probe)->away = (skeleton_)->maps.away; \
		(probe)->sums = (skeleton_)->maps.sums; \
		(probe)->running = (skeleton_)->progs.sample_running; \
		(probe)->switching = (skeleton_)->progs.sample_switch; \
		(probe)->waking = (skeleton_)->progs.sample_waking; \
		(probe)->fork = (skeleton_)->progs.sample_fork; \
	} while (0)

/* What the probe is told; and of what is not wanted nothing is loaded. */
#define PROBE_CONFIGURE(skeleton, wanted) \
	do { \
		(skeleton)->rodata->by_target = (wanted)->by_target; \
		(skeleton)->rodata->only_tid = (wanted)->only_tid; \
		(skeleton)->rodata->own_tgid = (__u32)getpid(); \
		(skeleton)->rodata->with_wakers = (wanted)->wakers; \
	} while (0)

/* Maps and programs of the other kind of look are not made. */
static void probe_leave_out(struct stacks_probe *probe, struct bpf_map *told, bool waits)
{
	bpf_program__set_autoload(probe->running, !waits);
	bpf_program__set_autoload(probe->switching, waits);
	bpf_program__set_autoload(probe->waking, waits);
	if (waits)
		return;
	bpf_map__set_max_entries(probe->away, 1);
	bpf_map__set_max_entries(probe->sums, 1);
	/* Of an LRU each CPU takes some. */
	bpf_map__set_max_entries(told, 1024);
}

static int probe_load_newer(struct stacks_probe *probe, const struct stacks_wanted *wanted)
{
	struct sample_full *skeleton = sample_full__open();
	int err;

	if (!skeleton)
		return errno ? -errno : -EINVAL;
	PROBE_POINT_AT(probe, sample, skeleton);
	PROBE_CONFIGURE(skeleton, wanted);
	probe_leave_out(probe, skeleton->maps.told, !(wanted->hertz > 0));
	err = sample_full__load(skeleton);
	if (err) {
		sample_full__destroy(skeleton);
		return err;
	}
	probe->lost = (const struct sample_lost *)&skeleton->bss->lost;
	probe->looks = (const uint64_t *)&skeleton->bss->looks;
	probe->idle_looks = (const uint64_t *)&skeleton->bss->idle_looks;
	return 0;
}

static int probe_load_older(struct stacks_probe *probe, const struct stacks_wanted *wanted)
{
	struct sample___before_5_17_full *skeleton = sample___before_5_17_full__open();
	int err;

	if (!skeleton)
		return errno ? -errno : -EINVAL;
	PROBE_POINT_AT(probe, sample___before_5_17, skeleton);
	PROBE_CONFIGURE(skeleton, wanted);
	probe_leave_out(probe, skeleton->maps.told, !(wanted->hertz > 0));
	err = sample___before_5_17_full__load(skeleton);
	if (err) {
		sample___before_5_17_full__destroy(skeleton);
		return err;
	}
	probe->lost = (const struct sample_lost *)&skeleton->bss->lost;
	probe->looks = (const uint64_t *)&skeleton->bss->looks;
	probe->idle_looks = (const uint64_t *)&skeleton->bss->idle_looks;
	return 0;
}

int stacks_probe_load(
	struct stacks_probe *probe, bool to_true_depth, const struct stacks_wanted *wanted)
{
	int err;

	*probe = (struct stacks_probe){.to_true_depth = to_true_depth};
	err = to_true_depth ? probe_load_newer(probe, wanted) : probe_load_older(probe, wanted);
	if (err)
		*probe = (struct stacks_probe){.skeleton = NULL};
	return err;
}

void stacks_probe_free(struct stacks_probe *probe)
{
	if (!probe->skeleton)
		return;
	if (probe->to_true_depth)
		sample_full__destroy(probe->skeleton);
	else
		sample___before_5_17_full__destroy(probe->skeleton);
	probe->skeleton = NULL;
}
