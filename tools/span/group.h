/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums by the values of a field instead of names. */
#ifndef TUESDAY_TOOLS_SPAN_GROUP_H
#define TUESDAY_TOOLS_SPAN_GROUP_H

#include "spans/spans.h"

struct span_analysis;
struct str;

/* A table whose names are the values of a field. */
struct span_grouped {
	struct span_table table;  /* shares all else with the one that it was made from */
	struct span_table values; /* owns the values */
	uint32_t *name;
	uint32_t none; /* the name of spans that have no such field, or SPAN_NONE */
};

/* Reads the field of every row, "(no such field)" where a span has none. Returns 0, -ECANCELED,
 * -ENOENT where none has it, or -errno where the text of a span cannot be read again. The first
 * table must stay. */
int span_group(struct span_grouped *grouped, const struct span_table *table, const char *field);
/* After -ENOENT: that there is no such field, and which there are, in a line without its end. */
void span_group_say_none(struct str *out, const struct span_grouped *grouped, const char *field);
/* Shares of critical paths by the value that a span has, or else the nearest span around it: what
 * is done within a worker's span is the worker's. Changes only these in an analysis of .table. */
void span_group_paths(const struct span_grouped *grouped, struct span_analysis *analysis);
void span_group_free(struct span_grouped *grouped);

#endif
