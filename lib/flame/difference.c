/* SPDX-License-Identifier: GPL-2.0-only */
/* Which frames have another share than before, and what has gone? */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "base/str.h"
#include "flame/difference.h"
#include "flame/layout.h"
#include "flame/svg.h"
#include "flame/tree.h"
#include "stats/discoveries.h"

enum { GONE_ROWS_MAX = 60, GONE_BOXES_MAX = 5000 };

#define LEFT 10.0
#define ROW 16.0
#define CHARACTER 6.62

static uint64_t *difference_totals(const struct flame_tree *tree, const uint64_t *selves)
{
	uint64_t *totals = mem_realloc_array(NULL, tree->n, sizeof(*totals));

	memcpy(totals, selves, tree->n * sizeof(*totals));
	for (size_t i = tree->n; i-- > 1;)
		totals[tree->nodes[i].parent] += totals[i];
	return totals;
}

/* Points of a share, in three steps as they double. */
static unsigned char difference_step(double points)
{
	const double size = fabs(points);
	const unsigned char step = size >= 0.05 ? 3 : size >= 0.01 ? 2 : 1;

	return points > 0 ? step : (unsigned char)(3 + step);
}

static void difference_judge(struct flame_difference *difference, const struct flame_layout *layout,
	const uint64_t *then)
{
	const double n = (double)layout->boxes[0].total, n_then = (double)difference->then_total;
	const double sample = difference->sample;
	double *p = mem_realloc_array(NULL, layout->n, sizeof(*p));
	bool *found = mem_zalloc(layout->n * sizeof(*found));

	for (size_t i = 0; i < layout->n; i++) {
		const double now = (double)layout->boxes[i].total;
		const double before = (double)then[layout->boxes[i].node];

		difference->points[i] = n > 0 && n_then > 0 ? now / n - before / n_then : 0;
		p[i] = !(sample > 0) || now + before < FLAME_SAMPLES_LEAST * sample
			? 1
			: stats_two_shares_p(
				  now / n, n / sample, before / n_then, n_then / sample, 1, 1);
	}
	stats_discoveries(p, layout->n, FLAME_FALSE_RATE, found);
	for (size_t i = 1; i < layout->n; i++)
		if (found[i])
			difference->classes[i] = difference_step(difference->points[i]);
	free(p);
	free(found);
}

/* The stacks that end where nothing is any more. */
static void difference_find_gone(struct flame_difference *difference, struct flame_tree *tree,
	const struct flame_layout *layout, const uint64_t *before)
{
	uint32_t *names = mem_realloc_array(NULL, FLAME_DEPTH_MAX, sizeof(*names));

	difference->gone = flame_tree_new_beside(tree);
	for (size_t i = 1; i < tree->n; i++) {
		size_t at = i, n = FLAME_DEPTH_MAX;

		if (!before[i] || layout->totals[i])
			continue;
		for (; at && n; at = tree->nodes[at].parent)
			names[--n] = tree->nodes[at].name;
		flame_tree_add_names(difference->gone, names + n, FLAME_DEPTH_MAX - n, before[i]);
	}
	difference->gone_total = difference->gone->total;
	free(names);
}

/* The same border for the height as for the picture. */
static bool difference_lays_out(
	const struct flame_difference *difference, struct flame_layout *layout)
{
	if (!difference->gone_total)
		return false;
	flame_layout_make(layout, difference->gone, flame_tree_totals(difference->gone),
		GONE_BOXES_MAX, UINT64_MAX);
	return true;
}

void flame_difference_make(struct flame_difference *difference, struct flame_tree *tree,
	const struct flame_layout *layout, const uint64_t *before, uint64_t then_total,
	double sample)
{
	uint64_t *then = difference_totals(tree, before);
	struct flame_layout gone;

	*difference = (struct flame_difference){.then_total = then_total, .sample = sample};
	difference->classes = mem_zalloc(layout->n);
	difference->points = mem_zalloc(layout->n * sizeof(*difference->points));
	difference_judge(difference, layout, then);
	difference_find_gone(difference, tree, layout, before);
	if (difference_lays_out(difference, &gone)) {
		difference->rows = gone.depth < GONE_ROWS_MAX ? gone.depth : GONE_ROWS_MAX;
		flame_layout_free(&gone);
	}
	free(then);
}

