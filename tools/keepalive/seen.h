/* SPDX-License-Identifier: GPL-2.0-only */
/* Small questions about what was seen inside the server. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_SEEN_H
#define TUESDAY_TOOLS_KEEPALIVE_SEEN_H

#include <stdbool.h>

struct limits_of_run;
struct seen;

/* The share of the answers that a thread gave to the connection that it had just served, while an
 * older request waited. */
double seen_continued_share(const struct seen *seen);

/* Whether all CPUs were busy and nobody waited long: a thread that waits for a CPU leaves its own
 * request unread too. */
bool seen_may_be_cpus(const struct seen *seen, const struct limits_of_run *limits);

/* Whether so few were overtaken that it may be connections that nobody reads from. */
bool seen_may_be_stuck(const struct seen *seen, const struct limits_of_run *limits);

#endif
