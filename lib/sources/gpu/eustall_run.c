/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of an Intel GPU's time is stalled, why, and how sure is that?
 *
 * Records are not independent of each other (the same instruction, the same XeCore), so what is
 * said of a whole run is the mean of its windows, with the interval that the windows' spread gives
 * it. The first window is not counted: the instruction cache of what was just compiled is cold.
 */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sources/gpu/eustall_record.h"
#include "sources/gpu/eustall_run.h"
#include "base/str.h"
#include "sources/gpu/xe_stream.h"
#include "stats/proportion.h"
#include "sources/gpu/eustall_reasons.h"
#include "sources/gpu/eustall_histogram.h"
#include "sources/gpu/xe_error.h"
#include "sources/gpu/xe_query.h"

#define CONFIDENCE 0.95
#define WINDOWS_MAX 64
#define INSTRUCTIONS_MAX 65536

/* As fields are called: Intel's names, in small letters, by enum eustall_reason. */
static const char *const fields[EUSTALL_REASONS] = {
	[EUSTALL_PSDEP] = "psdep",
	[EUSTALL_OTHER] = "other",
	[EUSTALL_CONTROL] = "control",
	[EUSTALL_PIPE] = "pipe",
	[EUSTALL_SEND] = "send",
	[EUSTALL_DIST] = "dist",
	[EUSTALL_SBID] = "sbid",
	[EUSTALL_SYNC] = "sync",
	[EUSTALL_INSTR_FETCH] = "instr_fetch",
};

/* A share, window by window. */
struct shares {
	double values[WINDOWS_MAX];
	size_t n;
};

struct run {
	enum eustall_layout layout;
	struct eustall_table *window, *sum;
	struct eustall_totals totals;
	struct shares stall, fetch_of_all, reasons[EUSTALL_REASONS];
	size_t windows; /* with samples */
};

static int take_bytes(void *arg, unsigned int gt, const void *bytes, size_t n_bytes)
{
	struct run *run = arg;

	(void)gt;
	eustall_table_add(run->window, run->layout, bytes, n_bytes);
	return 0;
}

static void eustall_add_share(struct shares *shares, uint64_t part, uint64_t whole)
{
	if (whole && shares->n < WINDOWS_MAX)
		shares->values[shares->n++] = (double)part / (double)whole;
}

static int take_window(void *arg, const struct xe_window *window)
{
	struct run *run = arg;
	struct eustall_totals totals;
	uint64_t stalls, samples;
	size_t i;

	eustall_table_totals(run->window, &totals);
	stalls = eustall_totals_stalls(&totals);
	samples = eustall_totals_samples(&totals);
	if (window->number) {
		eustall_add_share(&run->stall, stalls, samples);
		eustall_add_share(&run->fetch_of_all, totals.stall[EUSTALL_INSTR_FETCH], samples);
		for (i = 0; i < EUSTALL_REASONS; i++)
			eustall_add_share(&run->reasons[i], totals.stall[i], stalls);
		run->windows += samples > 0;
		eustall_totals_add(&run->totals, &totals);
		eustall_table_merge(run->sum, run->window);
	}
	eustall_table_clear(run->window);
	return 0;
}

/* A line of the device that is written about. */
struct lines {
	struct str *out;
	const char *name;
};

static void eustall_put_number(const struct lines *lines, const char *field, double value)
{
	/* Without an exponent, which no number in a line has. */
	if (isfinite(value))
		str_addf(lines->out, "%s %s %.9f\n", lines->name, field, value);
}

static void put_ratio(const struct lines *lines, const char *field, double part, double whole)
{
	if (whole > 0)
		eustall_put_number(lines, field, part / whole);
}

