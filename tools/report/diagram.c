/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in the system do the lights stand? */
#include "base/banned.h"
#include "base/escape.h"
#include "output/html_page.h"
#include "base/str.h"
#include "tools/report/phrases.h"
#include "check/check.h"
#include "tools/report/diagram.h"
#include "tools/report/areas.h"
#include "tools/report/status.h"
#include "tools/report/model.h"

#define UNIT_X 100 /* a column of the grid */
#define UNIT_Y 74
#define GAP 10
#define LAYER 25   /* the height of a layer */
#define PILL 78	   /* the width of a light */
#define LETTER 7.3 /* the mean width of a letter, generously */
#define ACCUSED_MAX 2

struct box {
	unsigned int x, y, width, height;
};

static struct box box_of(const struct area *area)
{
	return (struct box){
		.x = area->x * UNIT_X + GAP / 2,
		.y = area->y * UNIT_Y + GAP / 2,
		.width = area->width * UNIT_X - GAP,
		.height = area->height * UNIT_Y - GAP,
	};
}

static void diagram_add_text(struct str *out, unsigned int x, unsigned int y, const char *class,
	const char *text, unsigned int width)
{
	str_addf(out, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, x, y);
	page_cut(out, text, width > 4 * LETTER ? (size_t)(width / LETTER) : 4);
	str_add(out, "</text>\n");
}

/* "Sockets, TCP and UDP": one strip each, at the foot of the box. */
static void add_layers(struct str *out, const struct area *area, const struct box *box)
{
	const char *at = area->layers;
	unsigned int n = 1, i;

	if (!at)
		return;
	for (i = 0; at[i]; i++)
		n += at[i] == ',';
	for (i = 0; i < n; i++) {
		size_t len = strcspn(at, ",");
		char *name = mem_strndup(at, len);
		unsigned int y = box->y + box->height - (n - i) * LAYER - 3;

		str_addf(out,
			"<rect class=\"layer\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" "
			"rx=\"4\"/>\n",
			box->x + 12, y, box->width - 24, LAYER - 4);
		diagram_add_text(out, box->x + 20, y + 15, "small", name, box->width - 40);
		free(name);
		at += len + (at[len] == ',');
		at += strspn(at, " ");
	}
}

static size_t count_accused(const struct area *area)
{
	return area->at[VERDICT_BAD] + area->at[VERDICT_MAYBE];
}

/* The first of those that accuse, and how many others there are. */
static void diagram_add_accused(
	struct str *out, const struct story *story, const struct area *area, const struct box *box)
{
	size_t n = count_accused(area), shown = n < ACCUSED_MAX ? n : ACCUSED_MAX, i;
	struct str line = STR_INIT;

	for (i = 0; area->height > 1 && i < shown; i++) {
		const struct check_result *result = &story->report->checks[area->checks[i]];

		str_clear(&line);
		str_addf(&line, "%s %s", verdict_text(result->verdict), result->check->name);
		if (i == shown - 1 && n > shown)
			str_addf(&line, " and %zu more", n - shown);
		diagram_add_text(out, box->x + 14, box->y + 66 + (unsigned int)i * 19, "strong",
			str_text(&line), box->width - 20);
	}
	str_free(&line);
}

/* A small box has one line for all. */
static void diagram_add_line(
	struct str *out, const struct story *story, const struct area *area, const struct box *box)
{
	bool strong = area->height == 1 && count_accused(area);
	struct str line = STR_INIT;
	size_t at[VERDICTS];

	memcpy(at, area->at, sizeof(at));
	/* What does not apply here is left out where there is anything else. */
	if (area->n > at[VERDICT_SKIP])
		at[VERDICT_SKIP] = 0;
	if (strong)
		say_area(&line, story->report, area);
	else if (area->n)
		say_counts(&line, at);
	else if (area->part != PART_PROGRAMS)
		str_add(&line, "no check has looked");
	if (!line.len)
		return;
	diagram_add_text(out, box->x + 14, box->y + 46, strong ? "strong" : "small",
		str_text(&line), box->width - 20);
	str_free(&line);
}

