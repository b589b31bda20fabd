/* SPDX-License-Identifier: GPL-2.0-only */
/* What the accused share and the others do not. */
#ifndef TUESDAY_TOOLS_MERGE_COMPARE_H
#define TUESDAY_TOOLS_MERGE_COMPARE_H

#include <stddef.h>
#include <stdint.h>

struct fleet;
struct shared;

/* Fills fleet->shared. */
void fleet_compare(struct fleet *fleet);

/* The comparisons of a check that tell most, n of them. */
const struct shared *fleet_shared(const struct fleet *fleet, uint32_t check, size_t *n);

#endif
