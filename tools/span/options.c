/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options has spandiagnose, and what do they mean? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "tools/span/options.h"
#include "tools/span/while.h"

#define TOP_MAX 1000
#define NAME_MAX_BYTES 100
#define EXPORT_MIB 100 /* Chrome's viewer fails beyond a GB, and Jaeger's page long before */

static const char *const span_formats[] = {"text", "json", "folded", NULL};
static const char *const span_exports[] = {"none", "chrome", "jaeger", "sqlite", NULL};

static int set_most(void *to, const char *program, const char *value)
{
	struct span_options *asked = to;
	char *end;

	errno = 0;
	asked->most_mib = strtod(value, &end);
	if (errno || end == value || *end || !(asked->most_mib >= 1 && asked->most_mib <= 1e6))
		return option_refused(program, "most", value, "a number of MiB from 1 to 1000000");
	return 0;
}

static const struct option_row span_own[] = {
	{'o', "output", "FORMAT", "text, json, or folded: the critical path for flame graphs",
		OPTION_CHOICE(struct span_options, format, span_formats)},
	{'n', "top", "N", "show so many names (15)",
		OPTION_COUNT(struct span_options, top, 1, TOP_MAX)},
	{0, "group", "FIELD", "sums by the values of a field instead of names: worker_id",
		OPTION_TEXT_OF(struct span_options, group, NAME_MAX_BYTES,
			"a field of at most 100 bytes")},
	{0, "trace", "ID", "only this trace, as a tree with its critical path",
		OPTION_TEXT(struct span_options, trace)},
	{0, "span", "ID", "only this span and what is within it",
		OPTION_TEXT(struct span_options, span)},
	{0, "stages", "FILE", "another map of names to stages",
		OPTION_TEXT(struct span_options, stages)},
	{0, "build", "NAME", "keep the numbers of this build under a name",
		OPTION_TEXT_OF(
			struct span_options, build, NAME_MAX_BYTES, "a name of at most 100 bytes")},
	{0, "compare", "NAME", "say what changed since the build of that name, or last",
		OPTION_TEXT_OF(struct span_options, compare, NAME_MAX_BYTES,
			"a name of at most 100 bytes")},
	{0, "while", NULL, "run the command behind it: each of its processes is a span",
		OPTION_FLAG(struct span_options, is_while)},
	{0, "keep", "FILE", "keep the spans of --while", OPTION_TEXT(struct span_options, keep)},
	{0, "no-commands", NULL, "no command lines in the spans of --while, only programs",
		OPTION_FLAG(struct span_options, redact)},
	{0, "svg", "FILE", "draw the critical path as a flame graph",
		OPTION_TEXT(struct span_options, svg)},
	{0, "to", "FORMAT", "convert to chrome, jaeger or sqlite",
		OPTION_CHOICE(struct span_options, to, span_exports)},
	{0, "into", "FILE", "where the converted spans go (standard output)",
		OPTION_TEXT(struct span_options, into)},
	{0, "most", "MIB", "leave out the shortest spans beyond so many MiB (100)",
		OPTION_CALL(set_most)},
};

static int span_options_check(const struct span_options *asked)
{
	const char *wrong = NULL;

	if (asked->is_while && !asked->command)
		wrong = "--while is written in full, with a command behind it";
	else if (asked->is_while && asked->common.n_names)
		wrong = "files of spans and --while exclude each other";
	else if (!asked->is_while && (asked->keep || asked->redact))
		wrong = "--keep and --no-commands are for the spans of --while";
	else if (!asked->is_while && !asked->common.n_names)
		wrong = "a file of spans, or - for standard input; see --help";
	else if (asked->to == SPAN_TO_SQLITE && !asked->into)
		wrong = "--to sqlite needs --into FILE";
	else if (asked->into && !asked->to)
		wrong = "--into says where --to goes";
	else if (asked->compare && asked->format)
		wrong = "--compare is for people: it has no other format than text";
	else if (asked->group && (asked->to || asked->build || asked->compare))
		wrong = "--group exists beside none of --to, --build and --compare";
	else if (asked->span && asked->group)
		wrong = "--span and --group exclude each other";
	if (!wrong)
		return 0;
	fprintf(stderr, "%s: %s\n", asked->program, wrong);
	return -EINVAL;
}

int span_options_read(struct span_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "spandiagnose FILE... | --while COMMAND [ARG...]",
		.what = "What holds a build, or a request, back? FILE has its spans: lines of "
			"JSON, OTLP,\n"
			"Jaeger or Chrome JSON; - is standard input. With --while, COMMAND is run, "
			"and its\nprocesses are the spans. docs/spandiagnose.md says more.",
		.groups = OPTIONS_STATE | OPTIONS_CHECKS,
		.own = span_own,
		.n_own = ARRAY_SIZE(span_own),
		.to = asked,
		.status = "0 analysed, 3 there is nothing to analyse; with --while the command's",
	};
	const int at = span_while_at(argc, argv);
	int err;

	*asked = (struct span_options){.program = argv[0], .top = 15, .most_mib = EXPORT_MIB};
	if (at + 1 < argc)
		asked->command = argv + at + 1;
	if (asked->command && !strcmp(*asked->command, "--"))
		asked->command++;
	if (asked->command && !*asked->command)
		asked->command = NULL;
	err = options_parse_usage(&asked->common, at < argc ? at + 1 : argc, argv, &usage);
	return err ? err : span_options_check(asked);
}