void flame_difference_free(struct flame_difference *difference)
{
	flame_tree_free(difference->gone);
	free(difference->classes);
	free(difference->points);
	*difference = (struct flame_difference){0};
}

const char *flame_difference_class(unsigned char class)
{
	static const char *const names[] = {"z", "d1", "d2", "d3", "e1", "e2", "e3"};

	return names[class];
}

void flame_difference_add_words(
	struct str *out, const struct flame_difference *difference, size_t box)
{
	const double points = difference->points[box] * 100;

	if (difference->classes[box])
		str_addf(out, ", %.2f points %s than before", fabs(points),
			points > 0 ? "more" : "less");
	else
		str_addf(out, ", %+.2f points%s", points,
			difference->sample > 0 ? ", which chance may do" : "");
}

static void difference_add_name(struct str *out, const char *name, size_t columns)
{
	struct str shown = STR_INIT;

	escape_terminal_cut(&shown, *name ? name : "[unknown]", columns);
	escape_html_only(out, str_text(&shown));
	str_free(&shown);
}

static double difference_add_key(
	struct str *out, double x, double y, const char *class, const char *text)
{
	str_addf(out,
		"<rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"12\" height=\"12\"/>"
		"<text class=\"faint\" x=\"%.0f\" y=\"%.0f\">%s</text>\n",
		class, x, y - 10, x + 17, y, text);
	return x + 40 + 6.4 * (double)strlen(text);
}

void flame_difference_add_legend(struct str *out, const struct flame_difference *difference,
	const char *unit, double x, double y)
{
	struct str words = STR_INIT;

	if (!(difference->sample > 0)) {
		str_add(&words, "whether a change is more than chance cannot be told of ");
		difference_add_name(&words, unit, 40);
		str_add(&words, ": --sample says how much of it one sample is");
		difference_add_key(out, x, y, "z", str_text(&words));
		str_free(&words);
		return;
	}
	x = difference_add_key(out, x, y, "d3", "a share 5 points larger, or more");
	x = difference_add_key(out, x, y, "d2", "1 point");
	x = difference_add_key(out, x, y, "d1", "less");
	x = difference_add_key(out, x, y, "z", "no change that is more than chance");
	x = difference_add_key(out, x, y, "e1", "a smaller share");
	x = difference_add_key(out, x, y, "e2", "1 point");
	difference_add_key(out, x, y, "e3", "5 points");
}

double flame_difference_height(const struct flame_difference *difference)
{
	return difference->gone_total ? ROW * (double)difference->rows + 48 : 0;
}

void flame_difference_add_gone(struct str *out, const struct flame_difference *difference,
	const struct flame_look *look, double y)
{
	const double per_weight = FLAME_PIXELS / (double)difference->then_total;
	struct flame_layout layout;

	if (!difference_lays_out(difference, &layout))
		return;
	str_addf(out,
		"<g id=\"gone\" data-top=\"%.0f\"><text x=\"10\" y=\"%.0f\">Only before: %.1f %% "
		"of what was "
		"then.</text>\n",
		y, y + 18, 100.0 * (double)difference->gone_total / (double)difference->then_total);
	for (size_t i = 1; i < layout.n; i++) {
		const struct flame_box *box = &layout.boxes[i];
		const char *name =
			flame_name_text(difference->gone, difference->gone->nodes[box->node].name);
		const double x = LEFT + (double)box->start * per_weight,
			     width = (double)box->total * per_weight;
		const size_t row = look->inverted ? box->depth - 1 : difference->rows - box->depth;
		const double top = y + 28 + ROW * (double)row;

		if (width < FLAME_LEAST_PIXELS || box->depth > difference->rows)
			continue;
		str_add(out, "<g class=\"f\"><title>");
		difference_add_name(out, name, 400);
		str_addf(out, ": %.2f %% before, none now",
			100.0 * (double)box->total / (double)difference->then_total);
		str_addf(out,
			"</title><rect class=\"e2\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" "
			"height=\"15\"/>",
			x, top, width);
		if (width >= 26) {
			str_addf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, top + 11.5);
			difference_add_name(out, name, (size_t)((width - 6) / CHARACTER));
			str_add(out, "</text>");
		}
		str_add(out, "</g>\n");
	}
	str_add(out, "</g>\n");
	flame_layout_free(&layout);
}
