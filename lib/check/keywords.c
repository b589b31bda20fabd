/* SPDX-License-Identifier: GPL-2.0-only */
/* Which check is about the thing that a person has a word for? */
#include "base/banned.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "check/check.h"
#include "check/keywords.h"

#define PART_MIN 3 /* characters of a part that is searched for */

/* Whether the keyword begins with the word at any of its own words: "page" of "huge page", and not
 * "age". */
static bool keyword_has(const char *keyword, size_t len, const char *word)
{
	size_t n = strlen(word), i;

	if (n < PART_MIN)
		return n == len && n && !strncasecmp(keyword, word, n);
	for (i = 0; i + n <= len; i++)
		if ((!i || strchr(" -_./(", keyword[i - 1])) && !strncasecmp(keyword + i, word, n))
			return true;
	return false;
}

/* keywords: separated by commas; NULL for none. */
static bool keywords_have(const char *keywords, const char *word)
{
	const char *at = keywords ? keywords : "";

	for (at += strspn(at, " \t,"); *at; at += strspn(at, " \t,")) {
		size_t len = strcspn(at, ","), end = len;

		while (end && strchr(" \t", at[end - 1]))
			end--;
		if (keyword_has(at, end, word))
			return true;
		at += len;
	}
	return false;
}

bool check_has_keyword(const struct check *check, const char *word)
{
	return keywords_have(check->keywords, word);
}

bool metric_has_keyword(const struct metric *metric, const char *word)
{
	return !strcmp(metric->name, word) || keywords_have(metric->keywords, word);
}

bool check_is_about(const struct check *check, const char *word)
{
	bool found = check_has_keyword(check, word);
	size_t i;

	for (i = 0; i < check->n_metrics; i++)
		found |= metric_has_keyword(check->metrics[i], word);
	return found;
}

static bool text_tells_of(const char *text, const char *word)
{
	return text && keyword_has(text, strlen(text), word);
}

bool metric_tells_of(const struct metric *metric, const char *word)
{
	return metric_has_keyword(metric, word) || text_tells_of(metric->name, word) ||
		text_tells_of(metric->say, word) || text_tells_of(metric->why, word) ||
		text_tells_of(metric->however, word);
}

bool check_tells_of(const struct check *check, const char *word, const struct metric **where)
{
	size_t i;

	*where = NULL;
	if (!strcmp(check->name, word) || check_has_keyword(check, word) ||
		text_tells_of(check->place, word) || text_tells_of(check->question, word) ||
		(check->area && !strcmp(check->area, word)))
		return true;
	for (i = 0; i < check->n_metrics; i++)
		if (metric_tells_of(check->metrics[i], word)) {
			*where = check->metrics[i];
			return true;
		}
	return false;
}
