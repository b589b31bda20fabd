/* SPDX-License-Identifier: GPL-2.0-only */
/* How long has the CPU quota of a process's cgroup, or of one above it, held its threads back? */
#ifndef TUESDAY_NAPS_CPU_GROUP_H
#define TUESDAY_NAPS_CPU_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CPU_GROUP_PATH 512

struct cpu_group {
	char point[128];	   /* where the hierarchy is mounted; "": none is */
	char path[CPU_GROUP_PATH]; /* of the group below it, "" for the root; hostile */
};

/* Where the cgroups of CPUs are, cgroup v1 or v2. False where there are none. */
bool cpu_group_mount(struct cpu_group *group);

/* The group that a process is in; point stays as it is. False where it is not known. */
bool cpu_group_of(struct cpu_group *group, pid_t pid);

/* The nanoseconds that the group and those above it were throttled, together. The kernel adds what
 * a throttling took when it ends. 0 where there is no quota. */
uint64_t cpu_group_throttled_ns(const struct cpu_group *group);

/* Of cpu.stat: throttled_time (v1) or throttled_usec (v2). */
uint64_t cpu_group_parse_stat(const char *text);

/* Of /proc/PID/cgroup: the path of the group that has the controller cpu; false for none. */
bool cpu_group_parse_path(const char *text, bool v2, char *out, size_t size);

#endif
