/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits that we raise for ourselves, and that what we start is not to have. */
#ifndef TUESDAY_SYS_RAISED_LIMIT_H
#define TUESDAY_SYS_RAISED_LIMIT_H

#include <stdbool.h>
#include <sys/resource.h>

/* Raises the soft limit of a resource (RLIMIT_*) to what is wanted or as far as it goes; the hard
 * one too where hard is true and that is allowed. A limit that is higher stays. */
void raised_limit_set(int resource, rlim_t wanted, bool hard);

/* In a child that is about to become another program: gives each raised limit the value that our
 * own caller gave us. */
void raised_limits_undo(void);

#endif
