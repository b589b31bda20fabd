/* SPDX-License-Identifier: GPL-2.0-only */
/* The same picture for a browser: no script, in the colours that the reader prefers. */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "tools/keepalive/conclusion.h"
#include "tools/keepalive/seconds.h"
#include "sys/url.h"
#include "tools/keepalive/timeline_svg.h"
#include "tools/keepalive/timeline_text.h"

#define LINE_CHARACTERS 140
#define HEAD 112.0
#define LEFT 70.0
#define WIDTH 900.0
/* A line for each connection, as high as there is room for, so that 200 fit on a page too. */
#define LINES_HEIGHT 600.0
#define ROW_MOST 16.0
#define ROW_LEAST 3.0
#define LABEL_LEAST 14.0
#define LEGEND_BAR 11.0
#define REQUESTS_MAX 4000

static const char style[] =
	"<style>\n"
	"  svg { --paper: #ffffff; --ink: #1f2328; --faint: #59636e; --line: #d0d7de;\n"
	"    --served: #2f6fbf; --wait: #e5a23d; --lost: #b42318; }\n"
	"  @media (prefers-color-scheme: dark) { svg { --paper: #14181d; --ink: #e6e9ec;\n"
	"    --faint: #8b949e; --line: #333b44; --served: #6aa6ee; --wait: #b97a1c;\n"
	"    --lost: #f0705f; } }\n"
	"  text { font: 12px system-ui, sans-serif; fill: var(--ink); }\n"
	"  .title { font-size: 15px; font-weight: 600; }\n"
	"  .faint { fill: var(--faint); }\n"
	"  .paper { fill: var(--paper); }\n"
	"  .grid { stroke: var(--line); stroke-width: 1; }\n"
	"  .served { fill: var(--served); }\n"
	"  .wait { fill: var(--wait); }\n"
	"  .lost { fill: var(--lost); }\n"
	"</style>\n";

/* Text that came from outside: what is not printable ASCII becomes '?'. */
static void svg_add_text(struct str *out, const char *text)
{
	char *plain = mem_strdup(text), *at;

	for (at = plain; *at; at++)
		if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
			*at = '?';
	escape_html_only(out, plain);
	free(plain);
}

/* Lines of so many characters, which is what fits in. */
static void svg_add_lines(struct str *out, const char *text, double y)
{
	while (*text) {
		size_t n = strlen(text);
		char *line;

		if (n > LINE_CHARACTERS)
			for (n = LINE_CHARACTERS; n > 1 && text[n] != ' '; n--)
				;
		line = mem_strndup(text, n);
		str_addf(out, "<text x=\"10\" y=\"%.0f\">", y);
		svg_add_text(out, line);
		str_add(out, "</text>\n");
		free(line);
		text += n + (text[n] == ' ');
		y += 18;
	}
}

static double svg_at_seconds(const struct round *round, uint64_t ns)
{
	return ns > round->start_ns ? (double)(ns - round->start_ns) / 1e9 : 0;
}

static double svg_row_of(const struct round *round)
{
	return fmax(ROW_LEAST, fmin(ROW_MOST, LINES_HEIGHT / round->plan.connections));
}

static double bar_of(const struct round *round)
{
	return svg_row_of(round) * 0.7;
}

static double height_of(const struct round *round)
{
	return round ? round->plan.connections * svg_row_of(round) + 52 : 0;
}

static void add_bar(
	struct str *out, const char *class, double x, double y, double width, double height)
{
	str_addf(out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>",
		class, x, y, fmax(width, 0.6), height);
}

static void add_request(struct str *out, const struct round *round, const struct sample *s,
	double y, double service, double scale)
{
	const double from = svg_at_seconds(round, s->due_ns),
		     end = svg_at_seconds(round, s->done_ns);
	const double served = s->error ? end : fmax(from, end - service);
	char text[32];

	str_addf(out, "<g><title>connection %u, sent at %.3f s, %s %s</title>", s->connection, from,
		s->error ? "no answer for" : "answered after",
		answer_seconds(text, sizeof(text), end - from));
	if (served > from)
		add_bar(out, s->error ? "lost" : "wait", LEFT + from * scale, y,
			(served - from) * scale, bar_of(round));
	if (!s->error) /* a gap of a pixel, so that requests in a row can be counted */
		add_bar(out, "served", LEFT + served * scale, y, (end - served) * scale - 1,
			bar_of(round));
	str_add(out, "</g>\n");
}

/* A step of 1, 2 or 5 that makes at most ten lines. */
static double grid_step(double seconds)
{
	double step = pow(10, floor(log10(seconds / 10)));

	while (seconds / step > 10)
		step *= seconds / step > 20 ? 5 : 2;
	return step;
}

