/* SPDX-License-Identifier: GPL-2.0-only */
/* How are sums and critical paths said? */
#include "base/banned.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/sparkline.h"
#include "base/str.h"
#include "base/unit.h"
#include "spans/analysis.h"
#include "spans/stages.h"
#include "tools/span/holder.h"
#include "tools/span/text.h"

#define NAME_COLUMNS 24
#define SHARE_COLUMNS 8

void span_write_time(struct str *out, double ns)
{
	value_for_people(out, ns / 1e9, UNIT_SECONDS);
}

static double span_part(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Text at the right end of a column. */
static void span_add_column(struct str *out, const char *text, size_t width)
{
	const size_t columns = escape_columns(text);
	size_t i;

	str_addc(out, ' ');
	for (i = columns; i < width; i++)
		str_addc(out, ' ');
	str_add(out, text);
}

static void span_add_time(struct str *out, uint64_t ns)
{
	struct str text = STR_INIT;

	span_write_time(&text, (double)ns);
	span_add_column(out, str_text(&text), 9);
	str_free(&text);
}

static void span_add_share(struct str *out, uint64_t part, uint64_t whole)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f %%", 100 * span_part(part, whole));
	span_add_column(out, text, SHARE_COLUMNS);
}

/* A name in its column, without what a terminal would take for a command. */
static void span_add_name(struct str *out, const char *name, size_t width)
{
	struct str shown = STR_INIT;
	size_t i;

	escape_terminal_cut(&shown, name, width);
	str_add(out, str_text(&shown));
	for (i = escape_columns(str_text(&shown)); i < width; i++)
		str_addc(out, ' ');
	str_free(&shown);
}

static int span_rank_order(const void *a, const void *b, void *arg)
{
	const struct span_analysis *analysis = arg;
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const struct span_sum *one = &analysis->names[left], *other = &analysis->names[right];

	if (one->build_ns != other->build_ns)
		return one->build_ns > other->build_ns ? -1 : 1;
	if (one->sum_ns != other->sum_ns)
		return one->sum_ns > other->sum_ns ? -1 : 1;
	return strcmp(analysis->table->names[left].text, analysis->table->names[right].text);
}

uint32_t *span_ranked(const struct span_analysis *analysis)
{
	const uint32_t n = analysis->table->n_names;
	uint32_t *ranked = mem_realloc_array(NULL, (size_t)n + 1, sizeof(*ranked)), i;

	for (i = 0; i < n; i++)
		ranked[i] = i;
	qsort_r(ranked, n, sizeof(*ranked), span_rank_order, (void *)analysis);
	return ranked;
}

static void span_add_fault(struct str *out, uint64_t count, const char *one, const char *many)
{
	if (count)
		str_addf(out, "; %" PRIu64 " %s", count, count == 1 ? one : many);
}

/* What was said of builds before the last one, and of compilers whose job is not here. */
static void span_add_logs(struct str *out, const struct span_table *table)
{
	size_t compilers = 0, i;

	for (i = 0; i < table->n_logs; i++)
		compilers += table->logs[i].is_compiler;
	if (table->earlier)
		str_addf(out,
			"Left out: %" PRIu64 " job%s of earlier builds in the log of ninja.\n",
			table->earlier, table->earlier == 1 ? "" : "s");
	if (table->joined < compilers)
		str_addf(out,
			"However: for %zu of %zu files of clang -ftime-trace no job was found; "
			"each of these is a trace of its own.\n",
			compilers - table->joined, compilers);
	else if (compilers)
		str_addf(out, "All %zu files of clang -ftime-trace lie within their jobs.\n",
			compilers);
}

void span_write_data(struct str *out, const struct span_analysis *analysis)
{
	const struct span_table *table = analysis->table;
	const struct span_faults *faults = &analysis->faults;

	str_addf(out, "%" PRIu32 " span%s in %" PRIu32 " trace%s, %s, ", table->n,
		table->n == 1 ? "" : "s", analysis->n_traces, analysis->n_traces == 1 ? "" : "s",
		table->format ? table->format : "made here");
	value_for_people(out, (double)table->bytes, UNIT_BYTES);
	span_add_fault(out, table->bad, "line is damaged", "lines are damaged");
	span_add_fault(out, faults->orphans, "span names a parent that is missing",
		"spans name a parent that is missing");
	span_add_fault(out, faults->outside, "span is outside of its parent",
		"spans are outside of their parents");
	span_add_fault(out, faults->shifted, "of these was moved, for its clock is another one",
		"of these were moved, for their clocks are other ones");
	span_add_fault(
		out, faults->circles, "circle of parents was cut", "circles of parents were cut");
	span_add_fault(out, faults->duplicates, "span came twice", "spans came twice");
	if (table->cut_off)
		str_add(out, "; its end is cut off, as of a file that is still written");
	str_add(out, ".\n");
	span_add_logs(out, table);
	if (table->unended)
		str_addf(out, "However: it was not read to its end: %s.\n", table->unended);
}

void span_write_answer(
	struct str *out, const struct span_analysis *analysis, const struct span_holder *holder)
{
	const uint64_t wall = span_analysis_wall(analysis);

