/* SPDX-License-Identifier: GPL-2.0-only */
/* What the accused have in common, in words. */
#ifndef TUESDAY_TOOLS_MERGE_PHRASES_H
#define TUESDAY_TOOLS_MERGE_PHRASES_H

#include <stdbool.h>

struct conflict;
struct fleet;
struct shared;
struct str;

/* "kernel 6.1.99: all 3, and 12 of 409 that are good (p 0.0004)": not escaped. */
void say_shared(struct str *out, const struct fleet *fleet, const struct shared *one);
/* What there is to say where nothing is significant, or NULL where something is. */
const char *why_not_shared(const struct fleet *fleet, unsigned int check);

/* Where more than one thing is shared by all: how many good hosts have all of them too. */
bool say_together(struct str *out, const struct fleet *fleet, unsigned int check);

/* "two files claim web1: a.json and b.json": not escaped. */
void say_conflict(struct str *out, const struct fleet *fleet, const struct conflict *conflict);
/* What such a conflict means, and what would end it. */
#define CONFLICTS_MEAN \
	"a report can say any name: of what may be one machine the worst counts; see --host-from"

#endif
