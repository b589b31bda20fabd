/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads are ours. */
#ifndef TUESDAY_SOURCES_TASK_OWN_TASKS_H
#define TUESDAY_SOURCES_TASK_OWN_TASKS_H

#include <stddef.h>

struct str;

/*
 * Takes the records (struct task_record) of this process and of those that it started to look for
 * it (sys/child.h) out of a blob, in which they begin at from: of what these started too, as a
 * plugin does. A command that is watched is no such process.
 */
void own_tasks_leave_out(struct str *blob, size_t from);

#endif
