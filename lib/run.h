/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run: sample the counters of all checks in one sweep, judge, trace what is not good, judge
 * again, and write the report.
 */
#ifndef TUESDAY_RUN_H
#define TUESDAY_RUN_H

#include "options.h"

struct checks;
struct sweep;

/*
 * Loads the check files of all layers, or only the named ones. Never fails: see checks->n_errors.
 * The caller frees.
 */
struct checks *run_load(const struct options *options, struct sweep *sweep,
	const char *const *names, size_t n_names);

/* Runs the checks, or those that are named in options, and returns the exit status. */
int run_checks(const struct options *options, struct sweep *sweep, struct checks *checks);

/* Says that there is no check of this name, and which was meant. Returns the exit status. */
int run_unknown_check(const char *program, const struct checks *all, const char *name);

/* `tuesday run` and what every health tool does. only is the tool's one check, or NULL. */
int run_main(int argc, char **argv, const char *only);

#endif
