/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the counters did while the traces looked. A trace overrules what they accuse only if it was
 * still there to be seen; so they are read once more when the traces end. What a trace itself costs
 * is in that last window: it accuses nobody.
 */
#ifndef TUESDAY_RUN_WHILE_TRACED_H
#define TUESDAY_RUN_WHILE_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;
struct report;
struct sweep;

/* All 0: nothing was traced. The samples are those of a judge_context. */
struct while_traced {
	size_t from, to;
	uint64_t ended_ns; /* by CLOCK_MONOTONIC, where the sampling goes on; 0: it does not */
};

/* How many windows of a recording were judged: what comes behind them was read while the traces
 * looked. 0: all of them. */
unsigned int while_traced_windows(struct capture *fs);

/* To be called right before the traces run, and right behind them where the sampling goes on. */
void while_traced_begin(struct while_traced *looked, const struct sweep *sweep);
void while_traced_end(struct while_traced *looked);

/*
 * To be called behind the traces where the sampling is over: reads the counters of the checks that
 * accuse and were traced, with the results of the counters still in report; deep: all were. Where
 * there are none, nothing is read. In a replay it takes what was recorded, if it was.
 */
void while_traced_sample(struct while_traced *looked, struct sweep *sweep, struct capture *fs,
	const struct report *report, bool deep);

/* To be called when the sampling that went on is over: chooses the samples, and notes them in the
 * recording. */
void while_traced_note(struct while_traced *looked, const struct sweep *sweep, struct capture *fs);

#endif
