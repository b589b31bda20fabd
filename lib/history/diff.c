/* SPDX-License-Identifier: GPL-2.0-only */
/* What do two times of a history have, and does it differ? */
#include "base/banned.h"

#include <errno.h>

#include "history/diff.h"
#include "history/history.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"
#include "history/query.h"
#include "history/read.h"

static void diff_add_value(struct diff_values *values, double value)
{
	ARRAY_GROW(values->list, values->n, values->room);
	values->list[values->n++] = value;
}

static struct diff_subject *new_subject(struct diff *diff, const char *check)
{
	ARRAY_GROW(diff->subjects, diff->n, diff->room);
	diff->subjects[diff->n] = (struct diff_subject){
		.check = mem_strdup(check), .last = {VERDICT_SKIP, VERDICT_SKIP}};
	return &diff->subjects[diff->n++];
}

static int diff_take_series(void *arg, const struct history_series *series)
{
	struct diff *diff = arg;
	struct diff_subject *subject = new_subject(diff, series->check);

	subject->metric = mem_strdup(series->metric);
	subject->instance = mem_strdup(series->instance);
	subject->series = series->id;
	subject->unit = series->unit;
	diff->n_series = diff->n;
	return 0;
}

static int diff_by_series(const void *a, const void *b)
{
	const struct diff_subject *left = a, *right = b;

	return (left->series > right->series) - (left->series < right->series);
}

static int diff_take_value(void *arg, const struct history_value *value)
{
	struct diff *diff = arg;
	const struct diff_subject key = {.series = value->series};
	struct diff_subject *subject =
		bsearch(&key, diff->subjects, diff->n_series, sizeof(key), diff_by_series);

	if (!subject)
		return 0;
	diff_add_value(&subject->side[diff->at], value->value);
	subject->last[diff->at] = value->verdict;
	return 0;
}

static int diff_take_verdict(void *arg, const struct history_verdict *light)
{
	struct diff *diff = arg;
	struct diff_subject *subject = NULL;
	size_t i;

	if (light->verdict == VERDICT_SKIP || light->verdict == VERDICT_UNKNOWN)
		return 0;
	for (i = diff->n_series; i < diff->n && !subject; i++)
		if (!strcmp(diff->subjects[i].check, light->check))
			subject = &diff->subjects[i];
	if (!subject)
		subject = new_subject(diff, light->check);
	diff_add_value(&subject->side[diff->at], light->verdict != VERDICT_GOOD);
	subject->last[diff->at] = light->verdict;
	return 0;
}

static int count_run(void *arg, const struct history_run *run)
{
	struct diff *diff = arg;

	(void)run;
	diff->side[diff->at].runs++;
	return 0;
}

static int diff_read_side(struct diff *diff, struct history *history, size_t at)
{
	struct diff_side *side = &diff->side[at];
	int err;

	diff->at = at;
	if (side->run) {
		side->runs = 1;
		err = history_values_of(history, side->run, diff_take_value, diff);
		return err ? err : history_verdicts_of(history, side->run, diff_take_verdict, diff);
	}
	err = history_each_run(history, side->from, side->to, count_run, diff);
	if (!err)
		err = history_each_value(
			history, NULL, side->from, side->to, diff_take_value, diff);
	if (!err)
		err = history_each_verdict(
			history, NULL, side->from, side->to, diff_take_verdict, diff);
	return err;
}

int diff_read(struct diff *diff, struct history *history)
{
	int err = history_each_series(history, NULL, diff_take_series, diff);
	size_t i;

	if (!err && diff->n)
		qsort(diff->subjects, diff->n, sizeof(*diff->subjects), diff_by_series);
	for (i = 0; !err && i < 2; i++)
		err = diff_read_side(diff, history, i);
	return err;
}

void diff_test(struct diff *diff)
{
	struct compared **list = mem_realloc_array(NULL, diff->n + 1, sizeof(*list));
	size_t i, n = 0;

	for (i = 0; i < diff->n; i++) {
		struct diff_subject *subject = &diff->subjects[i];
		const struct diff_values *a = &subject->side[0], *b = &subject->side[1];

		if (!a->n || !b->n)
			continue;
		if (subject->metric)
			compared_values(a->list, a->n, b->list, b->n, &subject->compared);
		else
			compared_shares(a->list, a->n, b->list, b->n, &subject->compared);
		list[n++] = &subject->compared;
	}
	compared_adjust(list, n);
	free(list);
}

void diff_free(struct diff *diff)
{
	size_t i;

	for (i = 0; i < diff->n; i++) {
		free(diff->subjects[i].check);
		free(diff->subjects[i].metric);
		free(diff->subjects[i].instance);
		free(diff->subjects[i].side[0].list);
		free(diff->subjects[i].side[1].list);
	}
	free(diff->subjects);
}

void diff_effect(struct str *out, const struct diff_subject *subject)
{
	const struct compared *compared = &subject->compared;
	enum unit unit = subject->metric ? subject->unit : UNIT_RATIO;

	str_add(out, ": ");
	str_add(out, subject->metric ? "" : "accused in ");
	value_for_people(out, compared->middle_a, unit);
	str_add(out, subject->metric ? " -> " : " of the runs -> ");
	value_for_people(out, compared->middle_b, unit);
	if (compared->ratio) {
		str_addf(out, ", times %.3g", compared->effect);
		if (compared->have_interval)
			str_addf(out, " (95 %%: %.3g to %.3g)", compared->low, compared->high);
	} else {
		str_add(out, ", by ");
		value_for_people(out, compared->effect, unit);
		if (compared->have_interval) {
			str_add(out, " (95 %: ");
			value_for_people(out, compared->low, unit);
			str_add(out, " to ");
			value_for_people(out, compared->high, unit);
			str_addc(out, ')');
		}
	}
	str_addf(out, ", p %.2g", compared->adjusted);
}
