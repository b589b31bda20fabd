/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A loaded trace attached, counting, over and detached, and its cost meanwhile. Only attaching and
 * detaching are work for the kernel, for which others may have to wait.
 */
#ifndef TUESDAY_TRACE_ATTACH_H
#define TUESDAY_TRACE_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

struct trace_job;

/* Nanoseconds of user and system time of this process. */
uint64_t trace_cpu_ns(void);

/* Attaches what was loaded; it counts nothing yet. Leaves a phrase in job->missing where it fails,
 * and then nothing is loaded or attached. */
void trace_job_attach(struct trace_job *job);

/* Counts from now on. */
void trace_job_begin(struct trace_job *job);

/* Adds up the programs' own time, if the kernel's statistics have been on since it began. */
void trace_job_measure(struct trace_job *job);

/* Whether a loaded trace had more events than its budget allows: it counts nothing any more. */
bool trace_job_is_spent(const struct trace_job *job);

/* Counts no more. Its programs stay where they are and do nothing, but for one that is spent: even
 * to call it would cost too much, and it is detached. */
void trace_job_end(struct trace_job *job);

void trace_job_detach(struct trace_job *job);

#endif
