/* SPDX-License-Identifier: GPL-2.0-only */
/* How did a number get where it is, beside its limits? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"
#include "tools/report/series.h"
#include "tools/report/model.h"

#define WIDTH 200.0
#define HEIGHT 40.0
#define MARGIN 3.0
/* A limit so many times further off than all values would make them a line on the floor. */
#define LIMIT_FACTOR 8.0

struct scale {
	double low, high;
};

static double x_of(size_t column)
{
	return MARGIN + (WIDTH - 4 * MARGIN) * (double)column / (TRAIL_COLUMNS - 1);
}

static double y_of(const struct scale *scale, double value)
{
	double share = (value - scale->low) / (scale->high - scale->low);

	return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * fmin(fmax(share, 0), 1);
}

static void series_take_limit(struct scale *scale, double limit)
{
	double room = LIMIT_FACTOR * fmax(fabs(scale->high), fabs(scale->low));

	if (!isfinite(limit) || (room > 0 && fabs(limit) > room))
		return;
	scale->low = fmin(scale->low, limit);
	scale->high = fmax(scale->high, limit);
}

/* From 0 on, so that what is small looks small; false without two different values. */
static bool find_scale(
	struct scale *scale, const struct trail *trail, const struct metric_result *metric)
{
	size_t i;

	*scale = (struct scale){0, 0};
	for (i = 0; i < TRAIL_COLUMNS; i++) {
		if (isnan(trail->columns[i]))
			continue;
		scale->low = fmin(scale->low, trail->columns[i]);
		scale->high = fmax(scale->high, trail->columns[i]);
	}
	series_take_limit(scale, metric->maybe);
	series_take_limit(scale, metric->bad);
	if (!(scale->high > scale->low))
		scale->high = scale->low + 1;
	return isfinite(scale->high - scale->low);
}

static void series_add_limit(
	struct str *out, const struct scale *scale, double limit, const char *class)
{
	if (!isfinite(limit) || limit < scale->low || limit > scale->high)
		return;
	str_addf(out, "<line class=\"limit %s\" x1=\"0\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>",
		class, WIDTH, y_of(scale, limit), y_of(scale, limit));
}

/* What is usual at this hour is a bar at the end. */
static void series_add_usual(
	struct str *out, const struct scale *scale, const struct normal *normal)
{
	double top, foot;

	if (!normal->runs || !isfinite(normal->low) || !isfinite(normal->high))
		return;
	top = y_of(scale, normal->high);
	foot = y_of(scale, normal->low);
	str_addf(out, "<rect class=\"usual\" x=\"%.0f\" y=\"%.1f\" width=\"4\" height=\"%.1f\"/>",
		WIDTH - 5, top, fmax(foot - top, 1));
}

/* Where a column has no value the line is not drawn, and one alone is a dot. */
static void series_add_line(struct str *out, const struct scale *scale, const struct trail *trail)
{
	bool drawing = false;
	size_t i;

	str_add(out, "<path d=\"");
	for (i = 0; i < TRAIL_COLUMNS; i++) {
		double value = trail->columns[i];

		if (!isnan(value))
			str_addf(out, "%c%.1f %.1f", drawing ? 'L' : 'M', x_of(i),
				y_of(scale, value));
		if (!isnan(value) && !drawing)
			str_add(out, "h.1");
		drawing = !isnan(value);
	}
	str_add(out, "\"/>");
}

static void series_add_words(struct str *out, const struct trail *trail, enum unit unit)
{
	double least = NAN, largest = NAN;
	size_t i;

	for (i = 0; i < TRAIL_COLUMNS; i++) {
		least = fmin(least, trail->columns[i]);
		largest = fmax(largest, trail->columns[i]);
	}
	str_add(out, "least ");
	value_for_people(out, least, unit);
	str_add(out, ", largest ");
	value_for_people(out, largest, unit);
}

void svg_trail(struct str *out, const struct trail *trail, const struct metric_result *metric)
{
	struct scale scale;
	size_t n = 0, last = 0, i;

	for (i = 0; i < TRAIL_COLUMNS; i++)
		if (!isnan(trail->columns[i])) {
			last = i;
			n++;
		}
	if (n < 2 || !find_scale(&scale, trail, metric))
		return;
	str_addf(out, "<svg class=\"trail\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"",
		WIDTH, HEIGHT);
	series_add_words(out, trail, metric->metric->unit);
	str_add(out, "\">");
	series_add_usual(out, &scale, &metric->normal);
	series_add_limit(out, &scale, metric->maybe, "maybe");
	series_add_limit(out, &scale, metric->bad, "bad");
	series_add_line(out, &scale, trail);
	str_addf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/></svg>",
		verdict_text(metric->verdict), x_of(last), y_of(&scale, trail->columns[last]));
}