static double within(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

static void put_interval(
	const struct lines *lines, const char *field, const struct stats_mean *share)
{
	char name[48];

	eustall_put_number(lines, field, within(share->mean));
	snprintf(name, sizeof(name), "%s_low", field);
	eustall_put_number(lines, name, within(share->interval.low));
	snprintf(name, sizeof(name), "%s_high", field);
	eustall_put_number(lines, name, within(share->interval.high));
}

static void put_shares(const struct lines *lines, const char *field, const struct shares *shares)
{
	struct stats_mean share;

	if (!stats_mean_interval(shares->values, shares->n, CONFIDENCE, &share))
		put_interval(lines, field, &share);
}

static size_t largest(const uint64_t counts[EUSTALL_REASONS])
{
	size_t i, most = 0;

	for (i = 1; i < EUSTALL_REASONS; i++)
		if (counts[i] > counts[most])
			most = i;
	return most;
}

static bool eustall_share_of(
	const struct eustall_entry *entry, size_t windows, struct stats_mean *share)
{
	return !stats_sums_interval(
		entry->share_sum, entry->share_square_sum, windows, CONFIDENCE, share);
}

/* An address is told only of one that has more stalls than any other for certain: of a hundred that
 * are alike chance alone picks the first. */
static void put_top(const struct lines *lines, struct run *run)
{
	struct stats_mean first, second = {0};
	struct eustall_entry top[2];
	size_t n = run->reasons[0].n, known = n ? eustall_table_top(run->sum, top, 2) : 0;

	if (!known || !eustall_share_of(&top[0], n, &first))
		return;
	put_interval(lines, "top_instruction", &first);
	if (known == 2 &&
		(!eustall_share_of(&top[1], n, &second) ||
			first.interval.low <= second.interval.high))
		return;
	/* Addresses of a GPU are told modulo 4 GiB. */
	str_addf(lines->out, "%s top 0x%08" PRIx32 " %s\n", lines->name, (uint32_t)(top[0].ip << 3),
		eustall_reason_name((enum eustall_reason)largest(top[0].stall)));
}

static void put_quality(
	const struct lines *lines, const struct run *run, const struct xe_tally *tally)
{
	double records = (double)run->totals.records;
	struct eustall_totals unkept = {0};

	eustall_put_number(lines, "samples", (double)eustall_totals_samples(&run->totals));
	eustall_put_number(lines, "records", records);
	eustall_put_number(lines, "windows", (double)run->windows);
	eustall_put_number(lines, "reads", (double)tally->reads);
	eustall_put_number(lines, "drops", (double)tally->drops);
	put_ratio(lines, "drop_ratio", (double)tally->drops,
		(double)(tally->reads ? tally->reads : tally->drops));
	put_ratio(lines, "bad_end_ratio", (double)run->totals.bad_end_flags, records);
	put_ratio(lines, "saturated_ratio", (double)run->totals.saturated, records);
	eustall_table_unkept(run->sum, &unkept);
	put_ratio(lines, "unkept_ratio", (double)eustall_totals_samples(&unkept),
		(double)eustall_totals_samples(&run->totals));
	eustall_put_number(lines, "resets", tally->resets);
}

static void put_cost(const struct lines *lines, const struct xe_tally *tally)
{
	eustall_put_number(lines, "enabled_s", (double)tally->enabled_ns / 1e9);
	put_ratio(lines, "duty_ratio", (double)tally->enabled_ns, (double)tally->wall_ns);
	eustall_put_number(lines, "cpu_s", (double)tally->cpu_ns / 1e9);
	eustall_put_number(lines, "bytes", (double)tally->bytes);
	eustall_put_number(lines, "cut_windows", tally->cuts);
	eustall_put_number(lines, "rate_cycles", (double)tally->rate);
}

static void put_run(const struct lines *lines, struct run *run, const struct xe_tally *tally)
{
	size_t i;

	eustall_put_number(lines, "wedged", 0);
	put_quality(lines, run, tally);
	put_cost(lines, tally);
	put_shares(lines, "stall", &run->stall);
	put_shares(lines, "instr_fetch_of_all", &run->fetch_of_all);
	for (i = 0; i < EUSTALL_REASONS; i++)
		put_shares(lines, fields[i], &run->reasons[i]);
	put_shares(lines, "dominant", &run->reasons[largest(run->totals.stall)]);
	put_top(lines, run);
}

static void put_trouble(
	const struct lines *lines, const struct xe_trouble *trouble, const struct xe_tally *tally)
{
	static const char *const words[] = {
		[XE_ASLEEP] = "asleep", [XE_ABSENT] = "absent", [XE_UNABLE] = "unable"};

	if (tally->resets)
		eustall_put_number(lines, "resets", tally->resets);
	if (trouble->kind == XE_WEDGED)
		eustall_put_number(lines, "wedged", 1);
	else
		str_addf(
			lines->out, "%s %s %s\n", lines->name, words[trouble->kind], trouble->text);
}

/* Only PVC reads version 0, and an older or unknown GPU may well do so too. */
static int choose_layout(
	const struct xe_gpu *gpu, enum eustall_layout *layout, struct xe_trouble *trouble)
{
	uint16_t version = gpu->gts[0].version;
	bool is_known = !eustall_layout_of(version, layout);
	size_t i;

	is_known = is_known && (version || eustall_is_pvc(gpu->pci_id));
	for (i = 1; i < gpu->n_gts; i++)
		is_known = is_known && gpu->gts[i].version == version;
	if (is_known)
		return 0;
	return xe_trouble_set(trouble, XE_UNABLE, 0,
		"%s: the records of graphics version %u (PCI id 0x%04x) have a format that is not "
		"known here",
		gpu->name, version, gpu->pci_id);
}

static int eustall_sample_gpu(
	struct xe_gpu *gpu, struct run *run, struct xe_tally *tally, struct xe_trouble *trouble)
{
	struct xe_reader reader = {.arg = run, .on_bytes = take_bytes, .on_window = take_window};
	int err = choose_layout(gpu, &run->layout, trouble);

	if (err)
		return err;
	run->window = eustall_table_new(INSTRUCTIONS_MAX);
	run->sum = eustall_table_new(INSTRUCTIONS_MAX);
	return xe_sample(gpu, &xe_plan_default, &reader, tally, trouble);
}

void eustall_run(const struct xe_device *device, struct str *out)
{
	struct lines lines = {out, device->name};
	struct run *run = mem_zalloc(sizeof(*run));
	struct xe_trouble trouble = {0};
	struct xe_tally tally = {0};
	struct xe_gpu gpu = {.fd = -1};
	int err;

	err = xe_gpu_open(device, &gpu, &trouble);
	if (!err)
		err = eustall_sample_gpu(&gpu, run, &tally, &trouble);
	if (err)
		put_trouble(&lines, &trouble, &tally);
	else
		put_run(&lines, run, &tally);
	if (run->window) {
		eustall_table_free(run->window);
		eustall_table_free(run->sum);
	}
	xe_gpu_close(&gpu);
	free(run);
}
