/* SPDX-License-Identifier: GPL-2.0-only */
/* Are quantiles of a histogram near enough to those of what went into it? */
#include "base/banned.h"

#include <linux/types.h>
#include <math.h>
#include <stdlib.h>

#include "bpf/trace.h"
#include "trace/histogram.h"
#include "tap.h"

#define SAMPLES 20000

/* As the BPF programs do it, but by its definition: the slot whose bounds enclose the value. */
static void put(struct hist *hist, uint64_t value)
{
	unsigned int low = 0, high = HIST_SLOTS - 1;

	while (low < high) {
		unsigned int middle = (low + high + 1) / 2;

		if (hist_slot_low(middle) <= value)
			low = middle;
		else
			high = middle - 1;
	}
	hist->slots[low]++;
	hist->count++;
	hist->total += value;
	if (value > hist->max)
		hist->max = value;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double worst_error(struct hist *hist, uint64_t *values)
{
	static const double quantiles[] = {0.01, 0.1, 0.5, 0.9, 0.99, 0.999};
	double worst = 0;
	size_t i;

	for (i = 0; i < SAMPLES; i++)
		put(hist, values[i]);
	qsort(values, SAMPLES, sizeof(*values), ascending);
	for (i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		double exact = (double)values[(size_t)ceil(quantiles[i] * SAMPLES) - 1];
		double error = fabs(hist_quantile(hist, quantiles[i]) - exact) / (exact + 1e-9);

		if (error > worst)
			worst = error;
	}
	return worst;
}

static void test_slots(void)
{
	bool contiguous = true, narrow = true;
	unsigned int i;

	for (i = 0; i + 1 < HIST_SLOTS; i++) {
		uint64_t low = hist_slot_low(i), next = hist_slot_low(i + 1);

		contiguous = contiguous && next > low;
		narrow = narrow && (next - low == 1 || (next - low) * 16 <= low);
	}
	ok(hist_slot_low(0) == 0 && hist_slot_low(16) == 16 && hist_slot_low(17) == 17 &&
			hist_slot_low(32) == 32 && hist_slot_low(33) == 34,
		"slots begin where they should");
	ok(contiguous, "every slot begins behind the one before");
	ok(narrow, "no slot is wider than a sixteenth of its lower bound");
}

static void test_random(void)
{
	static uint64_t values[SAMPLES];
	static struct hist uniform, skewed;
	size_t i;

	srandom(23);
	for (i = 0; i < SAMPLES; i++)
		values[i] = (uint64_t)random() % 5000000 + 1;
	ok(worst_error(&uniform, values) <= 0.05, "quantiles of uniform values are within 5 %%");
	/* Latencies spread over many powers of ten. */
	for (i = 0; i < SAMPLES; i++)
		values[i] = (uint64_t)exp((double)random() / RAND_MAX * 24) + 20;
	ok(worst_error(&skewed, values) <= 0.05, "quantiles of skewed values are within 5 %%");
}

static void test_edges(void)
{
	static struct hist empty, one, huge, hostile, sum;

	ok(isnan(hist_quantile(&empty, 0.5)), "an empty histogram has no quantile");
	put(&one, 1000);
	ok(hist_quantile(&one, 0.5) <= 1000 && hist_quantile(&one, 0.5) > 950,
		"a quantile is never above the greatest value");
	ok(isnan(hist_quantile(&one, 1.5)) && isnan(hist_quantile(&one, NAN)),
		"there is no quantile outside 0 and 1");
	put(&huge, UINT64_MAX);
	ok(hist_quantile(&huge, 0.99) == (double)UINT64_MAX,
		"what lies beyond the last slot is as large as the greatest value");
	hostile.count = 100;
	hostile.max = 7;
	ok(hist_quantile(&hostile, 0.5) == 7, "a count without slots does not lead astray");
	hist_merge(&sum, &one);
	hist_merge(&sum, &huge);
	ok(sum.count == 2 && sum.max == UINT64_MAX && hist_quantile(&sum, 0.5) < 1032,
		"merging adds counts and keeps the greatest value");
}

int main(void)
{
	test_slots();
	test_random();
	test_edges();
	return tap_done();
}
