/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts that say the same, and the worst of them. */
#ifndef TUESDAY_TOOLS_MERGE_CLUSTERS_H
#define TUESDAY_TOOLS_MERGE_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>

struct fleet;
struct host;
struct str;

/* Hosts that say the same of every check that accuses anybody. */
struct pattern {
	size_t first; /* an index into hosts, in hosts[] */
	size_t n;
};

/* The patterns of all hosts that are not stale, the worst first, good ones last. */
struct patterns {
	size_t *hosts; /* indices, pattern by pattern */
	struct pattern *list;
	size_t n;
	unsigned int *columns; /* the checks that accuse anybody, in the order of reading */
	size_t n_columns;
};
void patterns_find(struct patterns *patterns, const struct fleet *fleet);
void patterns_free(struct patterns *patterns);

/* All hosts, the worst first, those that are stale last. The caller frees. */
size_t *worst_hosts(const struct fleet *fleet);

/* Which hosts are accused by a check; their indices, n of them. The caller frees. */
size_t *accused_hosts(const struct fleet *fleet, unsigned int check, size_t *n);
/* The names of hosts, folded: see fold_names. */
void add_hosts(
	struct str *out, const struct fleet *fleet, const size_t *hosts, size_t n, size_t columns);

/* Who is blamed most by a check: "process puma", on how many hosts; false where nobody is named on
 * two. */
bool common_culprit(
	const struct fleet *fleet, unsigned int check, const char **culprit, size_t *hosts);

/* One letter of the matrix in JSON: B m ? . - and a blank for absent. */
char cell_letter(unsigned int cell);

/* The same for people, as 'tuesday history' draws it: # ~ ? . - and a blank. */
char cell_sign(unsigned int cell);
#define CELL_LEGEND ". good  ~ maybe  # bad  ? unknown  - does not apply"

#endif
