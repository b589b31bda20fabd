/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When is a light that changes worth a message? Not each time that it flickers: it has to have
 * lasted (k of the last n runs) to be said, and to be gone for a while to be called off.
 */
#ifndef TUESDAY_HISTORY_HYSTERESIS_H
#define TUESDAY_HISTORY_HYSTERESIS_H

#include <stdbool.h>

#include "report/report.h"
#include "history/run_state.h"

/* A light remembers this many runs. */
#define DAMP_RUNS 8

struct hysteresis {
	unsigned int rise_k, rise_n; /* so many of the last n runs at least as bad: 2 of 3 */
	unsigned int fall_n;	     /* so many runs in a row that are better: 3 */
};

/*
 * One run more. at_once: what it accuses of is an event or a limit reached, and once is enough.
 * Returns whether what is announced changes; light->announced is then the new verdict. skip is as
 * good as good: what is not there is not at fault.
 */
bool hysteresis_step(struct run_state_check *light, enum verdict now, bool at_once,
	const struct hysteresis *damping);

/* The verdict of the last run that was noted; more than any verdict: there was none. */
unsigned int hysteresis_before(const struct run_state_check *light);

/* The run is remembered, and nothing is announced: for a check that is muted. */
void hysteresis_note(struct run_state_check *light, enum verdict now);

#endif
