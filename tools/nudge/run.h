/* SPDX-License-Identifier: GPL-2.0-only */
/* One nudge on this machine: prepared, asked for, run, and put back. */
#ifndef TUESDAY_TOOLS_NUDGE_RUN_H
#define TUESDAY_TOOLS_NUDGE_RUN_H

#include "base/str.h"
#include "experiment/nudge.h"
#include "experiment/nudge_knob.h"
#include "experiment/observe.h"
#include "experiment/stop_conditions.h"
#include "check/experiment.h"

struct capture;
struct change;
struct checks;
struct nudge_options;
struct sweep;

struct nudging {
	const struct nudge_options *asked;
	struct nudge_knob knob;
	struct nudge_course course;
	struct capture *fs;
	struct sweep *sweep;
	struct checks *checks;
	struct experiment experiment; /* with its name, and nothing that a section may say */
	struct stop_conditions guards;
	struct observer observer;
	struct change *change; /* while there is harm */
	char *to, *undo;       /* of that */
	double last_sample;
	bool harmed; /* ever */
	bool left;   /* something could not be put back */
	struct str why;
};

/* Finds the file, and what the cgroup uses, for a second. Returns 0, or -errno with a phrase in
 * why. */
int nudging_open(struct nudging *nudging, const struct nudge_options *asked);
void nudging_close(struct nudging *nudging);

/* Runs it: course is its answer. Whatever comes, nothing is left changed, or left says so. */
void nudging_run(struct nudging *nudging);

#endif
