/* SPDX-License-Identifier: GPL-2.0-only */
/* All threads by a walk of /proc, for where BPF may not be used. */
#ifndef TUESDAY_SOURCES_TASK_TASK_WALK_H
#define TUESDAY_SOURCES_TASK_TASK_WALK_H

#include <stdbool.h>

#include "capture/capture.h"

struct capture;
struct str;

/* Appends a struct task_record for each thread. Nothing of it is recorded. Returns 0, -E2BIG where
 * there were more than fit (those that did are there), or -errno. */
int task_walk(struct capture *fs, struct str *out);

/* /proc/PID/task/TID/stat and schedstat, into a record of a thread. False where it is cut short. */
struct task_record;
bool parse_task_stat(struct bytes text, struct task_record *task);
bool parse_task_schedstat(struct bytes text, struct task_record *task);

#endif