static void add_grid(struct str *out, double seconds, double scale, double top, double bottom)
{
	const double step = grid_step(seconds);
	char text[32];
	int i;

	for (i = 0; i * step <= seconds; i++) {
		const double x = LEFT + i * step * scale;

		str_addf(out,
			"<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.0f\"/>\n",
			x, x, top, bottom);
		snprintf(text, sizeof(text), "%.10g s", i * step);
		str_addf(out,
			"<text class=\"faint\" x=\"%.1f\" y=\"%.0f\" "
			"text-anchor=\"middle\">%s</text>\n",
			x, bottom + 13, text);
	}
}

/* The numbers of connections, as many as can be read: 1, and then every 2nd, 5th, 10th ... */
static void add_labels(struct str *out, const struct round *round, double y)
{
	static const unsigned int steps[] = {1, 2, 5, 10, 20, 50, 100, 200};
	const double row = svg_row_of(round);
	unsigned int lane, i = 0;

	while (i + 1 < ARRAY_SIZE(steps) && steps[i] * row < LABEL_LEAST)
		i++;
	for (lane = 1; lane <= round->plan.connections; lane++)
		if (lane == 1 || lane % steps[i] == 0)
			str_addf(out,
				"<text class=\"faint\" x=\"%.0f\" y=\"%.1f\" "
				"text-anchor=\"end\">%u</text>\n",
				LEFT - 8, y + (lane - 1) * row + bar_of(round) / 2 + 4, lane);
}

/* Returns where the next one may begin. */
static double svg_add_round(struct str *out, const char *title, const struct round *round, double y,
	double service, double seconds)
{
	const double scale = WIDTH / seconds, top = y + 22;
	const double bottom = top + round->plan.connections * svg_row_of(round) + 2;
	size_t i;

	str_addf(out, "<g><title>%s</title>\n", title);
	str_addf(out, "<text class=\"title\" x=\"10\" y=\"%.0f\">%s</text>\n", y + 12, title);
	add_grid(out, seconds, scale, top - 4, bottom);
	add_labels(out, round, top);
	for (i = 0; i < round->n && i < REQUESTS_MAX; i++)
		if (round->samples[i].begun_ns)
			add_request(out, round, &round->samples[i],
				top + round->samples[i].lane * svg_row_of(round), service, scale);
	str_add(out, "</g>\n");
	return y + height_of(round);
}

static void add_legend(struct str *out, double y)
{
	add_bar(out, "wait", 10, y, 22, LEGEND_BAR);
	str_addf(out, "<text x=\"%.0f\" y=\"%.0f\">waits</text>\n", 38.0, y + 10);
	add_bar(out, "served", 90, y, 22, LEGEND_BAR);
	str_addf(out, "<text x=\"%.0f\" y=\"%.0f\">served (as long as one request alone)</text>\n",
		118.0, y + 10);
	add_bar(out, "lost", 380, y, 22, LEGEND_BAR);
	str_addf(out, "<text x=\"%.0f\" y=\"%.0f\">never answered</text>\n", 408.0, y + 10);
}

/* For those who hear it: what it shows, and how. */
static void add_description(struct str *out, const struct conclusion *answer)
{
	str_add(out, "<title id=\"title\">");
	svg_add_text(out, answer->summary);
	str_add(out,
		"</title>\n<desc id=\"description\">Two diagrams, one of a round with connections "
		"kept "
		"and one of a round with each closed after its answer. Each has a line for each "
		"connection and time to the right; a bar is a request: first it waits, then it is "
		"served.</desc>\n");
}

static void svg_add_head(struct str *out, const struct conclusion *answer, double height)
{
	str_addf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"width=\"%.0f\" height=\"%.0f\" role=\"img\" aria-labelledby=\"title "
		"description\">\n",
		LEFT + WIDTH + 40, height, LEFT + WIDTH + 40, height);
	add_description(out, answer);
	str_addf(out, "%s<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n", style);
	str_add(out, "<text class=\"title\" x=\"10\" y=\"22\">");
	svg_add_text(out, answer->target->url->authority);
	svg_add_text(out, answer->target->url->path);
	str_add(out, "</text>\n");
	svg_add_lines(out, answer->summary, 42);
	add_legend(out, HEAD - 34);
}

void picture_svg(struct str *out, const struct conclusion *answer)
{
	const struct round *keep, *close;
	const double service = answer->experiment->service_seconds;
	double seconds = 1e-6, y = HEAD;

	if (!picture_rounds(answer, &keep, &close))
		return;
	if (keep)
		seconds = fmax(seconds, svg_at_seconds(keep, keep->end_ns));
	if (close)
		seconds = fmax(seconds, svg_at_seconds(close, close->end_ns));
	svg_add_head(out, answer, HEAD + height_of(keep) + height_of(close));
	if (keep)
		y = svg_add_round(out, "connections kept", keep, y, service, seconds);
	if (close)
		svg_add_round(
			out, "connections closed after each answer", close, y, service, seconds);
	str_add(out, "</svg>\n");
}
