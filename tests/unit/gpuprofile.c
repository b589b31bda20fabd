/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is the truth that a stream was made from within the interval that is printed, and is nobody named
 * where records were lost? Built optimised, for the time that it takes.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>

#include "tap.h"
#include "tests/unit/eustallmodel.h"
#include "tools/gpu/conclusion.h"
#include "sources/gpu/eustall_read.h"
#include "tools/gpu/folded.h"

enum { WINDOWS = 10, HOT = 0x1234560, KERNEL_BYTES = 0x10000 };

static const struct model usual = {
	.layout = EUSTALL_XE2,
	.stall = 0.87,
	.noise = 0.02,
	.reasons = {[EUSTALL_SBID] = 0.7,
		[EUSTALL_SEND] = 0.2,
		[EUSTALL_OTHER] = 0.02,
		[EUSTALL_SYNC] = 0.08},
	.hot = 0.6,
	.hot_ip = HOT / 8,
	.first_ip = (HOT & ~0xffff) / 8,
	.instructions = 50,
	.xecores = 8,
	.records = 100,
};

struct sampled {
	struct gpu_profile profile;
	struct gpu_conclusion answer;
	struct eustallfile_reader reader;
};

/* A window of the model, with so many reads that told of a loss for each hundred. */
static void feed(struct sampled *s, const struct model *model, struct stats_random *random,
	unsigned int number, unsigned int drops)
{
	static uint8_t bytes[64 * 200 * EUSTALL_RECORD];
	const size_t n = model_window(model, random, bytes);
	const struct xe_window window = {
		.number = number, .enabled_ns = 20000000, .bytes = n, .reads = 100, .drops = drops};

	s->reader.stream.on_bytes(s->reader.stream.arg, 0, bytes, n);
	s->reader.stream.on_window(s->reader.stream.arg, &window);
}

static void begin(struct sampled *s, const struct model *model)
{
	profile_init(&s->profile, model->layout);
	s->reader = profile_reader(&s->profile);
}

static void conclude(struct sampled *s)
{
	struct gpu_limits limits;

	gpu_limits_default(&limits);
	profile_settle(&s->profile);
	gpu_conclusion_make(&s->answer, &s->profile, &limits, 5, false);
}

static void end(struct sampled *s)
{
	gpu_conclusion_free(&s->answer);
	profile_free(&s->profile);
}

/* Window 0, which is not counted, and the usual number of others. */
static void sample(struct sampled *s, const struct model *model, uint64_t seed, unsigned int drops)
{
	struct stats_random random;

	stats_random_seed(&random, seed);
	begin(s, model);
	for (unsigned int i = 0; i <= WINDOWS; i++)
		feed(s, model, &random, i, drops);
	conclude(s);
}

static bool holds(const struct gpu_share *share, double truth)
{
	return share->have_interval && share->interval.low <= truth &&
		share->interval.high >= truth;
}

/* Binomial limits of 99.9 % around 95 of 100, for 200 trials: 178 to 199. */
static void test_coverage(enum eustall_layout layout)
{
	enum { TRIALS = 200, LEAST = 178 };
	struct model model = usual;
	int stalled = 0, sbid = 0, hot = 0;

	model.layout = layout;
	model.records = 40;
	for (int i = 0; i < TRIALS; i++) {
		struct sampled s;

		sample(&s, &model, (uint64_t)i + 1, 0);
		stalled += holds(&s.answer.stalled, model.stall);
		sbid += holds(&s.answer.reasons[EUSTALL_SBID], 0.7);
		hot += s.answer.n_top && s.answer.top[0].address == HOT &&
			holds(&s.answer.top[0].share, model.hot);
		end(&s);
	}
	ok(stalled >= LEAST && sbid >= LEAST && hot >= LEAST,
		"%s: the true shares are in their 95 %% intervals (%d, %d, %d of %d)",
		eustall_layout_name(layout), stalled, sbid, hot, TRIALS);
}

static void test_named(void)
{
	struct model model = usual;
	struct sampled s;

	sample(&s, &model, 7, 0);
	ok(s.answer.verdict == VERDICT_MAYBE && s.answer.named && s.answer.sure &&
			s.answer.top[0].address == HOT && s.answer.dominant == EUSTALL_SBID,
		"one instruction with most of the stalls is named");
	ok(!s.profile.drops && s.profile.windows == WINDOWS, "the first window is not counted");
	end(&s);
	model.hot = 0.5;
	sample(&s, &model, 7, 0);
	ok(s.answer.verdict == VERDICT_MAYBE && !s.answer.sure,
		"where the interval lies across the limit it may be");
	end(&s);
	model.hot = 0.05;
	sample(&s, &model, 7, 0);
	ok(!s.answer.named, "no instruction is named where none stands out");
	end(&s);
	model = usual;
	model.stall = 0.2;
	sample(&s, &model, 7, 0);
	ok(s.answer.verdict == VERDICT_GOOD && !s.answer.sure, "little stall is good");
	end(&s);
	model = usual;
	model.reasons[EUSTALL_OTHER] = 0.72;
	model.reasons[EUSTALL_SBID] = 0;
	sample(&s, &model, 7, 0);
	ok(!s.answer.named, "nobody is named for what the hardware does not explain");
	end(&s);
}

