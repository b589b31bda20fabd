/* SPDX-License-Identifier: GPL-2.0-only */
/* The incidents of a time, each once, by what was derived and what people made of it. */
#ifndef TUESDAY_TOOLS_TYPES_TALLY_H
#define TUESDAY_TOOLS_TYPES_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "history/incidents.h"
#include "report/incident.h"
#include "history/retypes.h"

/* The rules' types, and none: where they saw nothing wrong. */
#define KINDS (INCIDENT_RULES + 1)
#define NONE INCIDENT_RULES

/* One condition, however many runs saw it. */
struct seen {
	char key[INCIDENT_KEY_SIZE]; /* "": a run that stands for itself */
	char uuid[33];
	int derived, final;
	bool retyped;
};

struct tally {
	const char *program;
	bool json, rules;
	time_t from, to, now;
	size_t runs, retyped, disagreed;
	struct seen *list;
	size_t n, room;
	size_t matrix[KINDS][KINDS]; /* derived, final */
	struct retypes log;
};

/* The name of a type by its number. */
const char *tally_kind(int kind);

/* Takes a run; for incident_each. Returns 0. */
int tally_incident(void *arg, const struct incident *incident);
/* When all runs are taken: what people said, and the sums. */
void tally_count(struct tally *tally);

/* Of how many incidents a type is derived, or final. */
size_t tally_derived(const struct tally *tally, int kind);
size_t tally_final(const struct tally *tally, int kind);

/* Whether somebody spoke about this incident. */
bool tally_is_about(const struct retype_entry *word, const struct incident *incident);

#endif
