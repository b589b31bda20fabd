/* SPDX-License-Identifier: GPL-2.0-only */
/* Is the profile to be believed, and what is it about? */
#include "base/banned.h"

#include <math.h>
#include <stdarg.h>

#include "tools/gpu/conclusion.h"
#include "sources/gpu/eustall_histogram.h"

__attribute__((format(printf, 2, 3))) static void however(
	struct gpu_conclusion *answer, const char *format, ...)
{
	struct str text = STR_INIT;
	va_list args;

	va_start(args, format);
	str_addv(&text, format, args);
	va_end(args);
	ARRAY_GROW(answer->howevers, answer->n_howevers, answer->howevers_room);
	answer->howevers[answer->n_howevers++] = str_take(&text);
}

void gpu_conclusion_add_share(struct str *out, const struct gpu_share *share)
{
	if (isnan(share->share)) {
		str_add(out, "no share");
		return;
	}
	str_addf(out, "%.3g %%", 100 * share->share);
	if (share->have_interval)
		str_addf(out, " (%.3g to %.3g)", 100 * share->interval.low,
			100 * share->interval.high);
}

/* ---- Where ---- */

static uint64_t gpu_conclusion_stalls_of(const struct eustall_entry *entry)
{
	uint64_t sum = 0;

	for (int i = 0; i < EUSTALL_REASONS; i++)
		sum += entry->stall[i];
	return sum;
}

static void fill_spot(
	struct gpu_spot *spot, const struct gpu_profile *profile, const struct eustall_entry *entry)
{
	const uint64_t stalls = gpu_conclusion_stalls_of(entry);

	*spot = (struct gpu_spot){.entry = *entry, .address = entry->ip << 3};
	spot->kernel = kernels_at(&profile->kernels, spot->address, &spot->offset);
	spot->share = profile_instruction(profile, entry);
	for (int i = 0; i < EUSTALL_REASONS; i++)
		if (entry->stall[i] > entry->stall[spot->reason])
			spot->reason = (enum eustall_reason)i;
	spot->reason_share = stalls ? (double)entry->stall[spot->reason] / (double)stalls : NAN;
}

static void find_spots(struct gpu_conclusion *answer, struct gpu_profile *profile, size_t n_top)
{
	const size_t n = eustall_table_count(profile->instructions);
	struct eustall_entry *entries = mem_realloc_array(NULL, n, sizeof(*entries));
	struct eustall_totals unkept;
	uint64_t unnamed = 0, all = eustall_totals_samples(&profile->totals), offset;

	eustall_table_top(profile->instructions, entries, n);
	eustall_table_unkept(profile->instructions, &unkept);
	answer->instructions = n;
	answer->n_top = n < n_top ? n : n_top;
	answer->top = mem_realloc_array(NULL, answer->n_top, sizeof(*answer->top));
	for (size_t i = 0; i < n; i++) {
		if (!kernels_at(&profile->kernels, entries[i].ip << 3, &offset))
			unnamed += gpu_conclusion_stalls_of(&entries[i]);
		if (i < answer->n_top)
			fill_spot(&answer->top[i], profile, &entries[i]);
	}
	/* One without a stall is no place where it stalls. */
	while (answer->n_top && !gpu_conclusion_stalls_of(&answer->top[answer->n_top - 1].entry))
		answer->n_top--;
	unnamed += eustall_totals_stalls(&unkept);
	answer->unkept_share = all ? (double)eustall_totals_samples(&unkept) / (double)all : 0;
	all = eustall_totals_stalls(&profile->totals);
	answer->unnamed_share = all ? (double)unnamed / (double)all : 0;
	free(entries);
}

/* ---- Whether, and why ---- */

static void find_reasons(struct gpu_conclusion *answer, const struct gpu_profile *profile)
{
	answer->stalled = profile_stalled(profile);
	answer->dominant = EUSTALL_REASONS;
	answer->drop_share = profile_drop_share(profile);
	for (int i = 0; i < EUSTALL_REASONS; i++) {
		answer->reasons[i] = profile_reason(profile, (enum eustall_reason)i);
		if (profile->totals.stall[i] &&
			(answer->dominant == EUSTALL_REASONS ||
				answer->reasons[i].share > answer->reasons[answer->dominant].share))
			answer->dominant = (enum eustall_reason)i;
	}
}

static double share_of_records(const struct gpu_profile *profile, uint64_t records)
{
	return profile->totals.records ? (double)records / (double)profile->totals.records : 0;
}

/* Why nothing can be said, in the summary; or false. */
static bool gpu_conclusion_is_unknown(struct gpu_conclusion *answer,
	const struct gpu_profile *profile, const struct gpu_limits *limits)
{
	const uint64_t samples = eustall_totals_samples(&profile->totals);
	struct str *why = &answer->summary;

	if (!profile->totals.records)
		str_add(why,
			"no records: nothing ran on the vector engines; the GPU is idle, or busy "
			"with copies or video");
	else if (share_of_records(profile, profile->totals.bad_end_flags) >
		limits->odd.bad_end_flags)
		str_addf(why,
			"%.3g %% of the records lack their end mark: this GPU's format is not "
			"the one known here",
			100 * share_of_records(profile, profile->totals.bad_end_flags));
	else if (answer->drop_share > limits->lost.unknown)
		str_addf(why,
			"too many records were lost: %.3g reads reported a loss for each that "
			"returned records",
			answer->drop_share);
	else if ((double)samples < limits->enough.samples)
		str_addf(why, "only %llu samples; judging needs %g", (unsigned long long)samples,
			limits->enough.samples);
	else if ((double)profile->windows_used < limits->enough.windows)
		str_addf(why, "only %zu windows had samples; judging needs %g",
			profile->windows_used, limits->enough.windows);
	return why->len > 0;
}