/* The busy half of the cores loses nine of ten records: what is left is the quiet half. */
static void test_drops(void)
{
	struct model model = usual;
	struct sampled s;

	model.stall = 0.55;
	model.busier = 0.3;
	model.lost = 0.9;
	sample(&s, &model, 9, 40);
	ok(!holds(&s.answer.stalled, 0.55) && s.answer.stalled.share < 0.4,
		"what is lost makes a share wrong beyond its interval");
	ok(s.answer.verdict == VERDICT_MAYBE, "so a share below the limit is not good");
	end(&s);
	model.stall = 0.87;
	model.busier = 0.1;
	sample(&s, &model, 9, 40);
	ok(s.answer.named && !s.answer.sure, "nor is anybody named for sure");
	end(&s);
	sample(&s, &usual, 9, 9);
	ok(s.answer.sure, "few losses change nothing");
	end(&s);
	sample(&s, &usual, 9, 60);
	ok(s.answer.verdict == VERDICT_UNKNOWN && !s.answer.named,
		"where most was lost nothing is known");
	end(&s);
}

static void test_gates(void)
{
	struct model model = usual;
	struct stats_random random;
	struct sampled s;

	stats_random_seed(&random, 1);
	begin(&s, &model);
	conclude(&s);
	ok(s.answer.verdict == VERDICT_UNKNOWN && !s.answer.n_top, "no records are no answer");
	end(&s);
	begin(&s, &model);
	for (unsigned int i = 0; i < 5; i++)
		feed(&s, &model, &random, i, 0);
	conclude(&s);
	ok(s.answer.verdict == VERDICT_UNKNOWN, "four windows are too few");
	end(&s);
	model.records = 5;
	sample(&s, &model, 1, 0);
	ok(s.answer.verdict == VERDICT_UNKNOWN, "few samples are too few");
	end(&s);
	/* PVC's records have no end flag: read as Xe2 all of them lack it. */
	model = usual;
	model.layout = EUSTALL_PVC;
	begin(&s, &usual);
	for (unsigned int i = 0; i <= WINDOWS; i++)
		feed(&s, &model, &random, i, 0);
	conclude(&s);
	ok(s.answer.verdict == VERDICT_UNKNOWN, "records of another format are noticed");
	end(&s);
}

/* A cut recording may end within a window. */
static void test_cut(void)
{
	static uint8_t bytes[64 * 200 * EUSTALL_RECORD];
	struct stats_random random;
	struct sampled s;
	size_t n;

	stats_random_seed(&random, 1);
	begin(&s, &usual);
	for (unsigned int i = 0; i <= WINDOWS; i++)
		feed(&s, &usual, &random, i, 0);
	n = model_window(&usual, &random, bytes);
	s.reader.stream.on_bytes(s.reader.stream.arg, 0, bytes, n);
	conclude(&s);
	ok(s.profile.windows == WINDOWS + 1, "a window that has no end counts as far as it goes");
	ok(s.reader.stream.on_window(s.reader.stream.arg,
		   &(struct xe_window){.number = 1, .reads = UINT64_MAX}) == -EBADMSG,
		"a window that cannot be is refused");
	end(&s);
}

