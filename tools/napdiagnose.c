/* SPDX-License-Identifier: GPL-2.0-only */
/* Which busy programs sleep though there is work, why, and whose doing is it? */
#include "base/banned.h"

#include <errno.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "naps/watch.h"
#include "sys/atomic_file.h"
#include "sys/caps.h"
#include "tools/nap/json.h"
#include "tools/nap/options.h"
#include "tools/nap/report.h"
#include "tools/nap/text.h"

#define NS 1e9

static void napdiagnose_watch(struct nap_watch *watch, const struct nap_options *asked)
{
	const uint64_t until_ns = watch->began_ns + (uint64_t)(asked->seconds * NS);

	while (watch->now_ns < until_ns && !progress_interrupted()) {
		nap_watch_next(watch);
		if (watch->looks % 10 == 0)
			progress_show("watching CPU clocks",
				(double)(watch->now_ns - watch->began_ns) / NS / asked->seconds);
	}
	progress_end();
	nap_watch_end(watch);
}

/* Returns 0 or -errno after a message. */
static int napdiagnose_keep(const struct nap_report *report)
{
	struct str text = STR_INIT, why = STR_INIT;
	char *shown;
	int err;

	if (!report->asked->events)
		return 0;
	nap_write_events(&text, report);
	err = write_file_atomically(
		report->asked->events, FILE_BY_UMASK, str_text(&text), text.len, &why);
	if (err) {
		shown = escape_path(report->asked->events);
		fprintf(stderr, "%s: %s: %s\n", report->asked->program, shown, str_text(&why));
		free(shown);
	}
	str_free(&text);
	str_free(&why);
	return err;
}

/* Returns the exit status. */
static int napdiagnose_tell(const struct nap_options *asked, const struct nap_watch *watch)
{
	struct nap_report report;
	struct str out = STR_INIT;
	int status;

	nap_report_make(&report, asked, watch);
	status = report.n ? 1 : report.busy ? 0 : 3;
	if (asked->json)
		nap_write_json(&out, &report);
	else
		nap_write_text(&out, &report);
	fputs(str_text(&out), stdout);
	if (napdiagnose_keep(&report))
		status = 3;
	str_free(&out);
	nap_report_free(&report);
	return status;
}

static int napdiagnose_run(struct nap_options *asked)
{
	struct nap_watch watch = {.least_ns = (uint64_t)(asked->longer_than * NS),
		.partials = asked->common.n_names != 0,
		.asked = nap_options_asked,
		.asked_arg = asked};
	const int err = nap_watch_open(&watch);
	int status;

	if (err) {
		fprintf(stderr, "%s: /proc: %s\n", asked->program, strerror(-err));
		nap_watch_close(&watch);
		return 3;
	}
	napdiagnose_watch(&watch, asked);
	/* From here on only what was found is worked on. */
	caps_drop(CAPS_ALL);
	status = napdiagnose_tell(asked, &watch);
	nap_watch_close(&watch);
	return status;
}

static int napdiagnose(int argc, char **argv)
{
	struct nap_options asked;
	const int err = nap_options_read(&asked, argc, argv);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err) {
		progress_catch_signals();
		status = napdiagnose_run(&asked);
	}
	options_free(&asked.common);
	return status;
}

PROGRAM(napdiagnose);
