/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with a check that can run all the same. */
#ifndef TUESDAY_CHECK_LINT_H
#define TUESDAY_CHECK_LINT_H

#include <stddef.h>

struct capture;
struct check;
struct settings;
struct str;

/* Texts that a program wrote for a person to replace begin with this, in the middle of others. */
#define LINT_PLACEHOLDER "Say here "

/*
 * What a check still lacks for a reader: an area; for each metric why its limits are these (why),
 * what its number cannot see (however) and, where it would accuse for ever, how it ends; for each
 * experiment what it warns of, what it proves, by whom, and what it does not. Returns how many
 * messages it added to errors, one a line.
 */
size_t check_lint(const struct check *check, struct str *errors);

/*
 * Of a file that is no check yet: the keys that a reader will miss once it is one, so that all that
 * it lacks is said at once. As check_lint.
 */
size_t check_lint_settings(const struct settings *settings, struct str *errors);

/*
 * What cannot be meant, and what only a person can say and has not yet: an area that there is not,
 * a placeholder, whether a metric was ever seen to accuse, a counter that is judged raw, a rate
 * that is called none, a limit that another takes out of force. areas: those that there are. As
 * check_lint.
 */
size_t check_lint_meaning(
	const struct check *check, const char *const *areas, size_t n_areas, struct str *errors);

/*
 * Tracepoints and fields that this machine does not have, unless the check is about another kernel.
 * What cannot be told here is added to notes, one a line, and not counted. tracefs: the
 * descriptor of tracefs_open(). As check_lint.
 */
size_t check_lint_traces(const struct check *check, struct capture *fs, int tracefs,
	struct str *errors, struct str *notes);

#endif
