/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <inttypes.h>

#include "base/escape.h"
#include "base/str.h"
#include "base/unit.h"
#include "queue/board.h"
#include "tools/queue/board_svg.h"
#include "tools/queue/board_text.h"

#define LEFT 60.0
#define TOP 56.0
#define WIDTH 900.0
#define ROW 26.0
#define RUNS 16.0 /* height of who runs; below it is who waits */
#define WAITS 6.0
#define LEGEND_LINE 18.0

static const char style[] =
	"<style>\n"
	"  svg { --paper: #ffffff; --ink: #1f2328; --faint: #59636e; --idle: #eef0f2; }\n"
	"  @media (prefers-color-scheme: dark) { svg { --paper: #14181d; --ink: #e6e9ec;\n"
	"    --faint: #8b949e; --idle: #22282f; } }\n"
	"  text { font: 12px system-ui, sans-serif; fill: var(--ink); }\n"
	"  .title { font-size: 15px; font-weight: 600; }\n"
	"  .faint { fill: var(--faint); }\n"
	"  .paper { fill: var(--paper); }\n"
	"  .idle { fill: var(--idle); }\n"
	"  .wait { fill: #e5a23d; }\n"
	"  .wasted { fill: #c9302c; }\n"
	"</style>\n";

static const char *const board_svg_colors[BOARD_COLORS] = {"#2f6fbf", "#d9822b", "#3f9a55",
	"#b5478f", "#2a9aa0", "#b89c2c", "#7a5bc7", "#a0574b", "#5a7f86", "#c2703a", "#9270b8",
	"#6f8fa8"};
static const char board_svg_other[] = "#8a929a";

static void board_svg_name(struct str *out, const char *name)
{
	escape_html(out, name);
}

/* A share may be "<0.001 %". */
static void board_svg_value(struct str *out, double value, enum unit unit)
{
	struct str text = STR_INIT;

	value_for_people(&text, value, unit);
	escape_html_only(out, str_text(&text));
	str_free(&text);
}

static const char *board_svg_color(const struct board *board, uint32_t process)
{
	const struct board_process *known = board_process(board, process);

	return known && known->color < BOARD_COLORS ? board_svg_colors[known->color]
						    : board_svg_other;
}

static void board_svg_share(
	struct str *out, const struct board *board, const struct board_share *share)
{
	const struct board_process *process = board_process(board, share->process);

	str_add(out, ", ");
	board_svg_name(out, process ? process->name : "?");
	str_addf(out, " (%" PRIu32 ") ", share->process);
	board_svg_value(out, share->ns / board->column_ns, UNIT_RATIO);
}

/* What a pointer on the field is told. */
static void board_svg_title(struct str *out, const struct board *board, size_t cpu, size_t column)
{
	const struct board_field *field = board_field(board, cpu, column);
	const struct board_process *waiter = board_process(board, field->waiter.process);
	size_t i, other = 0;

	str_addf(out, "<title>CPU %zu, from ", cpu);
	board_svg_value(out, (double)column * board->column_ns / 1e9, UNIT_SECONDS);
	for (i = 0; i < BOARD_RUNNERS; i++)
		if (field->runners[i].ns > 0)
			board_svg_share(out, board, &field->runners[i]);
	str_add(out, ", idle ");
	board_svg_value(out, field->idle_ns / board->column_ns, UNIT_RATIO);
	if (field->waited_ns > 0) {
		str_add(out, "; threads that wait: ");
		board_svg_value(out, field->waited_ns / board->column_ns, UNIT_COUNT);
		str_add(out, ", most of it ");
		board_svg_name(out, waiter ? waiter->name : "?");
	}
	if (field->waited_ns > 0 && board_idle_elsewhere(board, cpu, column, &other) > 0) {
		str_addf(out, "; CPU %zu idle ", other);
		board_svg_value(out,
			board_idle_elsewhere(board, cpu, column, NULL) / board->column_ns,
			UNIT_RATIO);
	}
	str_add(out, "</title>");
}

static void board_svg_rect(
	struct str *out, double x, double y, double width, double height, const char *attribute)
{
	str_addf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s/>", x, y,
		width, height, attribute);
}

