/* SPDX-License-Identifier: GPL-2.0-only */
/* Was what the counters accuse still there when the traces looked? */
#include "base/banned.h"

#include "base/clock.h"
#include "base/num.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/environment.h"
#include "check/check.h"
#include "expr/parse.h"
#include "judge/judge.h"
#include "report/report.h"
#include "run/while_traced.h"
#include "sample/sweep.h"

/* Of a recording: the last sample that is judged, and those between which the traces looked. */
#define JUDGED "judged"
#define TRACED "traced"
/* More windows than any run has. */
#define SAMPLES_MAX 1000000

unsigned int while_traced_windows(struct capture *fs)
{
	char *text = capture_environment(fs, JUDGED);
	uint64_t n = 0;

	if (text && num_u64(text, 1, SAMPLES_MAX, &n))
		n = 0;
	free(text);
	return (unsigned int)n;
}

void while_traced_begin(struct while_traced *looked, const struct sweep *sweep)
{
	size_t n = sweep_samples(sweep);

	looked->from = looked->to = n ? n - 1 : 0;
}

void while_traced_end(struct while_traced *looked)
{
	looked->ended_ns = monotonic_ns();
}

static void while_traced_record(const struct while_traced *looked, struct capture *fs)
{
	char *text = mem_printf("%zu %zu", looked->from, looked->to);

	capture_set_environment(fs, TRACED, text);
	free(text);
}

/* Whether a recording says between which samples its traces looked. */
static bool while_traced_recall(struct while_traced *out, struct capture *fs)
{
	char *text = capture_environment(fs, TRACED), *to = text;
	const char *from = strsep(&to, " ");
	uint64_t first, last;
	bool known = to && !num_u64(from, 0, SAMPLES_MAX, &first) &&
		!num_u64(to, 0, SAMPLES_MAX, &last) && first < last;

	if (known)
		*out = (struct while_traced){.from = first, .to = last};
	free(text);
	return known;
}

static void want_leaf(void *sweep, struct expr_leaf *leaf)
{
	if (leaf->reference >= 0)
		sweep_want_beside(sweep, leaf->reference);
}

/* Only what accuses can be over. Returns whether anything is wanted. */
static bool while_traced_want(struct sweep *sweep, const struct report *report, bool deep)
{
	bool any = false;
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (!judge_wants_trace(result, deep) ||
			!verdict_is_worse(result->verdict, VERDICT_UNKNOWN))
			continue;
		check_each_leaf(result->check, want_leaf, sweep);
		any = true;
	}
	return any;
}

void while_traced_sample(struct while_traced *looked, struct sweep *sweep, struct capture *fs,
	const struct report *report, bool deep)
{
	size_t samples = sweep_samples(sweep);
	struct while_traced recorded;
	char *judged;

	if (capture_is_replay(fs)) {
		if (!while_traced_recall(&recorded, fs) || recorded.to > samples)
			return;
		*looked = recorded;
		if (recorded.to < samples)
			return;
		looked->to = looked->from;
	}
	if (!while_traced_want(sweep, report, deep) || sweep_take_beside(sweep))
		return;
	looked->to = samples;
	judged = mem_printf("%zu", samples - 1);
	capture_set_environment(fs, JUDGED, judged);
	free(judged);
	while_traced_record(looked, fs);
}

void while_traced_note(struct while_traced *looked, const struct sweep *sweep, struct capture *fs)
{
	size_t samples = sweep_samples(sweep);

	if (!looked->ended_ns || looked->from + 1 >= samples)
		return;
	looked->to = looked->from + 1;
	while (looked->to + 1 < samples && sweep_time_ns(sweep, looked->to) < looked->ended_ns)
		looked->to++;
	while_traced_record(looked, fs);
}
