/* SPDX-License-Identifier: GPL-2.0-only */
/* What holds a build, or a request, back, of all that took long in it? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "spans/stages.h"
#include "tools/span/builds.h"
#include "tools/span/convert.h"
#include "tools/span/files.h"
#include "tools/span/group.h"
#include "tools/span/holder.h"
#include "tools/span/jaeger.h"
#include "tools/span/json.h"
#include "tools/span/limits.h"
#include "tools/span/options.h"
#include "tools/span/picture.h"
#include "tools/span/sqlite.h"
#include "tools/span/text.h"
#include "tools/span/while.h"
#include "tools/span/while_text.h"
#include "tools/span/zoom.h"

#define ZOOM_LINES 4 /* of a tree, for each line of --top */

/* Everything of a run. */
struct span_run {
	struct span_options asked;
	struct span_table table;
	struct span_grouped grouped;
	struct span_analysis analysis;
	struct span_stages stages;
	struct span_while watched; /* with --while */
	struct span_holder holder;
};

/* A trace or a span that is named. Returns the exit status. */
static int spandiagnose_zoom(struct span_run *run, struct str *out)
{
	const struct span_options *asked = &run->asked;
	char *shown;

	if (!span_write_zoom(
		    out, &run->analysis, asked->trace, asked->span, asked->top * ZOOM_LINES))
		return 0;
	shown = escape_word(asked->span ? asked->span : asked->trace);
	fprintf(stderr, "%s: there is no %s '%s'%s\n", asked->program,
		asked->span ? "span" : "trace", shown,
		asked->span && asked->trace ? " in that trace" : "");
	free(shown);
	return 3;
}

/* The name of a build that nobody named: its file, without folders. */
static const char *spandiagnose_build_id(const struct span_options *asked)
{
	const char *path = asked->command ? asked->command[0] : asked->common.names[0],
		   *slash = strrchr(path, '/');

	return asked->build ? asked->build : slash && slash[1] ? slash + 1 : path;
}

static void spandiagnose_told(
	const struct span_run *run, const char *path, int err, const char *why)
{
	char *shown = escape_path(path);

	fprintf(stderr, "%s: %s: %s\n", run->asked.program, shown,
		err == -ECANCELED ? "interrupted" : why);
	free(shown);
}

/* Says on standard error what was left out. Returns 0 or -errno. */
static int spandiagnose_convert_to(struct span_run *run, FILE *to)
{
	const size_t most = (size_t)(run->asked.most_mib * 1048576);
	struct span_converted converted = {0};
	const int err = run->asked.to == SPAN_TO_CHROME
		? span_to_chrome(&run->analysis, to, most, &converted)
		: span_to_jaeger(&run->analysis, to, most, &converted);

	if (!err && converted.dropped)
		fprintf(stderr,
			"%s: %" PRIu64 " of %" PRIu64
			" spans were left out, %s: --most takes more\n",
			run->asked.program, converted.dropped,
			converted.dropped + converted.written,
			run->asked.to == SPAN_TO_CHROME ? "the shortest"
							: "those of the fastest traces");
	return err;
}

/* Returns the exit status. */
static int spandiagnose_convert(struct span_run *run)
{
	const struct span_options *asked = &run->asked;
	struct str why = STR_INIT;
	FILE *to = stdout;
	int err = 0;

	if (asked->to == SPAN_TO_SQLITE) {
		err = span_to_sqlite(
			&run->analysis, asked->into, spandiagnose_build_id(asked), &why);
	} else if (asked->into) {
		to = fopen(asked->into, "we");
		err = to ? spandiagnose_convert_to(run, to) : -errno;
		if (to && fclose(to) && !err)
			err = -errno;
	} else {
		err = spandiagnose_convert_to(run, to);
	}
	if (err)
		spandiagnose_told(run, asked->into ? asked->into : "standard output", err,
			why.len ? str_text(&why) : strerror(-err));
	str_free(&why);
	return err ? 3 : 0;
}

