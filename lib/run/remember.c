/* SPDX-License-Identifier: GPL-2.0-only */
/* What does this run know from the one before, and what will the next one know? */
#include "base/banned.h"

#include "base/datetime.h"
#include "run/cron.h"
#include "run/options.h"
#include "base/progress.h"
#include "report/report.h"
#include "run/remember.h"
#include "run/history_hook.h"
#include "run/select.h"
#include "sample/sweep.h"
#include "history/run_state.h"
#include "history/continue.h"

char *run_continue(const struct options *options, struct run_state *saved, struct sweep *sweep,
	struct capture *fs, struct report *report)
{
	int err;

	if (!options->continues)
		return NULL;
	err = run_state_load(saved, options->state, options->continues);
	continue_from(saved, err, sweep, fs, report);
	if (!report->continued.time)
		return NULL;
	return format_since(report->continued.time, report->time_start);
}

void run_remember(const struct options *options, struct run_state *saved,
	const struct selection *selection, const struct sweep *sweep, struct capture *fs,
	struct report *report, bool cut)
{
	int err;

	if (options->continues) {
		if (!cut || !sweep_has_earlier(sweep))
			continue_keep(saved, selection->checks, selection->n, sweep, fs, report);
		err = run_state_store(saved, options->state, options->continues);
		if (err)
			cron_warn(
				options, "what this run has seen cannot be kept for the next", err);
	}
	history_hook_enter(options, report);
}
