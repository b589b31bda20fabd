/* SPDX-License-Identifier: GPL-2.0-only */
/* What holds a build, or a request, back, of all that took long in it? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>

#include "base/command.h"
#include "base/progress.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "spans/stages.h"
#include "tools/span/files.h"
#include "tools/span/json.h"
#include "tools/span/options.h"
#include "tools/span/text.h"

/* Everything of a run. */
struct span_run {
	struct span_options asked;
	struct span_table table;
	struct span_analysis analysis;
	struct span_stages stages;
};

/* Appends the answer. Returns the exit status. */
static int spandiagnose_conclude(struct span_run *run, struct str *out)
{
	const struct span_options *asked = &run->asked;

	if (asked->format == SPAN_AS_JSON)
		span_write_json(out, &run->analysis, &run->stages, asked->top);
	else if (asked->format == SPAN_AS_FOLDED)
		span_write_folded(out, &run->analysis);
	else
		span_write_text(out, &run->analysis, &run->stages, asked->top);
	return 0;
}

static int spandiagnose_files(struct span_run *run, struct str *out)
{
	const struct span_options *asked = &run->asked;

	if (span_files_confine(asked->program) ||
		span_files_read(
			&run->table, asked->program, asked->common.names, asked->common.n_names) ||
		span_files_stages(&run->stages, asked->program, asked->stages))
		return 3;
	span_analyse(&run->analysis, &run->table);
	span_stages_share(&run->stages, &run->analysis);
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
	}
	fputs(str_text(&out), stdout);
	str_free(&out);
	span_stages_free(&run->stages);
	span_analysis_free(&run->analysis);
	span_table_free(&run->table);
	options_free(&run->asked.common);
	free(run);
	return status;
}

PROGRAM(spandiagnose);
