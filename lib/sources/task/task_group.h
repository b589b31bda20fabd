/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a thread belongs: for sources whose instances are "TID@START". */
#ifndef TUESDAY_SOURCES_TASK_TASK_GROUP_H
#define TUESDAY_SOURCES_TASK_TASK_GROUP_H

#include <stdbool.h>

#include "capture/capture.h"

struct str;

/*
 * The kinds: cpu, the CPU that a thread runs on or ran on last; node, that CPU's; cpuset, the list
 * of CPUs that it may run on; cgroup, its path below the hierarchy, as instances of the source
 * cgroup are called; unit, what systemd calls that; pod, of Kubernetes.
 */
#define TASK_GROUPS "cpu node cpuset cgroup unit pod"

/* The group_of of such a source. One or two files of /proc are read for each thread. */
bool task_group_of(
	struct capture *fs, void *state, const char *instance, const char *kind, struct str *out);

/* The number of the CPU in /proc/PID/stat, and the path in /proc/PID/cgroup: that of the hierarchy
 * of v1 which has the CPU controller, else that of v2. False where there is none. */
bool parse_task_cpu(struct bytes stat, double *cpu);
bool parse_task_cgroup(struct bytes text, struct str *path);

/* The innermost unit of systemd, or pod, in the path of a cgroup. False where there is none. */
bool cgroup_unit(const char *path, struct str *out);
bool cgroup_pod(const char *path, struct str *out);

#endif
