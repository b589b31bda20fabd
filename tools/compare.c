/* SPDX-License-Identifier: GPL-2.0-only */
/* What changed between two runs, two days, or before and after a moment? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "base/json_write.h"
#include "base/command.h"
#include "stats/compare.h"
#include "history/diff.h"
#include "base/escape.h"
#include "history/history.h"
#include "base/parsetime.h"
#include "run/options.h"
#include "history/format.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"
#include "history/query.h"

#define SPAN_SECONDS 3600.0
/* A time that is named and shorter than this is a moment, and means the run then. */
#define RANGE_SECONDS 600
#define SINGLE_SHOWN 15

static int cmd_compare(int argc, char **argv);
COMMAND(compare_command) = {
	.name = "compare",
	.args = "A [B]",
	.what = "say what changed between two runs or times",
	.group = COMMAND_KEEPS,
	.run = cmd_compare,
};

struct comparing {
	const char *program;
	bool json;
	double span;
	time_t now;
	const char *name[2]; /* of the sides, as given */
	struct diff diff;
};

static void compare_add_name(struct str *out, const struct diff_subject *subject)
{
	escape_terminal_cut(out, subject->check, 40);
	if (!subject->metric)
		return;
	str_addc(out, ' ');
	escape_terminal_cut(out, subject->metric, 60);
	if (*subject->instance) {
		str_addc(out, '[');
		escape_terminal_cut(out, subject->instance, 60);
		str_addc(out, ']');
	}
}

static void print_subject(const struct diff_subject *subject)
{
	struct str line = STR_INIT;

	str_add(&line, "  ");
	compare_add_name(&line, subject);
	diff_effect(&line, subject);
	puts(str_text(&line));
	str_free(&line);
}

static int by_adjusted(const void *a, const void *b)
{
	const struct diff_subject *left = a, *right = b;
	double p = left->compared.p - right->compared.p;

	return (p > 0) - (p < 0);
}

static void add_side(struct str *out, const struct comparing *comparing, size_t at)
{
	const struct diff_side *side = &comparing->diff.side[at];

	if (side->run) {
		str_addf(out, "run #%lld of ", (long long)side->run);
		format_time(out, side->from, comparing->now);
		return;
	}
	format_time(out, side->from, comparing->now);
	str_add(out, " to ");
	format_time(out, side->to, comparing->now);
	str_addf(out, " (%zu run%s)", side->runs, side->runs == 1 ? "" : "s");
}

static void compare_print_head(const struct comparing *comparing)
{
	struct str line = STR_INIT;

	add_side(&line, comparing, 0);
	str_add(&line, ", against ");
	add_side(&line, comparing, 1);
	printf("%s\n\n", str_text(&line));
	str_free(&line);
}

static void print_tested(struct comparing *comparing)
{
	size_t i, changed = 0, same = 0, few = 0;

	qsort(comparing->diff.subjects, comparing->diff.n, sizeof(*comparing->diff.subjects),
		by_adjusted);
	for (i = 0; i < comparing->diff.n; i++) {
		const struct diff_subject *subject = &comparing->diff.subjects[i];

		if (compared_changed(&subject->compared)) {
			print_subject(subject);
			changed++;
		} else if (subject->compared.tested) {
			same++;
		} else if (subject->side[0].n || subject->side[1].n) {
			few++;
		}
	}
	if (!changed)
		puts("Nothing changed by more than chance.");
	printf("\nTested without a change: %zu of %zu lights and numbers. Too few values "
	       "to test: %zu.\n"
	       "p is adjusted for all of them; changes below %.0f %% are left out; "
	       "correlated values are thinned\n"
	       "to as many as are independent.\n",
		same, same + changed, few, COMPARED_MARGIN * 100);
}

static double relative_change(const struct diff_subject *subject)
{
	double a = subject->compared.middle_a, b = subject->compared.middle_b;
	double larger = fmax(fabs(a), fabs(b));

	return subject->metric && larger > 0 ? fabs(b - a) / larger : 0;
}

