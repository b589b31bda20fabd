/* SPDX-License-Identifier: GPL-2.0-only */
/* How long does something take that the kernel has tracepoints for: which, when, and whose? */
#include "base/banned.h"

#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/progress.h"
#include "base/str.h"
#include "sys/sandbox.h"
#include "sys/write_only.h"
#include "tools/trace/answer.h"
#include "tools/trace/declare.h"
#include "tools/trace/files.h"
#include "tools/trace/live.h"
#include "tools/trace/options.h"
#include "tools/trace/record.h"
#include "trace/spec.h"

/* What others wrote is read without any right, and nothing is written but what is asked for. */
static int tracediagnose_confine(const struct trace_options *asked)
{
	const char *const written[] = {asked->to, asked->svg, asked->cells, asked->log};
	const int err = sandbox_enter(asked->is_live ? 0 : SANDBOX_READS);

	if (err) {
		fprintf(stderr, "%s: cannot give up capabilities: %s\n", asked->program,
			strerror(-err));
		return err;
	}
	write_only(written, ARRAY_SIZE(written));
	return 0;
}

static int tracediagnose_events(struct trace_record *record, const struct trace_options *asked,
	const struct trace_spec *spec, const char *field)
{
	int err = spec ? trace_live(record, asked, spec, field) : tracediagnose_confine(asked);

	if (!err && spec)
		return tracediagnose_confine(asked);
	return err ? err : trace_files_read(record, asked);
}

static int tracediagnose_run(const struct trace_options *asked, struct str *out)
{
	struct trace_record record = {
		.has_log = asked->log,
		.slowest_max = TRACE_SLOWEST_KEPT,
		.has_range = asked->has_range,
		.from_ns = asked->from_ns,
		.to_ns = asked->to_ns,
	};
	const char *field = NULL;
	struct trace_spec *spec = asked->is_live ? trace_declare(asked, &field) : NULL;
	struct heatmap before = {0};
	int err;

	if (asked->is_live && !spec)
		return EXIT_MISUSE;
	if (asked->log && spec && !spec->begin && !spec->event) {
		fprintf(stderr,
			"%s: --log: %s/%s sums up in the kernel, and has no single events\n",
			asked->program, spec->check, spec->name);
		trace_spec_free(spec);
		return EXIT_MISUSE;
	}
	progress_catch_signals();
	err = tracediagnose_events(&record, asked, spec, field);
	if (!err && asked->compare)
		err = trace_files_before(&before, &record.map, asked);
	if (!err) {
		trace_record_sort(&record);
		err = trace_answer(out, asked, &record, asked->compare ? &before : NULL);
	}
	heatmap_free(&before);
	trace_record_free(&record);
	trace_spec_free(spec);
	return err ? 3 : 0;
}

static int tracediagnose(int argc, char **argv)
{
	struct trace_options asked;
	struct str out = STR_INIT;
	const int err = trace_options_read(&asked, argc, argv);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err)
		status = tracediagnose_run(&asked, &out);
	/* A picture on standard output stands there alone. */
	fputs(str_text(&out), !err && asked.svg && !strcmp(asked.svg, "-") ? stderr : stdout);
	str_free(&out);
	trace_options_free(&asked);
	return status;
}

PROGRAM(tracediagnose);