/* Whether the whole interval is on that side. */
static bool is_above(const struct gpu_share *share, double limit)
{
	return share->have_interval && share->interval.low > limit;
}

static bool is_below(const struct gpu_share *share, double limit)
{
	return share->have_interval && share->interval.high < limit;
}

static void name_spot(struct gpu_conclusion *answer, const struct gpu_limits *limits)
{
	const bool full = answer->drop_share <= limits->lost.maybe;
	const struct gpu_spot *spot = answer->top;

	if (!answer->n_top || answer->dominant == EUSTALL_OTHER ||
		spot->share.share < limits->name.instruction)
		return;
	answer->named = true;
	answer->sure = full && is_above(&answer->stalled, limits->stall.much) &&
		is_above(&answer->reasons[answer->dominant], limits->name.reason) &&
		is_above(&spot->share, limits->name.instruction) &&
		is_below(&answer->reasons[EUSTALL_OTHER], limits->name.other);
}

static void gpu_conclusion_judge(struct gpu_conclusion *answer, const struct gpu_profile *profile,
	const struct gpu_limits *limits)
{
	const bool full = answer->drop_share <= limits->lost.maybe;

	if (gpu_conclusion_is_unknown(answer, profile, limits)) {
		answer->verdict = VERDICT_UNKNOWN;
		return;
	}
	answer->verdict = full && is_below(&answer->stalled, limits->stall.good) ? VERDICT_GOOD
										 : VERDICT_MAYBE;
	str_add(&answer->summary,
		"of the time that they had work, the vector engines were in "
		"stall for ");
	gpu_conclusion_add_share(&answer->summary, &answer->stalled);
	name_spot(answer, limits);
}

/* ---- What speaks against it ---- */

static void add_doubts(struct gpu_conclusion *answer, const struct gpu_profile *profile,
	const struct gpu_limits *limits, bool cut)
{
	if (cut)
		however(answer, "the recording is cut off: this is from what there is");
	if (profile->drops)
		however(answer,
			"records were lost (%.3g reads reported it for each that returned some): "
			"the busiest cores lose first, so most of what is left comes from quiet "
			"ones",
			answer->drop_share);
	if (share_of_records(profile, profile->totals.saturated) > limits->odd.saturated)
		however(answer, "%.3g %% of the records have a saturated count: there was more",
			100 * share_of_records(profile, profile->totals.saturated));
	if (answer->unkept_share > 0)
		however(answer,
			"there were more instructions than fit: %.3g %% of the samples are at "
			"none of them",
			100 * answer->unkept_share);
	if (profile->resets)
		however(answer, "the GPU was reset meanwhile");
	if (profile->cuts)
		however(answer, "%u of %zu windows were ended early, to limit the cost",
			profile->cuts, profile->windows);
	if (profile->kernels.unkept)
		however(answer, "%llu more kernels or stacks were seen than fit",
			(unsigned long long)profile->kernels.unkept);
	if (profile->kernels.only)
		however(answer,
			"only one kernel was seen to be launched, so all samples are attributed "
			"to it: addresses do not confirm it");
}

static void gpu_conclusion_add_howevers(
	struct gpu_conclusion *answer, const struct gpu_profile *profile)
{
	bool ambiguous = false;

	for (size_t i = 0; i < profile->kernels.n_placed; i++)
		ambiguous |= profile->kernels.placed[i]->ambiguous;
	if (ambiguous)
		however(answer,
			"several kernels have the same addresses (of two programs, or one after "
			"the other): their samples are attributed to none of them");
	if (!profile->totals.records)
		return;
	however(answer,
		"the instruction named is the one that waits: it waits for an earlier "
		"one, often a send");
	however(answer,
		"stalls that other threads hide do not count, and an engine that never "
		"stalls may still do useless work");
	however(answer, "all programs on the GPU are included: a record does not say whose it is");
	however(answer, "limits are judgement, and this has never run on Intel hardware");
}

void gpu_conclusion_make(struct gpu_conclusion *answer, struct gpu_profile *profile,
	const struct gpu_limits *limits, size_t n_top, bool cut)
{
	*answer = (struct gpu_conclusion){0};
	find_reasons(answer, profile);
	find_spots(answer, profile, n_top);
	gpu_conclusion_judge(answer, profile, limits);
	add_doubts(answer, profile, limits, cut);
	gpu_conclusion_add_howevers(answer, profile);
}

void gpu_conclusion_free(struct gpu_conclusion *answer)
{
	for (size_t i = 0; i < answer->n_howevers; i++)
		free(answer->howevers[i]);
	free(answer->howevers);
	free(answer->top);
	str_free(&answer->summary);
	*answer = (struct gpu_conclusion){0};
}
