/* SPDX-License-Identifier: GPL-2.0-only */
/* Is growth told from steps, sawteeth, noise and what comes to rest? */
#include "base/banned.h"

#include <math.h>

#include "stats/growth.h"
#include "stats/trend.h"
#include "tests/unit/tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Looks two seconds apart. */
static bool grows(const double *values, size_t n, struct stats_growth *growth)
{
	double times[32];
	size_t i;

	for (i = 0; i < n; i++)
		times[i] = 2.0 * (double)i;
	return stats_growth(times, values, n, growth);
}

static bool near(double value, double expected)
{
	return fabs(value - expected) <= 1e-9;
}

static void test_growth(void)
{
	static const double line[] = {0.61, 0.62, 0.63, 0.64, 0.65, 0.66};
	static const double counted[] = {500, 501, 501, 502, 503, 503};
	static const double noisy[] = {10, 12, 13, 12.9, 16, 17};
	static const double fast[] = {1, 2, 3, 100, 101, 102};
	struct stats_growth growth;

	ok(grows(line, COUNT(line), &growth) && near(growth.slope, 0.005) &&
			near(growth.low, 0.005) && isinf(growth.ends),
		"a straight line grows by its slope");
	ok(grows(counted, COUNT(counted), &growth) && growth.slope > 0.2 && growth.slope <= 0.5,
		"so does what is counted, and stands still for one look");
	ok(grows(noisy, COUNT(noisy), &growth) && growth.low > 0 && growth.low <= growth.slope &&
			growth.high >= growth.slope,
		"and what goes back a little once");
	ok(grows(fast, COUNT(fast), &growth) && near(growth.slope, 0.5),
		"one step counts for no more than the other looks");
}

static void test_no_growth(void)
{
	static const double flat[] = {5, 5, 5, 5, 5, 5};
	static const double step[] = {0, 0, 0, 9, 9, 9};
	static const double saw[] = {1, 2, 3, 1, 2, 3};
	static const double dropped[] = {1, 2, 3, 4, 5, 1};
	static const double shrinks[] = {6, 5, 4, 3, 2, 1};
	static const double few[] = {1, 2, 3, 4};
	static const double lost[] = {1, 2, NAN, 4, 5, 6};
	struct stats_growth growth;

	ok(!grows(flat, COUNT(flat), &growth), "what stands still does not grow");
	ok(!grows(step, COUNT(step), &growth), "nor what made one step");
	ok(!grows(saw, COUNT(saw), &growth) && !grows(dropped, COUNT(dropped), &growth),
		"nor what is taken back");
	ok(!grows(shrinks, COUNT(shrinks), &growth), "nor what shrinks");
	ok(!grows(few, COUNT(few), &growth) && !grows(lost, COUNT(lost), &growth),
		"of too few values, or of one that is not known, nothing is said");
}

/* 100 - 100 * q^i comes to rest at 100. */
static void test_rest(void)
{
	double values[7];
	struct stats_growth growth;
	size_t i;

	for (i = 0; i < COUNT(values); i++)
		values[i] = 100 - 100 * pow(0.7, (double)i);
	ok(!grows(values, COUNT(values), &growth) || near(growth.ends, 100),
		"what slows down has an end");
	for (i = 0; i < COUNT(values); i++)
		values[i] = 100 - 100 * pow(0.95, (double)i);
	ok(grows(values, COUNT(values), &growth) && isinf(growth.ends),
		"what slows down a little goes on");
	values[0] = 0;
	values[1] = 40;
	values[2] = 62;
	values[3] = 70;
	values[4] = 74;
	values[5] = 77;
	values[6] = 78;
	ok(!grows(values, COUNT(values), &growth) || near(growth.ends, 78 + 64.0 / (70 - 8)),
		"by what its second half still grew");
}

/* The rounding of a straight line is no autocorrelation that would widen its interval. */
static void test_straight(void)
{
	double times[12], values[12];
	struct stats_trend trend;
	size_t i;

	for (i = 0; i < COUNT(times); i++) {
		times[i] = 1795258800.0 + 300.0 * (double)i;
		values[i] = 0.7 + 1e-5 * 300.0 * (double)i;
	}
	ok(!stats_trend(times, values, COUNT(times), 0.95, &trend) && trend.have_interval &&
			fabs(trend.interval.low - 1e-5) < 1e-12 &&
			fabs(trend.interval.high - 1e-5) < 1e-12,
		"a straight line is known exactly");
}

int main(void)
{
	test_growth();
	test_no_growth();
	test_rest();
	test_straight();
	return tap_done();
}