static void test_kernels(void)
{
	struct gpu_kernels kernels = {0};
	struct gpu_kernel *kernel;
	uint64_t offset;

	kernels_settle(&kernels);
	ok(!kernels_at(&kernels, 0x1000, &offset), "without kernels an address belongs to none");
	kernel = kernels_add(&kernels, 1, 0, 0, "gemm");
	kernels_launched(&kernels, kernel, "app;main_[u]", 3);
	kernels_settle(&kernels);
	ok(kernels_at(&kernels, 0x1000, &offset) && offset == 0x1000,
		"where one alone was launched, it is meant");
	kernels_add(&kernels, 2, 0xffff80001000, 0x200, "relu");
	kernels_settle(&kernels);
	ok(!kernels_at(&kernels, 0x2000, &offset) && kernels_at(&kernels, 0x80001010, &offset) &&
			offset == 0x10 && !kernels_at(&kernels, 0x80001200, &offset),
		"where one has an address, addresses decide, by their lower 32 bits");
	kernels_add(&kernels, 3, 0xfffffff0, 0x20, "wraps");
	kernels_settle(&kernels);
	ok(kernels_at(&kernels, 0x8, &offset) && offset == 0x18 &&
			!kernels_at(&kernels, 0x10, &offset),
		"one may lie across the end of the 32 bits");
	kernels_add(&kernels, 5, 0x18, 0x8, "behind");
	kernels_settle(&kernels);
	ok(kernels_at(&kernels, 0x8, &offset) && kernels_at(&kernels, 0x1f, &offset) && offset == 7,
		"another may lie right behind it");
	kernels_add(&kernels, 6, 0x8, 0x8, "under");
	kernels_settle(&kernels);
	ok(!kernels_at(&kernels, 0xfffffff8, &offset), "but not under it");
	kernels_add(&kernels, 4, 0x80001100, 0x200, "other");
	kernels_settle(&kernels);
	ok(!kernels_at(&kernels, 0x80001110, &offset) && !kernels_at(&kernels, 0x80001010, &offset),
		"where two kernels may be, none is said to be");
	kernels_free(&kernels);
	kernel = kernels_add(&kernels, 1, 0x1000, 0x100, "gemm");
	kernels_launched(&kernels, kernel, "a;x_[u]", 1);
	kernel = kernels_add(&kernels, 2, 0x1000, 0x100, "gemm");
	kernels_launched(&kernels, kernel, "b;y_[u]", 2);
	kernels_launched(&kernels, kernel, "b;y_[u]", 5);
	kernels_settle(&kernels);
	ok(kernels_at(&kernels, 0x1000, &offset) && kernels.placed[0]->n_stacks == 2 &&
			kernels.placed[0]->launches == 8,
		"the same kernel of two programs is one, with the stacks of both");
	kernels_free(&kernels);
}

/* Every line is "frames count", and the counts of all lines are all samples. */
static bool is_folded(const char *text, uint64_t *sum)
{
	*sum = 0;
	while (*text) {
		const char *end = strchr(text, '\n'), *space = end;
		char *after;

		if (!end)
			return false;
		while (space > text && *space != ' ')
			space--;
		if (space == text || !memchr(text, ';', (size_t)(space - text)))
			return false;
		*sum += strtoull(space + 1, &after, 10);
		if (after != end || after == space + 1)
			return false;
		text = end + 1;
	}
	return true;
}

static void test_folded(void)
{
	struct str out = STR_INIT;
	struct gpu_kernel *kernel;
	struct stats_random random;
	struct sampled s;
	uint64_t sum;

	stats_random_seed(&random, 4);
	begin(&s, &usual);
	for (unsigned int i = 0; i <= WINDOWS; i++)
		feed(&s, &usual, &random, i, 0);
	kernel = kernels_add(
		&s.profile.kernels, 1, HOT & ~0xffff, KERNEL_BYTES, "ge;mm\n9 \33[31m\xff");
	kernels_launched(&s.profile.kernels, kernel, "python;ma\nin_[u];run 7_[u]", 1);
	kernels_launched(&s.profile.kernels, kernel, "python;other_[u]", 2);
	conclude(&s);
	gpu_conclusion_write_folded(&out, &s.profile);
	ok(is_folded(str_text(&out), &sum) && sum == eustall_totals_samples(&s.profile.totals),
		"every folded line is frames and a count, and no sample is lost in rounding");
	ok(strstr(str_text(&out),
		   "python;other_[u];-;ge:mm?9 ?[31m?_[g];0x4560_[gi];SbidStall_[gr] "),
		"frames carry their kind, from the program to the reason; hostile names are tame");
	ok(strstr(str_text(&out), ";Active_[gr] ") && !strchr(str_text(&out), '\33'),
		"active samples have a frame of their own");
	end(&s);
	str_free(&out);
}

static void test_limits(void)
{
	struct gpu_limits limits;

	gpu_limits_default(&limits);
	ok(limits.enough.samples == 6400 && limits.enough.windows == 5 &&
			limits.lost.maybe > 0.09 && limits.lost.unknown > limits.lost.maybe &&
			limits.odd.bad_end_flags > 0 && limits.odd.saturated > 0 &&
			limits.stall.good < limits.stall.much && limits.name.reason > 0 &&
			limits.name.instruction > 0 && limits.name.other > 0,
		"all limits are in the built-in file");
}

int main(void)
{
	test_coverage(EUSTALL_XE2);
	test_coverage(EUSTALL_PVC);
	test_coverage(EUSTALL_XE3P);
	test_named();
	test_drops();
	test_gates();
	test_cut();
	test_kernels();
	test_folded();
	test_limits();
	return tap_done();
}
