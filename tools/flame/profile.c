/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a profile say, in words and as a picture? */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "base/plural.h"
#include "base/shellquote.h"
#include "base/str.h"
#include "base/unit.h"
#include "flame/kind.h"
#include "flame/scattered.h"
#include "flame/svg.h"
#include "flame/folded.h"
#include "flame/tree.h"
#include "stats/discoveries.h"
#include "tools/flame/profile.h"

#define FALSE_RATE 0.05 /* of the changes that are named */

/* A function: what ends in it, and what goes through it, now and before. */
struct profile_function {
	uint32_t name;
	uint64_t self, with, before;
};

struct profile_functions {
	struct profile_function *list;
	size_t n;
};

static int profile_by_self(const void *a, const void *b)
{
	const struct profile_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* The function that has the most weight of its own first. */
static struct profile_functions profile_selves(const struct flame_tree *tree)
{
	struct profile_functions functions = {.n = flame_names_count(tree)};

	functions.list = mem_zalloc(functions.n * sizeof(*functions.list));
	for (size_t i = 0; i < functions.n; i++)
		functions.list[i].name = (uint32_t)i;
	for (size_t i = 1; i < tree->n; i++)
		functions.list[tree->nodes[i].name].self += tree->nodes[i].self;
	qsort(functions.list, functions.n, sizeof(*functions.list), profile_by_self);
	return functions;
}

static const char *profile_unit(const struct flame_options *asked)
{
	return asked->unit ? asked->unit : "samples";
}

/* The weight of one sample; 0: not known. */
static double profile_sample(const struct flame_options *asked)
{
	const double each = flame_unit_seconds(asked->unit);

	if (!strcmp(profile_unit(asked), "samples"))
		return 1;
	return each > 0 ? asked->sample / each : asked->sample;
}

static double profile_percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static void profile_add_name(struct str *out, const char *name, size_t columns)
{
	size_t len;
	char *shown;

	flame_kind_of(name, &len);
	shown = mem_strndup(name, len);
	escape_terminal_cut(out, *shown ? shown : "[unknown]", columns);
	free(shown);
}

static void profile_add_seconds(struct str *out, const struct flame_options *asked, uint64_t weight)
{
	if (asked->seconds_each > 0)
		value_for_people(out, (double)weight * asked->seconds_each, UNIT_SECONDS);
}

static size_t profile_depth(const struct flame_tree *tree)
{
	uint32_t *depth = mem_zalloc(tree->n * sizeof(*depth)), most = 0;

	for (size_t i = 1; i < tree->n; i++) {
		depth[i] = depth[tree->nodes[i].parent] + 1;
		most = depth[i] > most ? depth[i] : most;
	}
	free(depth);
	return most;
}

static void profile_add_facts(
	struct str *out, const struct flame_options *asked, const struct flame_profile *profile)
{
	const struct flame_tree *tree = profile->tree;
	const uint64_t broken = flame_kind_weight(tree, FLAME_BROKEN);

	flame_svg_add_count(out, asked->unit, tree->total);
	if (asked->seconds_each > 0) {
		str_add(out, " (");
		profile_add_seconds(out, asked, tree->total);
		str_addf(out, " %s)",
			profile->picture.seconds_of ? profile->picture.seconds_of : "of a CPU");
	}
	str_add(out, " in ");
	plural_add(out, tree->stacks - profile->before_stacks, "line", "lines");
	str_add(out, ", at most ");
	plural_add(out, profile_depth(tree), "frame deep", "frames deep");
	if (broken)
		str_addf(out, "; %.1f %% in stacks that were lost on the way",
			profile_percent(broken, tree->total));
	if (tree->unread) {
		str_add(out, "; ");
		plural_add(out, tree->unread, "line is no stack with a weight",
			"lines are no stack with a weight");
	}
	if (tree->cut) {
		str_add(out, "; ");
		plural_add(out, tree->cut, "stack was cut", "stacks were cut");
		str_addf(out, " at %d frames", FLAME_DEPTH_MAX);
	}
	str_addc(out, '\n');
}

static void profile_add_top(struct str *out, const struct flame_options *asked,
	const struct flame_tree *tree, const struct profile_functions *functions)
{
	str_add(out, "\nWhere it ends:\n");
	for (size_t i = 0; i < functions->n && i < asked->top && functions->list[i].self; i++) {
		struct str seconds = STR_INIT;

		profile_add_seconds(&seconds, asked, functions->list[i].self);
		str_addf(out, "  %5.1f %%  %s%s",
			profile_percent(functions->list[i].self, tree->total), str_text(&seconds),
			seconds.len ? "  " : "");
		profile_add_name(out, flame_name_text(tree, functions->list[i].name), 90);
		str_addc(out, '\n');
		str_free(&seconds);
	}
}

/* The weight that goes through each function, once a stack: of nodes that have the same function
 * below none counts. Walked from each node down to its root. */
static void profile_count_with(struct profile_functions *by_name, const struct flame_tree *tree,
	const uint64_t *selves, bool before)
{
	uint32_t *seen = mem_zalloc(by_name->n * sizeof(*seen));

	for (size_t i = 1; i < tree->n; i++) {
		const uint64_t weight = selves ? selves[i] : tree->nodes[i].self;

		for (size_t at = i; weight && at; at = tree->nodes[at].parent) {
			struct profile_function *function = &by_name->list[tree->nodes[at].name];

			if (seen[function->name] == (uint32_t)i)
				continue;
			seen[function->name] = (uint32_t)i;
			*(before ? &function->before : &function->with) += weight;
		}
	}
	free(seen);
}

struct profile_change {
	const struct flame_options *asked;
	const struct flame_profile *profile;
	struct profile_functions functions;
	double *p;
	bool *found;
};

static double profile_points(const struct profile_change *change, size_t i)
{
	const struct profile_function *function = &change->functions.list[i];

	return profile_percent(function->with, change->profile->tree->total) -
		profile_percent(function->before, change->profile->before_total);
}

static void profile_find_changes(struct profile_change *change)
{
	const struct flame_tree *tree = change->profile->tree;
	const double n = (double)tree->total, then = (double)change->profile->before_total;
	const double told = profile_sample(change->asked), sample = told > 0 ? told : 1;
	const size_t names = flame_names_count(tree);

	change->functions = (struct profile_functions){
		mem_zalloc(names * sizeof(struct profile_function)), names};
	for (size_t i = 0; i < names; i++)
		change->functions.list[i].name = (uint32_t)i;
	profile_count_with(&change->functions, tree, NULL, false);
	profile_count_with(&change->functions, tree, change->profile->before, true);
	change->p = mem_zalloc(names * sizeof(*change->p));
	change->found = mem_zalloc(names * sizeof(*change->found));
	for (size_t i = 0; i < names; i++) {
		const struct profile_function *function = &change->functions.list[i];

		change->p[i] = stats_two_shares_p((double)function->with / n, n / sample,
			(double)function->before / then, then / sample, 1, 1);
		change->found[i] = fabs(profile_points(change, i)) > 0;
	}
	if (profile_sample(change->asked) > 0)
		stats_discoveries(change->p, names, FALSE_RATE, change->found);
}

/* The largest change that is left, which is left no more; or all for none. */
static size_t profile_next_change(struct profile_change *change)
{
	size_t best = change->functions.n;

	for (size_t i = 0; i < change->functions.n; i++)
		if (change->found[i] &&
			(best == change->functions.n ||
				fabs(profile_points(change, i)) >
					fabs(profile_points(change, best))))
			best = i;
	if (best < change->functions.n)
		change->found[best] = false;
	return best;
}

static void profile_add_changes(
	struct str *out, const struct flame_options *asked, const struct flame_profile *profile)
{
	struct profile_change change = {.asked = asked, .profile = profile};
	size_t shown;

	profile_find_changes(&change);
	for (shown = 0; shown < asked->top; shown++) {
		const size_t i = profile_next_change(&change);

		if (i == change.functions.n)
			break;
		if (shown == 1)
			str_add(out, "\nAlso changed:\n");
		str_add(out, shown ? "  " : "");
		profile_add_name(
			out, flame_name_text(profile->tree, change.functions.list[i].name), 60);
		str_addf(out, ": %.1f %% of %s now, %.1f %% before\n",
			profile_percent(change.functions.list[i].with, profile->tree->total),
			profile_unit(asked),
			profile_percent(change.functions.list[i].before, profile->before_total));
	}
	if (!shown)
		str_add(out, "No function's share has changed by more than chance does.\n");
	else if (!(profile_sample(asked) > 0))
		str_addf(out,
			"Whether that is more than chance cannot be told of %s: --sample says how "
			"much of it one sample is.\n",
			profile_unit(asked));
	free(change.functions.list);
	free(change.p);
	free(change.found);
}

static void profile_add_scattered(
	struct str *out, const struct flame_options *asked, const struct flame_profile *profile)
{
	uint64_t *totals = flame_tree_totals(profile->tree);
	struct flame_scattered_limits limits;
	struct flame_scattered scattered;

	flame_scattered_limits_default(&limits);
	flame_scattered_find(&scattered, profile->tree, totals, &limits);
	for (size_t i = 0; i < scattered.n; i++) {
		flame_scattered_add_sentence(
			out, &scattered.groups[i], profile->tree->total, profile_unit(asked));
		str_addc(out, '\n');
	}
	flame_scattered_free(&scattered);
	free(totals);
}

void flame_profile_words(
	struct str *out, const struct flame_options *asked, struct flame_profile *profile)
{
	struct profile_functions functions = profile_selves(profile->tree);

	if (profile->before)
		profile_add_changes(out, asked, profile);
	profile_add_scattered(out, asked, profile);
	if (!out->len) {
		str_addf(out, "%.1f %% of %s end in ",
			profile_percent(functions.list[0].self, profile->tree->total),
			profile_unit(asked));
		profile_add_name(out, flame_name_text(profile->tree, functions.list[0].name), 60);
		str_add(out, "; no package is scattered over many places.\n");
	}
	profile_add_facts(out, asked, profile);
	if (!profile->before)
		profile_add_top(out, asked, profile->tree, &functions);
	free(functions.list);
}

/* Appends " --option VALUE"; false for what a shell would not be given. */
static bool profile_add_option(struct str *out, const char *option, const char *value)
{
	if (!value)
		return true;
	str_addf(out, "%s%s ", out->len ? " " : "", option);
	return shellquote_add(out, value);
}

/* What the page needs to say how its stacks are read again: options, and the files. False where
 * they are not to be had: from standard input, or with names that are replaced anew each time. */
static bool profile_again(const struct flame_options *asked, struct str *options, struct str *input)
{
	bool can = !asked->redact && asked->from != FLAME_FROM_SVG;

	if (asked->from == FLAME_FROM_PERF)
		str_add(options, "--from perf");
	if (asked->until > 0)
		str_addf(options, " --range %.9gs-%.9gs", asked->since, asked->until);
	if (asked->by_thread)
		str_add(options, " --by-thread");
	if (asked->hertz > 0)
		str_addf(options, "%s--hertz %.9g", options->len ? " " : "", asked->hertz);
	if (asked->least_pixels > 0)
		str_addf(options, "%s--min-width %.9g", options->len ? " " : "",
			asked->least_pixels);
	if (asked->sample > 0)
		str_addf(options, "%s--sample %.9g", options->len ? " " : "", asked->sample);
	can = can && profile_add_option(options, "--unit", asked->unit) &&
		profile_add_option(options, "--title", asked->title);
	if (asked->diff) {
		can = can && strcmp(asked->diff, "-") != 0 &&
			profile_add_option(input, "--diff", asked->diff);
		str_addc(input, ' ');
	}
	return can && strcmp(asked->input, "-") != 0 && shellquote_add(input, asked->input);
}

void flame_profile_picture(struct str *out, const struct flame_options *asked,
	struct flame_profile *profile, const char *words)
{
	const char *wanted = asked->title ? asked->title : profile->picture.title;
	char *title = wanted ? mem_strdup(wanted) : mem_strndup(words, strcspn(words, "\n"));
	struct str options = STR_INIT, input = STR_INIT;
	const bool again = profile_again(asked, &options, &input);
	const struct flame_look look = {
		.title = title,
		.note = profile->picture.note,
		.unit = asked->unit,
		.seconds_each = asked->seconds_each,
		.seconds_of = profile->picture.seconds_of,
		.least_pixels = asked->least_pixels > 0 ? asked->least_pixels
							: profile->picture.least_pixels,
		.inverted = asked->inverted,
		.options = again && options.len ? str_text(&options) : NULL,
		.input = again ? str_text(&input) : NULL,
		.search = asked->search,
		.before = profile->before,
		.before_total = profile->before_total,
		.sample = profile_sample(asked),
	};

	flame_svg(out, profile->tree, &asked->filters, &look);
	str_free(&options);
	str_free(&input);
	free(title);
}

void flame_profile_folded(
	struct str *out, const struct flame_options *asked, struct flame_profile *profile)
{
	struct flame_tree *shaped = flame_reshape(profile->tree, &asked->filters, NULL);

	flame_tree_write_folded(out, shaped);
	flame_tree_free(shaped);
}
