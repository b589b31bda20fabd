/* SPDX-License-Identifier: GPL-2.0-only */
/* What tuesday.ini (check/site.h) changes about a run: its command line, and what counts of it. */
#ifndef TUESDAY_RUN_POLICY_H
#define TUESDAY_RUN_POLICY_H

struct options;
struct report;
struct site;
struct usage;

/* The arguments of a run, NULL at their end: the program's name, the options of tuesday.ini, then
 * the words of argv, then the checks of tuesday.ini where with_checks. The caller frees the array
 * alone. */
char **policy_arguments(
	const struct site *site, int argc, char **argv, int with_checks, int *n_arguments);

/* Whether the options of tuesday.ini are those of a run; if not, says so on standard error. */
int policy_options_are_right(
	const struct site *site, const char *program, const struct usage *usage);

/* Sets verdicts of a report aside: what is unknown and expected to be, and, where mutes are
 * honoured, what is muted. The report's verdict is the worst of the rest. */
void policy_apply(struct report *report, const struct options *options);

#endif