	if (!analysis->table->n || !wall) {
		str_add(out, "Nothing holds it: there is no span with a duration.");
		return;
	}
	if (!holder->believed) {
		str_addf(out,
			"What holds it is not said: %.0f %% of the spans are wrong. Believe no "
			"share of it.",
			100 * span_analysis_wrong(analysis));
		return;
	}
	if (holder->name == SPAN_NONE) {
		str_add(out, "Nothing that has a span holds the build: none ran for");
	} else {
		escape_terminal_cut(out, analysis->table->names[holder->name].text, 60);
		str_add(out, " holds the build: it has");
	}
	str_addf(out, " %.1f %% of the critical path of ", 100 * span_part(holder->ns, wall));
	span_write_time(out, (double)wall);
	str_addc(out, '.');
}

static void span_write_names(
	struct str *out, const struct span_analysis *analysis, const uint32_t *ranked, size_t top)
{
	const struct span_table *table = analysis->table;
	size_t i, n = table->n_names < top ? table->n_names : top;

	str_add(out,
		"\n                            build   traces     count       sum      self       "
		"p50"
		"       p95       p99   longest\n");
	for (i = 0; i < n; i++) {
		const struct span_sum *sum = &analysis->names[ranked[i]];
		char count[32];

		str_add(out, "  ");
		span_add_name(out, table->names[ranked[i]].text, NAME_COLUMNS);
		span_add_share(out, sum->build_ns, span_analysis_wall(analysis));
		span_add_share(out, sum->path_ns, analysis->path_ns);
		snprintf(count, sizeof(count), "%" PRIu64, sum->count);
		span_add_column(out, count, 9);
		span_add_time(out, sum->sum_ns);
		span_add_time(out, sum->self_ns);
		span_add_time(out, sum->p50_ns);
		span_add_time(out, sum->p95_ns);
		span_add_time(out, sum->p99_ns);
		span_add_time(out, sum->most_ns);
		str_addc(out, '\n');
	}
	if (analysis->idle_ns) {
		str_add(out, "  ");
		span_add_name(out, "(no span ran)", NAME_COLUMNS);
		span_add_share(out, analysis->idle_ns, span_analysis_wall(analysis));
		str_addc(out, '\n');
	}
	if (n < table->n_names)
		str_addf(out, "  and %zu more names: --top\n", (size_t)table->n_names - n);
	str_add(out,
		"build: share of the critical path of the whole; traces: of the critical paths of "
		"all "
		"traces.\nsum and self (without children) count what runs side by side as often as "
		"it runs.\n");
}

static void span_write_stages(
	struct str *out, const struct span_analysis *analysis, const struct span_stages *stages)
{
	const uint64_t wall = span_analysis_wall(analysis);
	size_t i;

	for (i = 0; i < stages->n && !stages->list[i].build_ns; i++)
		;
	if (i == stages->n)
		return;
	str_add(out, "\nStages of the critical path:");
	for (i = 0; i < stages->n; i++)
		if (stages->list[i].build_ns) {
			str_addc(out, ' ');
			escape_terminal_cut(out, stages->list[i].name, 40);
			str_addf(out, " %.1f %%,", 100 * span_part(stages->list[i].build_ns, wall));
		}
	if (out->text[out->len - 1] == ',')
		out->text[out->len - 1] = '.';
	str_addc(out, '\n');
}

static void span_write_jobs(struct str *out, const struct span_analysis *analysis)
{
	const struct span_concurrency *jobs = &analysis->jobs;

	if (!jobs->jobs)
		return;
	str_addf(out, "\nJobs: %" PRIu64 ", at most %" PRIu32 " at a time, %.1f on average.",
		jobs->jobs, jobs->peak, jobs->mean);
	if (jobs->straggled > 0)
		str_addf(out, " %.0f %% of the time at most a tenth of that ran.",
			100 * jobs->straggled);
	str_add(out, "\n  ");
	spark_add_eighths(out, jobs->course, SPAN_COURSE_PARTS, jobs->peak, spark_utf8());
	str_addf(out, "  0..%" PRIu32 " over ", jobs->peak);
	span_write_time(out, (double)span_analysis_wall(analysis));
	str_add(out, "\n  The longest: ");
	escape_terminal_cut(
		out, analysis->table->names[analysis->table->name[jobs->longest_row]].text, 60);
	str_add(out, ", ");
	span_write_time(out, (double)jobs->longest_ns);
	str_add(out, ": --trace ");
	escape_terminal_cut(
		out, analysis->table->traces[analysis->table->trace[jobs->longest_row]].text, 60);
	str_addc(out, '\n');
}

static void span_write_doubts(struct str *out, const struct span_analysis *analysis)
{
	str_add(out,
		"However: that a span ended before another began is taken for the reason why, and "
		"one build is one sample.\n");
	if (analysis->assumed)
		str_addf(out,
			"Assumed order: for %" PRIu64
			" of these the nearest end was more than 1 %% of the span around both "
			"before it.\n",
			analysis->assumed);
}

void span_write_text(struct str *out, const struct span_analysis *analysis,
	const struct span_stages *stages, size_t top, const struct span_holder *holder,
	const struct str *beneath)
{
	uint32_t *ranked = span_ranked(analysis);

	str_add(out, "Data: ");
	span_write_data(out, analysis);
	span_write_answer(out, analysis, holder);
	str_addc(out, '\n');
	str_add(out, str_text(beneath));
	if (analysis->table->n) {
		span_write_names(out, analysis, ranked, top);
		span_write_stages(out, analysis, stages);
		span_write_jobs(out, analysis);
		span_write_doubts(out, analysis);
	}
	free(ranked);
}
