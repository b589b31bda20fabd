/* SPDX-License-Identifier: GPL-2.0-only */
/* Which busy programs sleep though there is work, why, and whose doing is it? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "base/terminal.h"
#include "heatmap/show.h"
#include "naps/watch.h"
#include "sys/atomic_file.h"
#include "sys/caps.h"
#include "tools/nap/json.h"
#include "tools/nap/map.h"
#include "tools/nap/options.h"
#include "tools/nap/report.h"
#include "tools/nap/text.h"

#define NS 1e9

static void napdiagnose_watch(
	struct nap_watch *watch, const struct nap_options *asked, struct nap_map *map)
{
	const uint64_t until_ns = watch->began_ns + (uint64_t)(asked->seconds * NS);

	while (watch->now_ns < until_ns && !progress_interrupted()) {
		nap_watch_next(watch);
		if (asked->map || asked->svg)
			nap_map_look(map, watch);
		if (watch->looks % 10 == 0)
			progress_show("watching CPU clocks",
				(double)(watch->now_ns - watch->began_ns) / NS / asked->seconds);
	}
	progress_end();
	nap_watch_end(watch);
}

/* Returns 0 or -errno after a message. */
static int napdiagnose_write(
	const struct nap_options *asked, const char *path, const struct str *text)
{
	struct str why = STR_INIT;
	char *shown;
	int err = write_file_atomically(path, FILE_BY_UMASK, str_text(text), text->len, &why);

	if (err) {
		shown = escape_path(path);
		fprintf(stderr, "%s: %s: %s\n", asked->program, shown, str_text(&why));
		free(shown);
	}
	str_free(&why);
	return err;
}

/* Returns 0 or -errno after a message. */
static int napdiagnose_keep(const struct nap_report *report, const struct heatmap_show *show)
{
	struct str text = STR_INIT;
	int err = 0;

	if (report->asked->events) {
		nap_write_events(&text, report);
		err = napdiagnose_write(report->asked, report->asked->events, &text);
		str_clear(&text);
	}
	if (!err && report->asked->svg) {
		err = heatmap_show_svg(&text, show);
		if (err)
			fprintf(stderr, "%s: nothing ran that could be drawn\n",
				report->asked->program);
		else
			err = napdiagnose_write(report->asked, report->asked->svg, &text);
	}
	str_free(&text);
	return err;
}

static void napdiagnose_draw(struct str *out, const struct heatmap_show *show)
{
	str_addf(out, "\n%s\n", show->look.title);
	if (heatmap_show_terminal(out, show))
		str_add(out, "Nothing ran that could be drawn.\n");
}

/* Returns the exit status. */
static int napdiagnose_tell(
	const struct nap_options *asked, const struct nap_watch *watch, const struct nap_map *map)
{
	const bool draws = asked->map || asked->svg;
	struct nap_map_words words = {STR_INIT, STR_INIT, STR_INIT};
	struct heatmap_show show;
	struct nap_report report;
	struct str out = STR_INIT;
	int status;

	nap_report_make(&report, asked, watch);
	status = report.n ? 1 : report.busy ? 0 : 3;
	nap_map_show(&show, map, &report, &words,
		terminal_colors((enum color_when)asked->color, STDOUT_FILENO));
	if (asked->json)
		nap_write_json(&out, &report, draws ? &show : NULL);
	else
		nap_write_text(&out, &report);
	if (asked->map && !asked->json)
		napdiagnose_draw(&out, &show);
	fputs(str_text(&out), stdout);
	if (napdiagnose_keep(&report, &show))
		status = 3;
	nap_map_words_free(&words);
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
	struct nap_map map;
	const int err = nap_watch_open(&watch);
	int status;

	if (err) {
		fprintf(stderr, "%s: /proc: %s\n", asked->program, strerror(-err));
		nap_watch_close(&watch);
		return 3;
	}
	nap_map_init(&map);
	napdiagnose_watch(&watch, asked, &map);
	/* From here on only what was found is worked on. */
	caps_drop(CAPS_ALL);
	status = napdiagnose_tell(asked, &watch, &map);
	nap_map_free(&map);
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
