/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does the result of a run go, and did it get there? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "sys/atomic_file.h"
#include "check/site.h"
#include "run/cron.h"
#include "base/escape.h"
#include "run/options.h"
#include "capture/capture.h"
#include "capture/recording.h"
#include "report/report.h"
#include "run/write.h"
#include "base/str.h"
#include "base/terminal.h"
#include "output/writer.h"

static bool wants_color(const struct options *options)
{
	if (options->to && options->color == COLOR_AUTO)
		return false;
	return terminal_color(options->color, options->to_stderr ? STDERR_FILENO : STDOUT_FILENO);
}

/* main says what is wrong with standard output, for all commands. */
static int run_put_text(const struct options *options, const char *text, size_t len)
{
	FILE *out = options->to_stderr ? stderr : stdout;

	return fwrite(text, 1, len, out) != len || fflush(out) ? -EIO : 0;
}

/* "disk memory"; NULL for none. The caller frees. */
static char *run_services(const struct options *options)
{
	const struct site_words *words = options->site ? &options->site->services : NULL;
	struct str list = STR_INIT;
	size_t i;

	if (options->services)
		return mem_strdup(options->services);
	for (i = 0; words && i < words->n; i++)
		str_addf(&list, "%s%s", i ? " " : "", words->list[i]);
	return str_take(&list);
}

int run_write_report(
	const struct options *options, const struct report *report, struct run_state *saved)
{
	struct writer_options how = {.color = wants_color(options),
		.ledger = options->ledger,
		.verbose = options->verbose,
		.quiet = options->quiet,
		.terminal =
			!options->to && isatty(options->to_stderr ? STDERR_FILENO : STDOUT_FILENO),
		.columns = terminal_columns()};
	const struct writer *writer = writer_find(options->format);
	struct str out = STR_INIT, news = STR_INIT, why = STR_INIT;
	bool silent = options->cron && !cron_news(saved, options, report, &news);
	char *services;
	size_t i;
	int err = 0;

	if (options->take)
		return options->take(options->take_arg, report);
	/* The text has them; the other formats are read by programs. */
	if (strcmp(options->format, "text") != 0 && !silent)
		for (i = 0; i < report->n_errors; i++)
			fprintf(stderr, "%s\n", report->errors[i]);
	if (!options->to && news.len && !strcmp(options->format, "text"))
		str_addf(&out, "%s\nThe machine now:\n\n", str_text(&news));
	how.quiet |= options->cron;
	how.services = services = run_services(options);
	if (!silent || options->to)
		writer->write(&out, report, &how);
	free(services);
	if (options->to)
		err = write_file_atomically(options->to,
			writer->is_collected ? FILE_FOR_ALL : FILE_BY_UMASK, str_text(&out),
			out.len, &why);
	if (err) {
		char *to = escape_path(options->to);

		fprintf(stderr, "tuesday: %s: %s; the result follows on standard output\n", to,
			str_text(&why));
		free(to);
	}
	if (err || !options->to) {
		int put_err = run_put_text(options, str_text(&out), out.len);

		err = err ? err : put_err;
	} else if (news.len) {
		err = run_put_text(options, str_text(&news), news.len);
	}
	str_free(&out);
	str_free(&news);
	str_free(&why);
	return err;
}

bool run_recording_failed(const struct options *options, const struct capture *fs)
{
	int err = capture_recording_error(fs);

	if (capture_left_out(fs))
		fprintf(stderr,
			"tuesday: %zu part%s of the recording left out: the format is unknown, "
			"so nothing there can be redacted\n",
			capture_left_out(fs), capture_left_out(fs) == 1 ? "" : "s");
	if (err) {
		char *path = escape_path(options->record);

		fprintf(stderr, "tuesday: %s: the recording is not whole: %s\n", path,
			strerror(-err));
		free(path);
	}
	return err != 0;
}