static void add_pill(struct str *out, const struct area *area, const struct box *box)
{
	str_addf(out,
		"<rect class=\"pill\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"22\" rx=\"11\"/>\n"
		"<text class=\"word\" x=\"%u\" y=\"%u\">%s</text>\n",
		box->x + box->width - PILL - 8, box->y + 8, PILL,
		box->x + box->width - PILL / 2 - 8, box->y + 24, verdict_text(area->verdict));
}

/* Who was named as a culprit runs in the applications, which no check is about. */
static void add_programs(struct str *out, const struct story *story, const struct box *box)
{
	const struct report *report = story->report;
	struct str line = STR_INIT;
	size_t i, n = 0;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (!is_accused(result) || !result->n_culprits ||
			strcmp(result->culprits[0].kind, "process") != 0)
			continue;
		str_addf(&line, "%s%s", n ? ", " : "blamed: ", result->culprits[0].name);
		if (++n == 4)
			break;
	}
	if (n)
		diagram_add_text(
			out, box->x + 14, box->y + 46, "strong", str_text(&line), box->width - 20);
	str_free(&line);
}

static void diagram_add_area(struct str *out, const struct story *story, const struct area *area)
{
	struct box box = box_of(area);

	str_addf(out,
		"<g class=\"area %s\"><rect class=\"box\" x=\"%u\" y=\"%u\" width=\"%u\" "
		"height=\"%u\" rx=\"9\"/>\n",
		area->n ? verdict_text(area->verdict) : "none", box.x, box.y, box.width,
		box.height);
	diagram_add_text(out, box.x + 14, box.y + 25, "title", area->title,
		box.width - 20 - (area->n ? PILL : 0));
	if (area->n)
		add_pill(out, area, &box);
	else if (area->part == PART_PROGRAMS)
		add_programs(out, story, &box);
	diagram_add_line(out, story, area, &box);
	diagram_add_accused(out, story, area, &box);
	add_layers(out, area, &box);
	str_add(out, "</g>\n");
}

/* The same for who cannot see the picture, and where there is no room for it. */
static void add_table(struct str *out, const struct story *story)
{
	struct str text = STR_INIT;
	size_t i;

	str_add(out,
		"<div class=\"wide areas\"><table><caption>The lights by part of the system"
		"</caption><thead><tr><th scope=\"col\">Part</th><th scope=\"col\">Light</th>"
		"<th scope=\"col\">Checks</th></tr></thead><tbody>\n");
	for (i = 0; i < story->areas.n; i++) {
		const struct area *area = &story->areas.list[i];

		if (!area->n)
			continue;
		str_clear(&text);
		say_area(&text, story->report, area);
		str_add(out, "<tr><th scope=\"row\">");
		page_cut(out, area->title, 60);
		str_add(out, "</th><td>");
		page_verdict(out, area->verdict);
		str_add(out, "</td><td>");
		page_cut(out, str_text(&text), 300);
		str_add(out, "</td></tr>\n");
	}
	str_add(out, "</tbody></table></div>\n");
	str_free(&text);
}

void page_diagram(struct str *out, const struct story *story)
{
	const struct areas *areas = &story->areas;
	size_t i;

	str_add(out, "<section aria-labelledby=\"system\"><h2 id=\"system\">The system</h2>\n");
	str_addf(out,
		"<svg class=\"diagram\" viewBox=\"0 0 %u %u\" aria-hidden=\"true\" "
		"focusable=\"false\">\n",
		12 * UNIT_X, areas->rows * UNIT_Y);
	for (i = 0; i < areas->n; i++)
		diagram_add_area(out, story, &areas->list[i]);
	str_add(out, "</svg>\n");
	add_table(out, story);
	str_add(out, "</section>\n");
}
