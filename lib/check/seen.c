/* SPDX-License-Identifier: GPL-2.0-only */
/* Has what a check file judges ever been met? */
#include "base/banned.h"

#include "base/str.h"
#include "check/check.h"
#include "check/compile_util.h"
#include "check/experiment.h"
#include "check/keys.h"
#include "check/seen.h"
#include "check/settings.h"

static const char *const seen_words[] = {"never", "tree", "live"};

void key_take_seen(const struct key_job *job)
{
	enum seen_how *seen = job->field;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seen_words); i++) {
		if (!strcmp(job->setting->value, seen_words[i])) {
			*seen = (enum seen_how)(SEEN_NEVER + i);
			return;
		}
	}
	complain_at(job->compile, job->setting, "'seen' is never, tree or live, not '%s'",
		job->setting->value);
}

enum seen_how metric_seen(const struct check *check, const struct metric *metric)
{
	return metric->seen ? metric->seen : check->seen;
}

enum seen_how experiment_seen(const struct check *check, const struct experiment *experiment)
{
	return experiment->seen ? experiment->seen : check->seen;
}

const char *metric_seen_text(const struct check *check, const struct metric *metric)
{
	static const char *const texts[] = {
		NULL,
		"never: neither a running machine nor one written by hand has shown it yet",
		"not yet on a running machine, only on one that was written by hand or played",
		"live: a running machine has shown it",
	};

	return texts[metric_seen(check, metric)];
}

const char *experiment_seen_text(const struct check *check, const struct experiment *experiment)
{
	static const char *const texts[] = {
		NULL,
		"never: it was not run yet",
		"not yet on a running machine: its commands were run with stand-ins",
		"live: it was run and put back on a running machine",
	};

	return texts[experiment_seen(check, experiment)];
}
