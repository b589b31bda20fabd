/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers have accused, that a check file can ask for again? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/str.h"
#include "tools/learn/internal.h"

static bool lessons_is_accused(const struct report *report, const struct check_result *result)
{
	enum verdict worst = VERDICT_MAYBE;
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == VERDICT_BAD)
			worst = VERDICT_BAD;
	return result->verdict == worst;
}

const struct check_result *lessons_first_accused(const struct report *report)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (lessons_is_accused(report, &report->checks[i]))
			return &report->checks[i];
	return NULL;
}

static const struct metric *find_metric(const struct check *check, const char *name)
{
	size_t i;

	for (i = 0; check && i < check->n_metrics; i++)
		if (!strcmp(check->metrics[i]->name, name))
			return check->metrics[i];
	return NULL;
}

/* Of two checks' traces of one name only the first can be there. */
static bool trace_is_free(
	const struct lessons *lessons, const struct check *check, const struct metric *metric)
{
	size_t i;

	for (i = 0; metric->trace && i < lessons->n; i++)
		if (lessons->list[i].metric->trace && lessons->list[i].check != check &&
			!strcmp(lessons->list[i].metric->trace, metric->trace))
			return false;
	return true;
}

static char *free_name(const struct lessons *lessons, const struct lesson *lesson)
{
	size_t i;

	for (i = 0; i < lessons->n; i++)
		if (!strcmp(lessons->list[i].name, lesson->metric->name)) {
			char *name = mem_printf("%s_%s", lesson->check->name, lesson->metric->name);
			char *at;

			for (at = name; (at = strchr(at, '-'));)
				*at = '_';
			return name;
		}
	return mem_strdup(lesson->metric->name);
}

static bool lessons_have(const struct lessons *lessons, const struct metric *metric)
{
	size_t i;

	for (i = 0; i < lessons->n; i++)
		if (lessons->list[i].metric == metric)
			return true;
	return false;
}

static void leave_out(
	const struct lessons *lessons, const char *check, const char *metric, const char *why)
{
	char *shown = escape_word(check), *number = escape_word(metric);

	fprintf(stderr, "%s: %s of check %s is left out: %s\n", lessons->program, number, shown,
		why);
	free(shown);
	free(number);
}

static void add_lesson(struct lessons *lessons, const struct check_result *accused,
	const struct metric_result *result)
{
	const struct check *check = checks_find(lessons->checks, accused->check->name);
	struct lesson lesson = {check, find_metric(check, result->metric->name), result, NULL};
	const char *why = !check || check->foreign
		? "a program answered, or there is no such check here"
		: !lesson.metric	    ? "this Tuesday does not know it"
		: lessons->n == LESSONS_MAX ? "there are too many"
		: !trace_is_free(lessons, check, lesson.metric)
		? "another check has a trace of the same name"
		: NULL;

	if (lesson.metric && lessons_have(lessons, lesson.metric))
		return;
	if (why) {
		leave_out(lessons, accused->check->name, result->metric->name, why);
		return;
	}
	lesson.name = free_name(lessons, &lesson);
	lessons->list[lessons->n++] = lesson;
}

/* Those that have the worst verdict that any of them has: of a check that a trace has made bad the
 * counters say maybe. */
static void lessons_add_accused(struct lessons *lessons, const struct check_result *result)
{
	const struct metric_result *lists[] = {result->metrics, result->past};
	const size_t counts[] = {result->n_metrics, result->n_past};
	enum verdict worst = VERDICT_MAYBE;
	size_t list, i;

	for (list = 0; list < ARRAY_SIZE(lists); list++)
		for (i = 0; i < counts[list]; i++)
			if (lists[list][i].verdict == VERDICT_BAD)
				worst = VERDICT_BAD;
	for (list = 0; list < ARRAY_SIZE(lists); list++)
		for (i = 0; i < counts[list]; i++)
			if (lists[list][i].verdict == worst)
				add_lesson(lessons, result, &lists[list][i]);
}

int lessons_choose(struct lessons *lessons)
{
	const struct report *report = lessons->report;
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (lessons_is_accused(report, &report->checks[i]))
			lessons_add_accused(lessons, &report->checks[i]);
	if (lessons->n)
		return 0;
	fprintf(stderr,
		"%s: no number accused that this Tuesday knows: there is nothing to learn\n",
		lessons->program);
	return -ENOENT;
}

void lessons_free(struct lessons *lessons)
{
	while (lessons->n)
		free(lessons->list[--lessons->n].name);
	free(lessons->incident);
}
