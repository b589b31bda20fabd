/* SPDX-License-Identifier: GPL-2.0-only */
/* The words by which a check or a metric is searched for. */
#ifndef TUESDAY_CHECK_KEYWORDS_H
#define TUESDAY_CHECK_KEYWORDS_H

#include <stdbool.h>

struct check;
struct metric;

/* Whether word is, or is a part of, one of the keywords, whatever their case: "oom" of "OOM
 * killer". A metric also has its name for one. A word of fewer than 3 characters must be the whole.
 */
bool check_has_keyword(const struct check *check, const char *word);
bool metric_has_keyword(const struct metric *metric, const char *word);
/* Either of them, the check's or any of its metrics'. */
bool check_is_about(const struct check *check, const char *word);

/*
 * Whether anything that the check says has the word: its name, keywords, place and question, or a
 * metric's name, keywords, say, why or however. The word may begin in the middle of a sentence, and
 * of a word for those of a name ("oom" of "oom_kill_count"). *where is set to what of it has it:
 * NULL for the check itself, else the metric.
 */
bool check_tells_of(const struct check *check, const char *word, const struct metric **where);
bool metric_tells_of(const struct metric *metric, const char *word);

#endif
