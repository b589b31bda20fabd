/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of instances: threads by CPU or cgroup, CPUs by node. */
#ifndef TUESDAY_SAMPLE_GROUPS_H
#define TUESDAY_SAMPLE_GROUPS_H

#include <stddef.h>

struct instances;
struct sweep;

/* Asks for groups of the instances of a reference's source, by a kind that it knows: "node". As
 * sweep_reference, it must precede sweep_open. */
void sweep_want_group(struct sweep *sweep, int reference, const char *kind);
/* The groups that were met, and the number of the one that an instance was in when it was last
 * seen; NULL, and -1, where there is none. */
const struct instances *sweep_groups(const struct sweep *sweep, int reference, const char *kind);
long sweep_group_of(const struct sweep *sweep, int reference, const char *kind, size_t instance);

#endif
