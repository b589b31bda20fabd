/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run that nobody watches: it is silent unless a light has changed, a bad one is older than its
 * reminder, or the day's digest is due; and it never runs twice at once.
 */
#ifndef TUESDAY_RUN_CRON_H
#define TUESDAY_RUN_CRON_H

#include <stdbool.h>

struct options;
struct report;
struct run_state;
struct str;

/*
 * Waits its splay, and takes the lock of this consumer for the rest of the process. In the lock's
 * file it stands from then on that this run has begun, until cron_end; if an earlier one of this
 * boot is still said to have begun, options->cron_unended is when: it was killed. Returns 0; or
 * -EBUSY where such a run is under way, with a message.
 */
int cron_begin(struct options *options, const char *program);
void cron_end(const struct options *options);

/*
 * Notes the lights of a report in saved, tells the journal of those that changed, and appends to
 * news what there is to say, for a person. Returns whether there is anything.
 */
bool cron_news(struct run_state *saved, const struct options *options, const struct report *report,
	struct str *news);

/* Says that something about the state could not be done, on standard error. */
void cron_warn(const struct options *options, const char *what, int err);

/* The seconds that a machine waits of a splay: always the same share of it. */
double cron_splay(const char *machine, double seconds);

#endif
