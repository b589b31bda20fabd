/* SPDX-License-Identifier: GPL-2.0-only */
/* Has what a check file judges ever been met, or is it known from documents only? */
#ifndef TUESDAY_CHECK_SEEN_H
#define TUESDAY_CHECK_SEEN_H

/* The key "seen" of a metric and of an experiment, and of [check] for those that do not say it. */
enum seen_how {
	SEEN_UNSAID,
	SEEN_NEVER, /* written after documents and source text */
	SEEN_TREE,  /* on a machine that was written by hand, or that a stand-in played */
	SEEN_LIVE   /* on a running machine: the fault was made, or met, and it was found */
};

struct check;
struct experiment;
struct key_job;
struct metric;

/* What a section says, else what its check says. */
enum seen_how metric_seen(const struct check *check, const struct metric *metric);
enum seen_how experiment_seen(const struct check *check, const struct experiment *experiment);

/* A sentence of each for people; NULL where nothing is said. */
const char *metric_seen_text(const struct check *check, const struct metric *metric);
const char *experiment_seen_text(const struct check *check, const struct experiment *experiment);

/* Takes the key's value (see check/keys.h); the field is an enum seen_how. */
void key_take_seen(const struct key_job *job);

#endif
