/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run: sample the counters of all checks in one sweep, judge, trace what is not good, judge
 * again, and write the report.
 */
#ifndef TUESDAY_RUN_RUN_H
#define TUESDAY_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "run/options.h"

struct checks;
struct capture;
struct site;

/* Runs the checks, or those that are named in options, and returns the exit status. */
int run_checks(const struct options *options, const struct checks *checks);

/* Something that the machine is watched during, instead of for a number of windows. */
struct meanwhile {
	/* Called after the first sample. An error, of which it has told, ends the run. */
	int (*begin)(void *arg, struct capture *fs);
	bool (*ended)(void *arg); /* asked several times a second */
	/* Called once sampling is over, before anything is printed. Returns the CPU time, in
	 * nanoseconds, of children that are not a part of this run's cost. */
	uint64_t (*finish)(void *arg, struct capture *fs);
	void *arg;
};

/*
 * The same as long as something else goes on. What looks suspicious in the first windows is traced
 * at once, while the counters are sampled on; the verdict is over all of the time.
 */
int run_checks_while(const struct options *options, const struct checks *checks,
	const struct meanwhile *meanwhile);

/* Loads and runs the checks that are named in options, or all, once the options are complete. */
int run_named(
	const char *program, const struct options *options, const struct meanwhile *meanwhile);

/* Whether the options that tuesday.ini gives the timer are those of a run; if not, says so on
 * standard error. */
bool run_options_of_site_are_right(const struct site *site);

/* `tuesday run` and what every health tool does. only is the tool's one check, or NULL. */
int run_main(int argc, char **argv, const char *only);

#endif
