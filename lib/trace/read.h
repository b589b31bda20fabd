/* SPDX-License-Identifier: GPL-2.0-only */
/* What a trace has counted. */
#ifndef TUESDAY_TRACE_READ_H
#define TUESDAY_TRACE_READ_H

struct str;
struct trace_job;

/* Appends what was counted, or why nothing was, to the answer (see codec.h). */
void trace_job_write(const struct trace_job *job, struct str *out);

#endif
