/* SPDX-License-Identifier: GPL-2.0-only */
/* What ftrace was told to watch. */
#ifndef TUESDAY_SOURCES_KERNEL_FTRACE_H
#define TUESDAY_SOURCES_KERNEL_FTRACE_H

#include "capture/capture.h"

struct sink;

/* kprobe_profile and uprobe_profile of tracefs: the hits of each probe, as this field. */
void parse_probe_profile(struct bytes text, struct sink *sink, const char *field);

/* per_cpu/cpuN/stats of tracefs: how many events were written to this buffer since it is there. */
double parse_buffer_stats(struct bytes text);

#endif
