/* SPDX-License-Identifier: GPL-2.0-only */
/* The type of what is wrong with a fleet. */
#ifndef TUESDAY_TOOLS_MERGE_FLEETTYPE_H
#define TUESDAY_TOOLS_MERGE_FLEETTYPE_H

struct fleet;

/* Fills fleet->type. */
void fleet_derive_type(struct fleet *fleet);

#endif
