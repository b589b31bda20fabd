/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What would a person see who watched every connection? A line each, time to the right: where its
 * request waits, and where it is served, as far as one alone would have taken.
 */
#include "base/banned.h"

#include <math.h>

#include "tools/keepalive/conclusion.h"
#include "tools/keepalive/timeline_text.h"

#define LINES_MAX 40

bool picture_rounds(
	const struct conclusion *answer, const struct round **keep, const struct round **close)
{
	const struct comparison *x = answer->experiment;
	const struct level *level = x->decisive;
	size_t i;

	if (!level && x->n_levels)
		level = x->levels[x->n_levels - 1];
	*keep = *close = NULL;
	for (i = 0; level && i < level->n_rounds; i++) {
		const struct round **to = level->rounds[i].plan.keep ? keep : close;

		if (!*to && level->rounds[i].n)
			*to = &level->rounds[i];
	}
	return *keep || *close;
}

static double timeline_at_seconds(const struct round *round, uint64_t ns)
{
	return ns > round->start_ns ? (double)(ns - round->start_ns) / 1e9 : 0;
}

static void timeline_fill(
	char *line, unsigned int columns, double from, double to, double scale, char c)
{
	unsigned int i = (unsigned int)(from * scale), end = (unsigned int)ceil(to * scale);

	for (; i < end && i < columns; i++)
		if (c != '.' || line[i] == ' ')
			line[i] = c;
}

static void draw_lane(char *line, unsigned int columns, const struct round *round,
	unsigned int lane, double service, double scale)
{
	bool odd = false;
	size_t i;

	memset(line, ' ', columns);
	line[columns] = 0;
	for (i = 0; i < round->n; i++) {
		const struct sample *s = &round->samples[i];
		const double end = timeline_at_seconds(round, s->done_ns);
		const double from = timeline_at_seconds(round, s->due_ns);

		if (s->lane != lane || !s->begun_ns)
			continue;
		timeline_fill(line, columns, from, end, scale, '.');
		odd = !odd; /* so that requests in a row can be counted */
		if (!s->error)
			timeline_fill(line, columns, fmax(from, end - service), end, scale,
				odd ? '#' : '=');
	}
}

static void draw_round(struct str *out, const char *what, const struct round *round, double service,
	double seconds, unsigned int columns)
{
	const unsigned int width = columns > 20 ? columns - 6 : 14;
	char *line = mem_alloc(width + 1);
	unsigned int lane;

	str_addf(out, "\n  connections %s, %.3g s from left to right:\n", what, seconds);
	for (lane = 0; lane < round->plan.connections && lane < LINES_MAX; lane++) {
		draw_lane(line, width, round, lane, service, (double)width / seconds);
		str_addf(out, "  %3u %s\n", lane + 1, line);
	}
	if (lane < round->plan.connections)
		str_addf(out, "      and %u more\n", round->plan.connections - lane);
	free(line);
}

void picture_text(struct str *out, const struct conclusion *answer, unsigned int columns)
{
	const struct round *keep, *close;
	const double service = answer->experiment->service_seconds;
	double seconds = 0;

	if (!picture_rounds(answer, &keep, &close))
		return;
	if (keep)
		seconds = fmax(seconds, timeline_at_seconds(keep, keep->end_ns));
	if (close)
		seconds = fmax(seconds, timeline_at_seconds(close, close->end_ns));
	if (keep)
		draw_round(out, "kept", keep, service, seconds, columns);
	if (close)
		draw_round(out, "closed", close, service, seconds, columns);
	str_add(out,
		"  (# and = served, as long as one request alone takes, in turns; . waits before "
		"that)\n");
}
