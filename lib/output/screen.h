/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The screen of a person whose machine is on fire: the answer first, in 24 rows of 80 columns.
 * Parts of the writer "text"; all names are escaped in here.
 */
#ifndef TUESDAY_OUTPUT_SCREEN_H
#define TUESDAY_OUTPUT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "output/writer.h"
#include "report/report.h"

#define SCREEN_ROWS 24
#define SCREEN_NAME_COLUMNS 60	/* of a name that came from outside */
#define SCREEN_LINE_COLUMNS 300 /* of a sentence that has such names in it */

struct screen {
	struct str *out;
	const struct report *report;
	const struct writer_options *options;
	size_t columns;
	size_t indent; /* of what stands beside a check */
	bool single;   /* one check: no roll-up */
};

/* A number that accuses, or a check that accuses without one, and where it stands among all. */
struct finding {
	const struct check_result *result;
	const struct metric_result *metric; /* NULL: a plugin or an experiment accuses */
	double beyond; /* how far beyond its limit: 2 is twice the limit, or half of it */
};

/*
 * What accuses, the worst first: bad before maybe; then error, harm, limit, cause; then by
 * confidence and by how far it is beyond its limit. Those of one check stand together. The caller
 * frees *list.
 */
size_t screen_findings(const struct report *report, struct finding **list);

/*
 * Appends the findings in at most rows lines: of as many checks as there is room for, the worst in
 * full; how many more there are is said. With rows 0 there is room for all.
 */
void screen_add_findings(const struct screen *screen, size_t rows);

/* Appends "After the first window: BAD listen: …", the worst by now; nothing where nothing accuses.
 */
void screen_worst_so_far(struct str *out, const struct report *report);

/* Appends what is not the cause, what is not known, and what was not asked. */
void screen_add_rollup(const struct screen *screen);

/* Appends every check with its numbers, in columns. */
void screen_add_table(const struct screen *screen);

/* Appends what was tried for a check, and whatever is still changed. */
void screen_add_experiments(const struct screen *screen, const struct check_result *result);

/* Appends text between columns 'at' and the width, with a hanging indent, and ends the line. */
void screen_flow(const struct screen *screen, size_t at, size_t indent, const char *text);

/* Appends a process as people know it: "python3 (pid 4775, shop.service, up 3 h) 92 %". */
void screen_add_culprit(struct str *out, const struct culprit *culprit);

#endif
