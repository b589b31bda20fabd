/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose stacks are looked at? */
#ifndef TUESDAY_TOOLS_CPU_TARGET_H
#define TUESDAY_TOOLS_CPU_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cpu_options;

struct cpu_targets {
	pid_t *list; /* processes */
	size_t n, room;
	char *group; /* the folder of the cgroup, or NULL */
};

bool cpu_target_is_there(pid_t pid);

/* Returns 0, or -errno after a message: there is no such process, thread or cgroup. */
int cpu_targets_find(struct cpu_targets *targets, const struct cpu_options *asked);
/* Adds the processes that have come to the cgroup. */
void cpu_targets_again(struct cpu_targets *targets);
void cpu_targets_free(struct cpu_targets *targets);
/* Whether none of the processes lives any more; never of a cgroup. */
bool cpu_targets_gone(const struct cpu_targets *targets);

/* Calls each for all threads of a process. */
void cpu_target_threads(pid_t pid, void (*each)(void *arg, pid_t tid), void *arg);

#endif
