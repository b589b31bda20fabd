/* SPDX-License-Identifier: GPL-2.0-only */
/* How many frames of a stack the kernel keeps. */
#ifndef TUESDAY_SOURCES_TASK_STACK_KEPT_H
#define TUESDAY_SOURCES_TASK_STACK_KEPT_H

#include <stddef.h>
#include <sys/types.h>

/* The frames of a sample (perf_event_open(2), PERF_SAMPLE_TID and _CALLCHAIN), without what tells
 * the kernel's from the user's. 0 where it is none; *pid is whose it is. */
size_t stack_kept_frames(const void *record, size_t len, pid_t *pid);

#endif
