/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile for strangers. */
#ifndef TUESDAY_TOOLS_FLAME_REDACTED_H
#define TUESDAY_TOOLS_FLAME_REDACTED_H

struct flame_profile;

/* Replaces the names of a tree that is settled; those of the kernel's functions stay. Returns 0 or
 * -errno. */
int flame_profile_redact(struct flame_profile *profile);

#endif
