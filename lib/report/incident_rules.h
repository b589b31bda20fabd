/* SPDX-License-Identifier: GPL-2.0-only */
/* The rules of types, one text and one function each: for incident.c, which applies and prints
 * them. */
#ifndef TUESDAY_REPORT_INCIDENT_RULES_H
#define TUESDAY_REPORT_INCIDENT_RULES_H

#include <stdbool.h>

#include "report/report.h"

struct str;

struct incident_rule {
	const char *name;
	/* Appends to why which fact decided, where it holds. Pure. */
	bool (*holds)(const struct report *report, struct str *why);
	/* Where it does not hold: whether the type is a candidate all the same. NULL: it is not. */
	bool (*suggests)(const struct report *report);
	bool otherwise; /* it holds only where no rule before it does */
	double most_confidence;
	const char *when;   /* when it holds, in words */
	const char *so;	    /* what follows */
	const char *action; /* the same as the first words of a sentence */
};

/* In the order in which they are tried; a rule's number is its place, from 1 on. */
extern const struct incident_rule incident_rules[INCIDENT_RULES];

/* bad and maybe. */
bool incident_accuses(enum verdict verdict);
/* The share of unknown checks among all that apply here. */
double incident_unknown_share(const struct report *report);

#endif
