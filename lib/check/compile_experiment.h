/* SPDX-License-Identifier: GPL-2.0-only */
/* [experiment NAME] sections. */
#ifndef TUESDAY_CHECK_COMPILE_EXPERIMENT_H
#define TUESDAY_CHECK_COMPILE_EXPERIMENT_H

struct compile;
struct section;

/* Compiles one [experiment NAME] and adds it to the check, whether it is right or not. */
void compile_experiment(struct compile *compile, const struct section *section);

#endif
