/* SPDX-License-Identifier: GPL-2.0-only */
/* May a task have only what CPUs have left, since its cgroup says so? */
#ifndef TUESDAY_BPF_IDLE_GROUP_BPF_H
#define TUESDAY_BPF_IDLE_GROUP_BPF_H

#include <linux/types.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* How many groups above it are looked at: more are hardly nested in an idle one. */
#define IDLE_GROUPS_MAX 8

struct task_group {
	int idle; /* cpu.idle, since 5.15 */
	struct task_group *parent;
} __attribute__((preserve_access_index));

/*
 * Whether the group, or one above it, is idle: cpu.idle of cgroup v2, CPUWeight=idle of systemd. A
 * low weight says less: Kubernetes makes 39 of a whole CPU, and where all are low it is nobody's
 * wish to wait. The pointer is followed by the helper, so it may be anything, NULL too.
 */
static __always_inline bool group_is_idle(struct task_group *group)
{
	int idle = 0, i;

	if (!bpf_core_field_exists(group->idle))
		return false;
	for (i = 0; i < IDLE_GROUPS_MAX && group && !idle; i++) {
		bpf_core_read(&idle, sizeof(idle), &group->idle);
		bpf_core_read(&group, sizeof(group), &group->parent);
	}
	return idle > 0;
}

#endif
