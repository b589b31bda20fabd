/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An experiment that changes nothing: another program of the suite asks, and its exit status is the
 * answer. For what has to be asked from outside, as a server by requests.
 */
#ifndef TUESDAY_EXPERIMENT_PROGRAM_H
#define TUESDAY_EXPERIMENT_PROGRAM_H

#include <stdbool.h>

struct experiment_plan;
struct experiment_result;
struct str;

/*
 * Fills in program and words of a plan whose experiment names one: {instance} and {url} in their
 * places. url is what a person named, or NULL: then it follows from the instance, which is a port
 * or an address and a port as sources name listeners, or "unix:" and a path. The plan is refused
 * where it is none, and where the program is not installed, with the command to run where it is.
 */
void program_plan(struct experiment_plan *plan, const char *url);

/* Whether the instance is one that can be asked from here. */
bool program_fits(const char *instance);

/* The command, as a shell takes it. */
void program_command(const struct experiment_plan *plan, struct str *out);

/*
 * Runs it, with the rights of root, for as long as its section allows, and shows on standard error
 * what it says. out has been described (trial_describe); answer, told, why, summary and seconds are
 * filled in.
 */
void program_run(const struct experiment_plan *plan, struct experiment_result *out);

#endif
