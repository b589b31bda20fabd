/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this run one to be remembered, and what do those before it say of it? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "run/history_hook.h"
#include "base/escape.h"
#include "run/experiment_prompt.h"
#include "history/announcements.h"
#include "history/history.h"
#include "history/incidents.h"
#include "run/options.h"
#include "base/str.h"
#include "output/writer.h"
#include "history/insert.h"
#include "history/baseline.h"
#include "history/trends.h"
#include "judge/judge.h"
#include "history/retention.h"

/* A replay is another machine's, unless it has a place of its own. */
static bool history_hook_is_wanted(const struct options *options)
{
	return !options->no_history && (!options->replay || options->state) &&
		!(options->wishes && options->wishes->dry_run);
}

static void history_hook_complain(const struct history *history, int err)
{
	char *path = history ? escape_path(history_path(history)) : mem_strdup("history");

	fprintf(stderr, "tuesday: %s: %s: this run is not in the history\n", path,
		err == -EBUSY		  ? "another run is adding to it"
			: err == -EUCLEAN ? "it is damaged"
			: err == -EPROTO  ? "another program or a newer Tuesday wrote it"
			: err == -EPERM	  ? "it is not this user's own, or others may write to it"
					  : strerror(-err));
	free(path);
}

void history_hook_recall(const struct options *options, struct report *report)
{
	bool all = options->verbose || options->take || !strcmp(options->format, "json");
	bool accused = false;
	struct history *history;
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		accused |= report->checks[i].verdict == VERDICT_BAD ||
			report->checks[i].verdict == VERDICT_MAYBE;
	if (!history_hook_is_wanted(options) ||
		(!all && !accused && !history_trends_matter(report)) ||
		history_open(&history, options->state, HISTORY_READ))
		return;
	if (all || accused)
		history_recall(history, report, all);
	else
		history_recall_trends(history, report, false);
	announcements_ask_history(report, history);
	/* Once more, with the trends: of what is full soon, and of when a time bomb is due. */
	judge_report(report);
	incident_inherit(history, options->state, report);
	history_close(history);
}

/* Names of checks are no text of others. */
static void history_hook_say_full(const struct history *history)
{
	const char *checks = history_unlearned(history);
	char *path;

	if (!checks)
		return;
	path = escape_path(history_path(history));
	fprintf(stderr,
		"tuesday: %s: no room is left for new instances of %s: they have no past, no "
		"normal and no trend until old ones are forgotten\n",
		path, checks);
	free(path);
}

/* What the check files say of numbers that accuse nobody would be half of it, and more. */
static void history_hook_write(struct str *json, const struct report *report)
{
	static const struct writer_options how = {.brief = true};

	writer_find("json")->write(json, report, &how);
}

void history_hook_enter(const struct options *options, const struct report *report)
{
	bool makes = options->cron || options->state;
	struct retention retention;
	struct history *history;
	int64_t run;
	int err;

	if (!history_hook_is_wanted(options))
		return;
	err = history_open(&history, options->state, makes ? HISTORY_MAKE : HISTORY_ADD);
	if (err == -ENOENT || (!makes && (err == -EACCES || err == -EROFS || err == -EPERM)))
		return;
	if (err) {
		history_hook_complain(NULL, err);
		return;
	}
	retention = retention_load();
	run = history_enter(history, report, history_hook_write, options->continues, &retention);
	if (run == -EUCLEAN) {
		/* It has been put aside: once more, in a new one. */
		history_close(history);
		err = history_open(&history, options->state, HISTORY_MAKE);
		run = err ? err
			  : history_enter(history, report, history_hook_write, options->continues,
				    &retention);
	}
	if (run < 0)
		history_hook_complain(history, (int)run);
	else
		history_hook_say_full(history);
	history_close(history);
}
