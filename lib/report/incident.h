/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The type of an incident, not its severity: who has to be called, told by fixed rules from what
 * the checks found. docs/types.md has the rules in words. A person may overrule it
 * (history/retypes.h).
 */
#ifndef TUESDAY_REPORT_INCIDENT_H
#define TUESDAY_REPORT_INCIDENT_H

#include <stdbool.h>

#include "report/report.h"

struct str;

/* The area of what somebody did on purpose: a type of incident of its own. */
#define INCIDENT_AREA_SECURITY "security"

/*
 * Sets report->type from the verdicts, areas, classes, instances, culprits and forecasts of its
 * checks, from the uptime, from whether somebody experiments, and from what is announced: the first
 * rule that holds; no name where nothing is wrong. why says which fact decided; names in it are not
 * escaped. What was set before is freed. Depends on nothing else and changes nothing else.
 *
 * Its confidence is that of the weakest check that accuses (0.9 confirmed by an experiment, 0.7
 * high, 0.5 medium, 0.3 low) times the share of checks that could be examined, and no more than the
 * rule allows; in words, from 0.6 on high, from 0.4 on medium.
 */
void incident_derive_type(struct report *report);

/* The rules as people read them, in the order in which they are tried. */
void incident_print_rules(struct str *out);

/* The type that a person means ("Time-Bomb"), or NULL; the nearest one, or NULL. */
const char *incident_type_find(const char *text);
const char *incident_type_suggest(const char *text);

/* What to do about that type, as the first words of a sentence: "call everyone". */
const char *incident_type_action(const char *name);

/* Frees all of it, and sets it to none. */
void incident_type_free(struct incident_type *type);

#endif
