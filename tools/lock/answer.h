/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_LOCK_ANSWER_H
#define TUESDAY_TOOLS_LOCK_ANSWER_H

struct lock_options;
struct lock_watch;
struct str;

/* What was waited for locks, for people: a sentence, two tables, what to do. */
void lock_answer_text(
	struct str *out, const struct lock_watch *watch, const struct lock_options *asked);
/* The same as JSON of schema tuesday-locks/1. */
void lock_answer_json(
	struct str *out, const struct lock_watch *watch, const struct lock_options *asked);

#endif
