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

static void diff_add_value(struct values *values, double value)
{
	ARRAY_GROW(values->list, values->n, values->room);
	values->list[values->n++] = value;
}

static struct subject *new_subject(struct contrast *contrast, const char *check)
{
	ARRAY_GROW(contrast->subjects, contrast->n, contrast->room);
	contrast->subjects[contrast->n] =
		(struct subject){.check = mem_strdup(check), .last = {VERDICT_SKIP, VERDICT_SKIP}};
	return &contrast->subjects[contrast->n++];
}

static int diff_take_series(void *arg, const struct history_series *series)
{
	struct contrast *contrast = arg;
	struct subject *subject = new_subject(contrast, series->check);

	subject->metric = mem_strdup(series->metric);
	subject->instance = mem_strdup(series->instance);
	subject->series = series->id;
	subject->unit = series->unit;
	contrast->n_series = contrast->n;
	return 0;
}

static int diff_by_series(const void *a, const void *b)
{
	const struct subject *left = a, *right = b;

	return (left->series > right->series) - (left->series < right->series);
}

static int diff_take_value(void *arg, const struct history_value *value)
{
	struct contrast *contrast = arg;
	const struct subject key = {.series = value->series};
	struct subject *subject =
		bsearch(&key, contrast->subjects, contrast->n_series, sizeof(key), diff_by_series);

	if (!subject)
		return 0;
	diff_add_value(&subject->side[contrast->at], value->value);
	subject->last[contrast->at] = value->verdict;
	return 0;
}

static int diff_take_verdict(void *arg, const struct history_light *light)
{
	struct contrast *contrast = arg;
	struct subject *subject = NULL;
	size_t i;

	if (light->verdict == VERDICT_SKIP || light->verdict == VERDICT_UNKNOWN)
		return 0;
	for (i = contrast->n_series; i < contrast->n && !subject; i++)
		if (!strcmp(contrast->subjects[i].check, light->check))
			subject = &contrast->subjects[i];
	if (!subject)
		subject = new_subject(contrast, light->check);
	diff_add_value(&subject->side[contrast->at], light->verdict != VERDICT_GOOD);
	subject->last[contrast->at] = light->verdict;
	return 0;
}

static int count_run(void *arg, const struct history_run *run)
{
	struct contrast *contrast = arg;

	(void)run;
	contrast->side[contrast->at].runs++;
	return 0;
}

static int diff_read_side(struct contrast *contrast, struct history *history, size_t at)
{
	struct side *side = &contrast->side[at];
	int err;

	contrast->at = at;
	if (side->run) {
		side->runs = 1;
		err = history_values_of(history, side->run, diff_take_value, contrast);
		return err ? err
			   : history_lights_of(history, side->run, diff_take_verdict, contrast);
	}
	err = history_each_run(history, side->from, side->to, count_run, contrast);
	if (!err)
		err = history_each_value(
			history, NULL, side->from, side->to, diff_take_value, contrast);
	if (!err)
		err = history_each_light(
			history, NULL, side->from, side->to, diff_take_verdict, contrast);
	return err;
}

int contrast_read(struct contrast *contrast, struct history *history)
{
	int err = history_each_series(history, NULL, diff_take_series, contrast);
	size_t i;

	if (!err && contrast->n)
		qsort(contrast->subjects, contrast->n, sizeof(*contrast->subjects), diff_by_series);
	for (i = 0; !err && i < 2; i++)
		err = diff_read_side(contrast, history, i);
	return err;
}

void contrast_test(struct contrast *contrast)
{
	struct compared **list = mem_realloc_array(NULL, contrast->n + 1, sizeof(*list));
	size_t i, n = 0;

	for (i = 0; i < contrast->n; i++) {
		struct subject *subject = &contrast->subjects[i];
		const struct values *a = &subject->side[0], *b = &subject->side[1];

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

void contrast_free(struct contrast *contrast)
{
	size_t i;

	for (i = 0; i < contrast->n; i++) {
		free(contrast->subjects[i].check);
		free(contrast->subjects[i].metric);
		free(contrast->subjects[i].instance);
		free(contrast->subjects[i].side[0].list);
		free(contrast->subjects[i].side[1].list);
	}
	free(contrast->subjects);
}

void contrast_effect(struct str *out, const struct subject *subject)
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