static int by_change(const void *a, const void *b)
{
	double left = relative_change(a), right = relative_change(b);

	return (left < right) - (left > right);
}

/* One value on a side is no sample: what differs is shown, and nothing is claimed. */
static void print_single(struct comparing *comparing)
{
	struct str line = STR_INIT;
	size_t i, shown = 0;

	for (i = 0; i < comparing->diff.n; i++) {
		const struct diff_subject *subject = &comparing->diff.subjects[i];

		if (subject->metric || subject->last[0] == subject->last[1] ||
			!subject->side[0].n || !subject->side[1].n)
			continue;
		str_clear(&line);
		compare_add_name(&line, subject);
		printf("  %-16s %s -> %s\n", str_text(&line), verdict_text(subject->last[0]),
			verdict_text(subject->last[1]));
		shown++;
	}
	puts(shown ? "" : "  No light differs.\n");
	qsort(comparing->diff.subjects, comparing->diff.n, sizeof(*comparing->diff.subjects),
		by_change);
	for (i = 0; i < comparing->diff.n && i < SINGLE_SHOWN; i++) {
		const struct diff_subject *subject = &comparing->diff.subjects[i];

		if (!(relative_change(subject) > COMPARED_MARGIN) || !subject->side[0].n ||
			!subject->side[1].n)
			break;
		str_clear(&line);
		compare_add_name(&line, subject);
		str_add(&line, ": ");
		value_for_people(&line, subject->compared.middle_a, subject->unit);
		str_add(&line, " -> ");
		value_for_people(&line, subject->compared.middle_b, subject->unit);
		printf("  %s\n", str_text(&line));
	}
	puts("\nOne run per side is not enough: a difference may be chance. Compare "
	     "days, or before and\n"
	     "after a time.");
	str_free(&line);
}

static void write_subject(struct json_writer *json, const struct diff_subject *subject)
{
	const struct compared *compared = &subject->compared;

	json_open(json, NULL, '{');
	json_write_string(json, "check", subject->check);
	if (subject->metric) {
		json_write_string(json, "metric", subject->metric);
		json_write_text(json, "instance", subject->instance);
	}
	json_write_string(json, "unit", unit_text(subject->metric ? subject->unit : UNIT_RATIO));
	json_write_count(json, "n_before", compared->n_a);
	json_write_count(json, "n_after", compared->n_b);
	json_write_number(json, "before", compared->middle_a);
	json_write_number(json, "after", compared->middle_b);
	json_write_bool(json, "tested", compared->tested);
	json_write_bool(json, "changed", compared_changed(compared));
	if (compared->tested) {
		json_write_number(json, compared->ratio ? "ratio" : "difference", compared->effect);
		if (compared->have_interval) {
			json_write_number(json, "low", compared->low);
			json_write_number(json, "high", compared->high);
		}
		json_write_number(json, "p", compared->p);
		json_write_number(json, "p_adjusted", compared->adjusted);
	}
	json_close(json);
}

static void print_json(const struct comparing *comparing)
{
	const struct diff *diff = &comparing->diff;
	struct str out = STR_INIT;
	struct json_writer json;
	size_t i;

	json_start(&json, &out);
	json_write_string(&json, "schema", "tuesday-compare/1");
	json_write_count(&json, "runs_before", diff->side[0].runs);
	json_write_count(&json, "runs_after", diff->side[1].runs);
	json_open(&json, "compared", '[');
	for (i = 0; i < diff->n; i++)
		if (diff->subjects[i].side[0].n && diff->subjects[i].side[1].n)
			write_subject(&json, &diff->subjects[i]);
	json_close(&json);
	json_print(&json);
}

