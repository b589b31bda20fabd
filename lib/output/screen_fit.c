/* SPDX-License-Identifier: GPL-2.0-only */
/* What is left out first where a screen is too small? */
#include "base/banned.h"

#include "base/str.h"
#include "output/screen_fit.h"

struct str *fit_add(struct fit *fit, size_t group, enum fit_need need)
{
	ARRAY_GROW(fit->lines, fit->n, fit->room);
	fit->lines[fit->n] = (struct fit_line){.group = group, .need = need};
	return &fit->lines[fit->n++].text;
}

static size_t fit_rows(const struct fit_line *line)
{
	size_t n = 0, i;

	for (i = 0; i < line->text.len; i++)
		n += line->text.text[i] == '\n';
	return n;
}

/* A headline comes first in its group. */
static bool fit_has_headline(const struct fit *fit, const struct fit_line *line)
{
	const struct fit_line *first = fit->lines;

	while (first->group != line->group)
		first++;
	return first == line || first->taken;
}

/* Returns the rows that are left. */
static size_t fit_choose_need(struct fit *fit, enum fit_need need, size_t rows)
{
	size_t i;

	for (i = 0; i < fit->n; i++) {
		struct fit_line *line = &fit->lines[i];
		size_t wanted = fit_rows(line);

		if (line->need != need)
			continue;
		if (!fit_has_headline(fit, line) || (wanted > rows && need != FIT_WORST))
			break;
		line->taken = true;
		rows -= wanted < rows ? wanted : rows;
	}
	return rows;
}

void fit_choose(struct fit *fit, size_t rows)
{
	enum fit_need need;
	size_t i;

	for (i = 0; i < fit->n; i++)
		fit->lines[i].taken = !rows;
	for (need = 0; rows && need < FIT_NEEDS; need++)
		rows = fit_choose_need(fit, need, rows);
}

void fit_write(struct str *out, const struct fit *fit)
{
	size_t i;

	for (i = 0; i < fit->n; i++)
		if (fit->lines[i].taken)
			str_addn(out, str_text(&fit->lines[i].text), fit->lines[i].text.len);
}

void fit_free(struct fit *fit)
{
	size_t i;

	for (i = 0; i < fit->n; i++)
		str_free(&fit->lines[i].text);
	free(fit->lines);
	*fit = (struct fit){0};
}