static void board_svg_field(struct str *out, const struct board *board, size_t cpu, size_t column)
{
	const struct board_field *field = board_field(board, cpu, column);
	const double width = WIDTH / (double)board->columns, x = LEFT + (double)column * width,
		     y = TOP + (double)cpu * ROW;
	double waits = field->waited_ns / board->column_ns, at = x, part;
	char fill[32];
	size_t i;

	str_add(out, "<g>");
	board_svg_title(out, board, cpu, column);
	board_svg_rect(out, x, y, width, RUNS, "class=\"idle\"");
	for (i = 0; i < BOARD_RUNNERS; i++) {
		part = width * field->runners[i].ns / board->column_ns;
		if (part < width / 100)
			continue;
		snprintf(fill, sizeof(fill), "fill=\"%s\"",
			board_svg_color(board, field->runners[i].process));
		board_svg_rect(out, at, y, part, RUNS, fill);
		at += part;
	}
	waits = waits > 1 ? 1 : waits;
	if (waits * WAITS >= 0.1)
		board_svg_rect(out, x, y + RUNS, width, WAITS * waits,
			board_wasted_ns(board, cpu, column) >= board->column_ns / 2
				? "class=\"wasted\""
				: "class=\"wait\"");
	str_add(out, "</g>\n");
}

static void board_svg_legend(struct str *out, const struct board *board, double y)
{
	char fill[32];
	size_t i;

	for (i = 0; i < board->n_processes && i < BOARD_COLORS && board->processes[i].ran_ns > 0;
		i++) {
		const double x = LEFT + (double)(i % 3) * 300,
			     line = y + (double)(i / 3) * LEGEND_LINE;

		snprintf(fill, sizeof(fill), "fill=\"%s\"",
			board_svg_colors[board->processes[i].color]);
		board_svg_rect(out, x, line - 10, 12, 12, fill);
		str_addf(out, "<text x=\"%.0f\" y=\"%.0f\">", x + 18, line);
		board_svg_name(out, board->processes[i].name);
		str_addf(out, " (%" PRIu32 ")</text>\n", board->processes[i].process);
	}
	y += LEGEND_LINE * 4;
	str_addf(out,
		"<text class=\"faint\" x=\"%.0f\" y=\"%.0f\">Below each CPU: threads that wait for "
		"it, in red where another CPU was idle for half of the field or more.</text>\n",
		LEFT, y);
}

static void board_svg_times(struct str *out, const struct board *board, double y)
{
	const double seconds = board->column_ns * (double)board->columns / 1e9;
	int i;

	for (i = 0; i <= 4; i++) {
		str_addf(out, "<text class=\"faint\" x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">",
			LEFT + WIDTH * i / 4, y);
		board_svg_value(out, seconds * i / 4, UNIT_SECONDS);
		str_add(out, "</text>\n");
	}
}

void board_svg(struct str *out, const struct board *board, uint64_t lost)
{
	const double bottom = TOP + ROW * (double)board->cpus,
		     height = bottom + 24 + LEGEND_LINE * 6;
	size_t cpu, column;

	str_addf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"role=\"img\">\n<title>CPUs by time</title>\n",
		LEFT + WIDTH + 20, height);
	str_add(out, style);
	board_svg_rect(out, 0, 0, LEFT + WIDTH + 20, height, "class=\"paper\"");
	str_addf(out,
		"\n<text class=\"title\" x=\"%.0f\" y=\"22\">Who has each CPU, and who waits for "
		"it</text>\n<text class=\"faint\" x=\"%.0f\" y=\"42\">",
		LEFT, LEFT);
	board_text_sentence(out, board);
	str_add(out, ".");
	if (lost)
		str_addf(out, " %" PRIu64 " switches had no room and are missing.", lost);
	str_add(out, "</text>\n");
	for (cpu = 0; cpu < board->cpus; cpu++) {
		str_addf(out, "<text x=\"8\" y=\"%.0f\">CPU %zu</text>\n",
			TOP + ROW * (double)cpu + 13, cpu);
		for (column = 0; column < board->columns; column++)
			board_svg_field(out, board, cpu, column);
	}
	board_svg_times(out, board, bottom + 12);
	board_svg_legend(out, board, bottom + 12 + LEGEND_LINE * 1.5);
	str_add(out, "</svg>\n");
}
