/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `perf script` prints: a line for each sample, "COMM PID[/TID] [CPU] SECONDS: ... EVENT:",
 * and below it the stack, the innermost function first, if it has one.
 */
#ifndef TUESDAY_HEATMAP_PERF_SCRIPT_H
#define TUESDAY_HEATMAP_PERF_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/line_reader.h"
#include "base/str.h"

enum { PERF_FRAMES_MAX = 2048 };

struct perf_sample {
	const char *comm; /* as it was written */
	uint64_t tid, cpu;
	bool has_cpu;
	bool is_idle; /* the idle task, number 0 */
	uint64_t at_ns;
	const char *event; /* "block:block_rq_issue" */
	uint64_t lost;	   /* it tells of records that perf lost, so many, and is no sample */
	/* The stack folded, "main;read", without the comm; "" where none was wanted or there. */
	const char *stack;
};

struct perf_script {
	void (*each)(void *arg, const struct perf_sample *sample);
	void *arg;
	bool wants_stacks;
	uint64_t samples, idle, unread;
	/* Below: the parser's own. All zero at the beginning. */
	struct perf_sample sample;
	bool has_sample;
	struct str comm, event, stack;
	struct str frames[PERF_FRAMES_MAX];
	size_t n_frames;
};

/* As line_reader's each, with a struct perf_script; never says that it is enough. */
bool perf_script_line(void *script, char *line, size_t len);
/* The last sample. Frees what the parser holds. */
void perf_script_end(struct perf_script *script);

#endif
