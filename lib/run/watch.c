/* SPDX-License-Identifier: GPL-2.0-only */
/* What has changed since the last look? */
#include "base/banned.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "base/terminal.h"
#include "check/check.h"
#include "output/writer.h"
#include "report/report.h"
#include "run/options.h"
#include "run/watch.h"
#include "sys/child.h"
#include "sys/read_write.h"

#define RUN_MS (4 * 3600 * 1000) /* the longest windows there are */
#define CHANGES 12		 /* that are told at once */
/* To the first place, and from there on nothing: what a person had scrolled by stays. */
#define BEGIN_ANEW "\033[H\033[J"

/* A check as it was in the run before. */
struct watched {
	char *name;
	enum verdict verdict;
};

struct watch {
	const struct options *options;
	const char *program;
	watch_run *once;
	int fd; /* to who remembers */
	struct watched *before;
	size_t n;
	unsigned int runs;
	enum verdict verdict; /* of the last whole run */
};

static const struct watched *watch_find(const struct watch *watch, const char *name)
{
	size_t i;

	for (i = 0; i < watch->n; i++)
		if (!strcmp(watch->before[i].name, name))
			return &watch->before[i];
	return NULL;
}

static void watch_forget(struct watch *watch)
{
	size_t i;

	for (i = 0; i < watch->n; i++)
		free(watch->before[i].name);
	free(watch->before);
	watch->before = NULL;
	watch->n = 0;
}

/* "Changed: disk good -> bad, cpu maybe -> good" */
static void watch_add_changes(
	struct str *out, const struct watch *watch, const struct report *report)
{
	size_t n = 0, i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];
		const struct watched *before = watch_find(watch, result->check->name);

		if (!before || before->verdict == result->verdict)
			continue;
		if (n++ >= CHANGES)
			continue;
		str_add(out, n == 1 ? "Changed: " : ", ");
		escape_terminal(out, result->check->name);
		str_addf(out, " %s -> %s", verdict_text(before->verdict),
			verdict_text(result->verdict));
	}
	if (n > CHANGES)
		str_addf(out, ", and %zu more", n - CHANGES);
	str_add(out, n ? "\n" : "Nothing changed.\n");
}

static void watch_add_heading(
	struct str *out, const struct watch *watch, const struct report *report)
{
	char when[16] = "";
	struct tm at;

	if (localtime_r(&report->time_start, &at))
		strftime(when, sizeof(when), "%H:%M:%S", &at);
	str_addf(out, "%s, run %u", when, watch->runs + 1);
	if (watch->runs) {
		str_add(out, ". ");
		watch_add_changes(out, watch, report);
	} else {
		str_add(out, ": again and again until Ctrl-C.\n");
	}
}

/* For the next run, which is another process: a line for each check. */
static void watch_tell(const struct watch *watch, const struct report *report)
{
	struct str out = STR_INIT;
	size_t i;

	str_addf(&out, "%d\n", (int)report->verdict);
	for (i = 0; i < report->n_checks; i++)
		str_addf(&out, "%d %s\n", (int)report->checks[i].verdict,
			report->checks[i].check->name);
	write_all(watch->fd, str_text(&out), out.len);
	str_free(&out);
}

static int watch_take(void *arg, const struct report *report)
{
	struct watch *watch = arg;
	bool live = isatty(STDOUT_FILENO);
	const struct writer_options how = {
		.color = terminal_color(watch->options->color, STDOUT_FILENO),
		.ledger = watch->options->ledger,
		.verbose = watch->options->verbose,
		.quiet = watch->options->quiet,
		.columns = terminal_columns(),
	};
	struct str out = STR_INIT;
	size_t len;
	int err;

	/* Half of a run is no run to compare with. */
	if (report->interrupted)
		return 0;
	str_add(&out, live ? BEGIN_ANEW : "");
	watch_add_heading(&out, watch, report);
	writer_find(watch->options->format)->write(&out, report, &how);
	if (!live)
		str_addc(&out, '\n');
	watch_tell(watch, report);
	len = fwrite(str_text(&out), 1, out.len, stdout);
	err = len != out.len || fflush(stdout) ? -EIO : 0;
	str_free(&out);
	return err;
}

/* A run gives up its rights before it judges, so that each is a process of its own. */
static int watch_work(void *arg, int fd)
{
	struct watch *watch = arg;
	struct options options = *watch->options;

	watch->fd = fd;
	options.take = watch_take;
	options.take_arg = watch;
	return watch->once(watch->program, &options, NULL);
}

static void watch_remember(struct watch *watch, const struct str *answer)
{
	const char *at = str_text(answer);
	size_t room = 0;
	char *end;

	if (!answer->len)
		return;
	watch_forget(watch);
	watch->verdict = (enum verdict)strtol(at, &end, 10);
	for (at = end; *at == '\n' && at[1]; at += strcspn(at, "\n")) {
		struct watched was = {.verdict = (enum verdict)strtol(at + 1, &end, 10)};

		at = end + 1;
		was.name = mem_strndup(at, strcspn(at, "\n"));
		ARRAY_GROW(watch->before, watch->n, room);
		watch->before[watch->n++] = was;
	}
	watch->runs++;
}

static bool watch_is_wanted(void *arg)
{
	(void)arg;
	return !progress_interrupted();
}

/* One run. Returns its exit status, or 3 where it died. */
static int watch_once(struct watch *watch)
{
	struct str answer = STR_INIT;
	struct child child;
	int status = 0, err;

	err = child_start(&child, watch_work, watch);
	if (!err)
		err = child_collect(&child, RUN_MS, watch_is_wanted, NULL, &answer, &status);
	/* Its exit status is the verdict, and any verdict is an answer. */
	if ((!err || err == -EPIPE) && WIFEXITED(status))
		watch_remember(watch, &answer);
	str_free(&answer);
	return err && !WIFEXITED(status) ? 3 : WEXITSTATUS(status);
}

int run_watch(const char *program, struct options *options, watch_run *once)
{
	struct watch watch = {
		.options = options, .program = program, .once = once, .verdict = VERDICT_UNKNOWN};
	bool any = false;
	int status = 0;

	options->no_history = true;
	progress_catch_signals();
	/* Where no run comes to its end there is nothing to wait for. */
	do {
		unsigned int runs = watch.runs;

		status = watch_once(&watch);
		any = watch.runs > runs;
	} while (any && !progress_interrupted());
	watch_forget(&watch);
	if (!watch.runs)
		return status ? status : 3;
	return verdict_exit_status(watch.verdict);
}
