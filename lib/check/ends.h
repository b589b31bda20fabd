/* SPDX-License-Identifier: GPL-2.0-only */
/* How what a metric accuses comes to an end. */
#ifndef TUESDAY_CHECK_ENDS_H
#define TUESDAY_CHECK_ENDS_H

#include <stdbool.h>

struct metric;

/*
 * A phrase: what its 'ends' says, or what follows from the kind of number that it is; NULL for a
 * metric that accuses nobody. Not escaped where it is of the check file.
 */
const char *metric_ends(const struct metric *metric);

/*
 * Whether it counts since the start of something and accuses, and no age, growth or time since the
 * start is asked of it, and no 'ends' says how it ends: then it would accuse for ever.
 */
bool metric_never_ends(const struct metric *metric);

#endif
