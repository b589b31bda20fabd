/* SPDX-License-Identifier: GPL-2.0-only */
/* A loaded trace attached and detached, and its cost meanwhile. */
#ifndef TUESDAY_TRACE_ATTACH_H
#define TUESDAY_TRACE_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

struct trace_job;

/* Nanoseconds of user and system time of this process. */
uint64_t trace_cpu_ns(void);

/* Attaches what was loaded. Leaves a phrase in job->missing where it fails, and then nothing is
 * loaded or attached. */
void trace_job_attach(struct trace_job *job);

/* Adds up the programs' own time, if the kernel's statistics are on. */
void trace_job_measure(struct trace_job *job);

/* Whether a loaded trace had more events than its budget allows: it counts nothing any more. */
bool trace_job_is_over(const struct trace_job *job);

void trace_job_stop(struct trace_job *job);

#endif
