/* SPDX-License-Identifier: GPL-2.0-only */
/* The records of all threads, for other sources that know of processes. */
#ifndef TUESDAY_SOURCES_TASK_TASK_H
#define TUESDAY_SOURCES_TASK_TASK_H

#include <stdbool.h>

struct capture;
struct sink;
struct task_record;

/* The open of a source that calls task_each with its state; there is nothing to close. */
int task_open(struct capture *fs, void **state);

/* Calls each for every thread of this sample, which is asked for once, whoever comes first. The
 * record is valid for the call. Says through the sink, unless that is NULL, where there are more
 * threads than were read. Returns 0 or -errno. */
int task_each(struct capture *fs, void *state, struct sink *sink,
	void (*each)(void *arg, const struct task_record *task), void *arg);

/* Says through the sink that only the BPF iterator knows WHAT ("the number of mappings"), and why
 * there is none: rights, or the kernel. For a source that task_open opened, with its state. */
void task_missing(const void *state, struct sink *sink, const char *what);

/* Whether it waits by its own wish, or that of its cgroup: nice, SCHED_BATCH, SCHED_IDLE, cpu.idle.
 */
bool task_is_nice(const struct task_record *task);

/* "TID@START", the name of its instance: a thread never inherits what one counted that had its
 * number before. */
struct task_instance {
	char name[48];
};
struct task_instance task_instance_of(const struct task_record *task);

#endif