/* Keeps and compares. Returns the exit status. */
static int spandiagnose_builds(struct span_run *run, struct str *out)
{
	const struct span_options *asked = &run->asked;
	struct build before = {0}, after;
	int err = asked->compare ? build_find(asked->common.state, asked->compare, &before) : 0;

	if (err)
		spandiagnose_told(run, asked->compare, err,
			err == -ENOENT ? "no build of that name was kept: --build NAME keeps one"
				       : strerror(-err));
	build_make(&after, spandiagnose_build_id(asked), &run->analysis);
	if (!err && asked->compare) {
		str_addc(out, '\n');
		build_compare(out, &before, &after);
	}
	if (!err && asked->build) {
		err = build_keep(asked->common.state, &after);
		if (err)
			spandiagnose_told(run, "the build cannot be kept", err, strerror(-err));
	}
	build_free(&before);
	build_free(&after);
	return err ? 3 : 0;
}

static void spandiagnose_text(const struct span_run *run, struct str *out)
{
	struct str beneath = STR_INIT;

	if (run->asked.command)
		span_while_text(&beneath, &run->watched, &run->holder);
	span_write_text(out, &run->analysis, &run->stages, run->asked.top, &run->holder, &beneath);
	str_free(&beneath);
}

/* Appends the answer. Returns the exit status. */
static int spandiagnose_conclude(struct span_run *run, struct str *out)
{
	const struct span_options *asked = &run->asked;

	if (asked->svg && span_picture_write(asked, &run->analysis, &run->holder))
		return 3;
	if (asked->to)
		return spandiagnose_convert(run);
	if (asked->trace || asked->span)
		return spandiagnose_zoom(run, out);
	if (asked->format == SPAN_AS_JSON)
		span_write_json(out, &run->analysis, &run->stages, asked->top, &run->holder,
			asked->command ? &run->watched : NULL);
	else if (asked->format == SPAN_AS_FOLDED)
		span_write_folded(out, &run->analysis);
	else
		spandiagnose_text(run, out);
	return asked->build || asked->compare ? spandiagnose_builds(run, out) : 0;
}

/* Names become the values of a field. */
static int spandiagnose_group(struct span_run *run)
{
	const int err = span_group(&run->grouped, &run->table, run->asked.group);
	struct str why = STR_INIT;

	if (err == -ENOENT)
		span_group_say_none(&why, &run->grouped, run->asked.group);
	else if (err)
		str_add(&why, err == -ECANCELED ? "interrupted" : strerror(-err));
	if (err)
		fprintf(stderr, "%s: --group: %s\n", run->asked.program, str_text(&why));
	str_free(&why);
	return err;
}

static int spandiagnose_files(struct span_run *run, struct str *out)
{
	const struct span_options *asked = &run->asked;

	if (asked->command && span_while_run(&run->watched, asked, &run->table))
		return 3;
	if (span_files_confine(asked->program) ||
		span_files_read(
			&run->table, asked->program, asked->common.names, asked->common.n_names) ||
		span_files_stages(&run->stages, asked->program, asked->stages))
		return 3;
	if (asked->group && spandiagnose_group(run))
		return 3;
	span_analyse(&run->analysis, asked->group ? &run->grouped.table : &run->table);
	if (asked->group)
		span_group_paths(&run->grouped, &run->analysis);
	else
		span_stages_share(&run->stages, &run->analysis);
	span_holder_find(&run->holder, &run->analysis, span_limit_wrong(&asked->common));
	return spandiagnose_conclude(run, out);
}

static int spandiagnose(int argc, char **argv)
{
	struct span_run *run = mem_zalloc(sizeof(*run));
	struct str out = STR_INIT;
	const int err = span_options_read(&run->asked, argc, argv);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err) {
		progress_catch_signals();
		status = spandiagnose_files(run, &out);
		if (run->asked.command && !status)
			status = span_while_status(&run->watched);
	}
	fputs(str_text(&out), stdout);
	str_free(&out);
	span_holder_free(&run->holder);
	span_stages_free(&run->stages);
	span_analysis_free(&run->analysis);
	span_group_free(&run->grouped);
	span_table_free(&run->table);
	span_while_free(&run->watched);
	options_free(&run->asked.common);
	free(run);
	return status;
}

PROGRAM(spandiagnose);
