/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be learned of an incident, and the check file that says it. */
#ifndef TUESDAY_TOOLS_LEARN_INTERNAL_H
#define TUESDAY_TOOLS_LEARN_INTERNAL_H

#include <stddef.h>

#include "check/check.h"
#include "report/report.h"

#define LESSONS_MAX 16
/* So that a word of outside, in UTF-8, fits into a line. */
#define WORD_COLUMNS 40

struct str;

/* A metric that accused, of a check that is known here. */
struct lesson {
	const struct check *check;
	const struct metric *metric;
	const struct metric_result *result;
	char *name; /* in the file */
};

struct lessons {
	const char *program;
	const char *uuid;	     /* of the run */
	const struct report *report; /* of it, or of one whose lights were the same */
	struct checks *checks;	     /* all that are known */
	char *incident;		     /* "INC-42", or "run 0badcafe of web7"; owned */
	struct lesson list[LESSONS_MAX];
	size_t n;
};

/* The first check that has the worst verdict of a report, or NULL where nothing is accused. */
const struct check_result *lessons_first_accused(const struct report *report);

/* Fills the list; says on standard error what is left out. Returns 0, or -ENOENT with a message
 * where nothing is left. */
int lessons_choose(struct lessons *lessons);

/* Appends the text of the check file. */
void lessons_write(const struct lessons *lessons, struct str *out);

/* What the list and incident own. */
void lessons_free(struct lessons *lessons);

#endif
