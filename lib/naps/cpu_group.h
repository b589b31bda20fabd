/* SPDX-License-Identifier: GPL-2.0-only */
/* Which cgroups is a process in, and how long has the CPU quota of one, or of one above it, held
 * its threads back? */
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

/* The group of a process that a controller of v1 knows it by, and where it has none the one of v2;
 * controller NULL: the one of v2. "" is the root. False where it is not known. */
bool cpu_group_path(pid_t pid, const char *controller, char *out, size_t size);

/* Of /proc/PID/cgroup: the path of the group with this controller, NULL: of v2; false for none. */
bool cpu_group_parse_path(const char *text, const char *controller, char *out, size_t size);

#endif
