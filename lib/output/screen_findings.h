/* SPDX-License-Identifier: GPL-2.0-only */
/* What accuses, in the order in which people should read it. */
#ifndef TUESDAY_OUTPUT_SCREEN_FINDINGS_H
#define TUESDAY_OUTPUT_SCREEN_FINDINGS_H

#include "output/screen.h"

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

/* Appends the sentence of a finding, and who it is where the sentence has not named him. */
void screen_add_headline(struct str *out, const struct finding *finding, bool with_who);

/* Appends "After the first window: BAD listen: …", the worst by now; nothing where nothing accuses.
 */
void screen_worst_so_far(struct str *out, const struct report *report);

/* Whether one has enough of it to be named: whose share is not known has. */
bool screen_names_culprit(const struct culprit *culprit);

/* Appends a process as people know it: "python3 (pid 4775, shop.service, up 3 h) 92 %". */
void screen_add_culprit(struct str *out, const struct culprit *culprit);

#endif
