/* SPDX-License-Identifier: GPL-2.0-only */
/* What `tuesday nudge` was asked for. */
#ifndef TUESDAY_TOOLS_NUDGE_OPTIONS_H
#define TUESDAY_TOOLS_NUDGE_OPTIONS_H

#include <stdbool.h>

#include "experiment/nudge_knob.h"
#include "run/options.h"

struct nudge_options {
	struct options common;
	const char *program;
	const char *quota, *io;	   /* the cgroup: one of the two */
	const char *url, *command; /* the number: one of the two */
	double most, margin;	   /* ratios */
	unsigned int rounds;
	double phase_seconds;
	bool yes, dry_run, json;
};

/* As options_parse_usage; returns -EINVAL after a message. */
int nudge_options_read(struct nudge_options *asked, int argc, char **argv);

enum nudge_kind nudge_options_kind(const struct nudge_options *asked);
const char *nudge_options_target(const struct nudge_options *asked);

#endif
