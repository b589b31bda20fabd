/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The type of an incident, not its severity: who has to be called, told by fixed rules from what
 * the checks found. docs/verdicts.md has the rules in words. A person may overrule it.
 */
#ifndef TUESDAY_TYPE_H
#define TUESDAY_TYPE_H

struct report;

/*
 * Sets report->type from the verdicts, areas, classes, instances and culprits of its checks,
 * from the uptime, and from whether somebody experiments: "internal", "major", "isolated", "time
 * bomb" or "ambiguous", the first rule that holds; no name where nothing is wrong. why says which
 * fact decided; names in it are not escaped. What was set before is freed. Depends on nothing else
 * and changes nothing else.
 */
void type_derive(struct report *report);

#endif
