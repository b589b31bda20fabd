/* SPDX-License-Identifier: GPL-2.0-only */
/* Which checks are known not to look on some machines? */
#include "base/banned.h"

#include "base/str.h"
#include "check/check.h"
#include "tools/merge/gaps.h"

/* Whether the name is one of a list's, which has blanks or commas between. */
static bool gaps_list(const char *list, const char *name)
{
	size_t len;

	while (list && *(list += strspn(list, " ,"))) {
		len = strcspn(list, " ,");
		if (strlen(name) == len && !strncmp(list, name, len))
			return true;
		list += len;
	}
	return false;
}

enum verdict gaps_counts_as(const char *gaps, const struct check_result *result)
{
	if (result->verdict == VERDICT_UNKNOWN && gaps_list(gaps, result->check->name))
		return VERDICT_GOOD;
	return result_counts_as(result);
}

enum verdict gaps_verdict_of(const char *gaps, const struct report *report)
{
	bool any = false, others = report->n_errors;
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (result->verdict != VERDICT_UNKNOWN)
			continue;
		if (gaps_counts_as(gaps, result) == VERDICT_GOOD)
			any = true;
		else
			others = true;
	}
	return report->verdict == VERDICT_UNKNOWN && any && !others ? VERDICT_GOOD
								    : report->verdict;
}
