/* SPDX-License-Identifier: GPL-2.0-only */
/* A look at stacks of some seconds, and what it saw. */
#ifndef TUESDAY_TOOLS_CPU_LOOK_H
#define TUESDAY_TOOLS_CPU_LOOK_H

#include <stdbool.h>

#include "stacks/counters.h"
#include "stacks/fold.h"
#include "stacks/profile.h"
#include "stacks/sampler.h"
#include "tools/cpu/options.h"
#include "tools/cpu/target.h"

struct cpu_look {
	const struct cpu_options *asked;
	struct cpu_targets targets;
	struct stacks_profile profile;
	struct symbolizer *symbolizer;
	struct stacks_seen seen;
	struct stacks_counted counted;
	int counters_error; /* why there are none: -errno, or 0 */
	bool interrupted;   /* somebody wanted it to end sooner */
	/* With names: the tree, and what there is to say of all of it. */
	struct stacks_fold *fold;
	struct flame_tree *tree;
	struct stacks_folded folded;
};

/* Looks, and gives names. Returns 0, or -errno after a message. */
int cpu_look_run(struct cpu_look *look, const struct cpu_options *asked);
void cpu_look_free(struct cpu_look *look);

#endif