/* A day or a span of hours is all its runs; a minute or a run's name is one run. */
static int find_side(struct comparing *comparing, struct history *history, size_t at)
{
	struct diff_side *side = &comparing->diff.side[at];
	struct history_run run;
	struct str why = STR_INIT;
	int err = 0;

	if (!parsetime(comparing->name[at], comparing->now, &side->from, &side->to) &&
		side->to - side->from >= RANGE_SECONDS)
		return 0;
	err = history_find(history, comparing->name[at], comparing->now, &run, &why);
	if (err)
		fprintf(stderr, "%s: %s\n", comparing->program, str_text(&why));
	else
		side->from = side->to = run.time;
	side->run = err ? 0 : run.id;
	str_free(&why);
	return err;
}

static int find_sides(struct comparing *comparing, struct history *history, size_t n)
{
	struct diff_side *a = &comparing->diff.side[0], *b = &comparing->diff.side[1];
	time_t at, end;
	char *shown;
	int err;

	if (n == 2) {
		err = find_side(comparing, history, 0);
		return err ? err : find_side(comparing, history, 1);
	}
	if (parsetime(comparing->name[0], comparing->now, &at, &end)) {
		shown = escape_word(comparing->name[0]);
		fprintf(stderr, "%s: '%s' is not a time; two runs or days are given as A B\n",
			comparing->program, shown);
		free(shown);
		return -EINVAL;
	}
	a->from = at - (time_t)comparing->span;
	a->to = at - 1;
	b->from = at;
	b->to = at + (time_t)comparing->span;
	return 0;
}

static int compare_look(struct comparing *comparing, struct history *history, size_t n)
{
	int err = find_sides(comparing, history, n);
	size_t i;

	if (err)
		return 3;
	err = diff_read(&comparing->diff, history);
	if (err) {
		fprintf(stderr, "%s: the history cannot be read\n", comparing->program);
		return 3;
	}
	for (i = 0; i < 2; i++)
		if (!comparing->diff.side[i].runs) {
			fprintf(stderr, "%s: no runs found %s\n", comparing->program,
				n == 2 ? (i ? "in the second time" : "in the first time")
				       : (i ? "after that time" : "before that time"));
			return 3;
		}
	diff_test(&comparing->diff);
	if (comparing->json) {
		print_json(comparing);
		return 0;
	}
	compare_print_head(comparing);
	if (comparing->diff.side[0].run || comparing->diff.side[1].run)
		print_single(comparing);
	else
		print_tested(comparing);
	return 0;
}

static int set_span(void *to, const char *program, const char *value)
{
	struct comparing *comparing = to;
	time_t from, end;

	if (parsetime(value, comparing->now, &from, &end) || end != comparing->now ||
		end - from < 60)
		return option_refused(program, "span", value, "a time like 90m, 2h or 7d");
	comparing->span = difftime(end, from);
	return 0;
}

static int cmd_compare(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "span", "TIME", "how long before and after one time: 90m, 2h, 7d (1h)",
			OPTION_CALL(set_span)},
		{0, "json", NULL, "for programs: docs/history.md",
			OPTION_FLAG(struct comparing, json)},
	};
	struct comparing comparing = {.program = argv[0], .span = SPAN_SECONDS, .now = time(NULL)};
	const struct usage usage = {
		.line = "tuesday compare A [B]",
		.what = "Says what changed from A to B: runs (12, last, last-1, an id) or times "
			"(yesterday,\n2026-11-20, 24h); or, with one time (14:30), before and "
			"after "
			"it.",
		.groups = OPTIONS_STATE,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &comparing,
		.status = "0 compared, 3 nothing to compare",
	};
	struct options options;
	struct history *history;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && (options.n_names < 1 || options.n_names > 2)) {
		fprintf(stderr, "%s: name one time, or two runs or times; see --help\n", argv[0]);
	} else if (!err) {
		comparing.name[0] = options.names[0];
		comparing.name[1] = options.n_names > 1 ? options.names[1] : NULL;
		history = history_open_to_show(argv[0], options.state);
		status = history ? compare_look(&comparing, history, options.n_names) : 3;
		history_close(history);
	}
	diff_free(&comparing.diff);
	options_free(&options);
	return status;
}
