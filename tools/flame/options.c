/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options has tuesday flame, and what do they mean? */
#include "base/banned.h"

#include <errno.h>

#include "base/num.h"
#include "base/str.h"
#include "flame/svg.h"
#include "tools/flame/options.h"

static const char *const formats[] = {"text", "folded", NULL};

static const char *const flame_froms[] = {"folded", "perf", "svg", NULL};

/* "2s-4s" */
static int flame_set_range(void *to, const char *program, const char *value)
{
	struct flame_options *asked = to;
	int n = num_with_unit(value, &asked->since), m = -1;

	if (n > 0 && value[n] == '-')
		m = num_with_unit(value + n + 1, &asked->until);
	if (m <= 0 || value[n + 1 + m] || !(asked->since >= 0 && asked->until > asked->since))
		return option_refused(
			program, "range", value, "two times after the first sample, as 2s-4s");
	return 0;
}

static int flame_set_width(void *to, const char *program, const char *value)
{
	struct flame_options *asked = to;
	double width;
	const int n = num_with_unit(value, &width);

	if (n < 0 || value[n] || !(width >= 0) || width > 100)
		return option_refused(
			program, "min-width", value, "a width in pixels, or in % of the picture");
	asked->least_pixels = n && value[n - 1] == '%' ? width * FLAME_PIXELS : width;
	return 0;
}

static const struct option_row own[] = {
	{0, "svg", "FILE", "write the picture to FILE, for a browser",
		OPTION_TEXT(struct flame_options, svg)},
	{'o', "output", "FORMAT", "text, or folded: the stacks as the filters leave them",
		OPTION_CHOICE(struct flame_options, format, formats)},
	{0, "to", "FILE", "write that to FILE, replaced in one step",
		OPTION_TEXT(struct flame_options, to)},
	{0, "from", "FORMAT", "FILE is folded (default), perf: what perf script prints, or svg",
		OPTION_CHOICE(struct flame_options, from, flame_froms)},
	{0, "range", "FROM-TO", "of perf's samples those of that time: 2s-4s",
		OPTION_CALL(flame_set_range)},
	{0, "by-thread", NULL, "of perf's samples: begin with the thread, not the process",
		OPTION_FLAG(struct flame_options, by_thread)},
	{0, "hide", "PATTERN", "take such frames out of their stacks",
		OPTION_TEXT(struct flame_options, filters.hide)},
	{0, "only", "PATTERN", "stacks without such a frame become OTHER",
		OPTION_TEXT(struct flame_options, filters.only)},
	{0, "without", "PATTERN", "stacks with such a frame become OTHER",
		OPTION_TEXT(struct flame_options, filters.without)},
	{0, "focus", "PATTERN", "begin with the first such frame; stacks without: OTHER",
		OPTION_TEXT(struct flame_options, filters.focus)},
	{0, "focus-callers", "PATTERN", "what leads to the first such frame; others: OTHER",
		OPTION_TEXT(struct flame_options, filters.callers)},
	{0, "reverse", NULL, "merge stacks from where they end",
		OPTION_FLAG(struct flame_options, filters.reverse)},
	{0, "collapse-chains", NULL, "make one frame of those that only call each other",
		OPTION_FLAG(struct flame_options, filters.collapse)},
	{0, "inverted", NULL, "draw the roots at the top",
		OPTION_FLAG(struct flame_options, inverted)},
	{0, "diff", "BEFORE", "compare with the stacks of that file, which were before",
		OPTION_TEXT(struct flame_options, diff)},
	{0, "hertz", "N", "weights are samples, N a second of each CPU",
		OPTION_SECONDS(struct flame_options, hertz, 1, 1e6, "a number from 1 on")},
	{0, "unit", "UNIT", "of the weights: samples (default), ns, us, ms, s, bytes, ...",
		OPTION_TEXT_OF(struct flame_options, unit, 40, "a word of at most 40 bytes")},
	{0, "sample", "WEIGHT", "of one sample: 10ms, 512k; tells what is chance in --diff",
		OPTION_SECONDS(struct flame_options, sample, 1e-9, 1e18, "a weight above 0")},
	{0, "search", "PATTERN", "mark these frames when the picture is opened",
		OPTION_TEXT(struct flame_options, search)},
	{0, "min-width", "WIDTH", "leave out narrower frames: pixels, or % (0.1 pixels)",
		OPTION_CALL(flame_set_width)},
	{0, "title", "TEXT", "the picture's title (what was found)",
		OPTION_TEXT(struct flame_options, title)},
	{'n', "top", "N", "show so many functions (10)",
		OPTION_COUNT(struct flame_options, top, 1, 1000)},
	{0, "redact", NULL, "replace the names of functions; those of the kernel stay",
		OPTION_FLAG(struct flame_options, redact)},
};

double flame_unit_seconds(const char *unit)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};

	for (size_t i = 0; unit && i < ARRAY_SIZE(units); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].seconds;
	return 0;
}

static int flame_options_check(const struct flame_options *asked)
{
	const char *wrong = NULL;

	if (asked->common.n_names != 1)
		wrong = "one file of folded stacks is wanted, - for standard input; see --help";
	else if (asked->from != FLAME_FROM_PERF && (asked->until > 0 || asked->by_thread))
		wrong = "folded stacks have no times and threads: --range and --by-thread are of "
			"--from perf";
	else if (asked->hertz > 0 && asked->unit && strcmp(asked->unit, "samples") != 0)
		wrong = "--hertz is of samples, and --unit says that there are none";
	else if (asked->diff && asked->from == FLAME_FROM_SVG)
		wrong = "--diff wants stacks, and no pictures of them";
	else if (asked->diff && !strcmp(asked->diff, "-") && !strcmp(asked->input, "-"))
		wrong = "both profiles cannot be on standard input";
	if (!wrong)
		return 0;
	fprintf(stderr, "%s: %s\n", asked->program, wrong);
	return -EINVAL;
}

int flame_options_read(struct flame_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "tuesday flame FILE",
		.what = "Where does a profile's weight lie? Reads folded stacks (\"main;read "
			"23\"), "
			"as spandiagnose\n-o folded and others write them, names the package that "
			"is scattered over many places,\nand draws a flame graph. A PATTERN is a "
			"piece of a name: ^ begins it, $ ends it, * is\nanything, | is between "
			"several. FILE is - for standard input. See docs/flame.md.\n"
			"  tuesday flame app.folded --svg app.svg --hertz 99\n"
			"  tuesday flame app.folded --focus com/x/legacy --svg legacy.svg\n"
			"  tuesday flame after.folded --diff before.folded --svg diff.svg",
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = asked,
		.status = "0 it is done, 3 it is not",
	};
	int err;

	*asked = (struct flame_options){.program = argv[0], .top = 10};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (err)
		return err;
	asked->input = asked->common.n_names ? asked->common.names[0] : "";
	if (asked->hertz > 0)
		asked->seconds_each = 1 / asked->hertz;
	else
		asked->seconds_each = flame_unit_seconds(asked->unit);
	return flame_options_check(asked);
}

void flame_options_free(struct flame_options *asked)
{
	options_free(&asked->common);
}
