/* SPDX-License-Identifier: GPL-2.0-only */
/* Is the arithmetic of keepalivediagnose right: the order of answers, runs, the exact test, the
 * interval of the tails, and what they say together? */
#include <errno.h>
#include <math.h>

#include "complain.h"
#include "str.h"
#include "tap.h"
#include "tools/keepalive/ab.h"
#include "tools/keepalive/comparison.h"
#include "tools/keepalive/order.h"
#include "tools/keepalive/url.h"

#define MS 1000000ull
#define SLACK (5 * MS)

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static struct sample *add(
	struct round *round, uint64_t begun_ms, uint64_t done_ms, uint32_t connection, bool reused)
{
	ARRAY_GROW(round->samples, round->n, round->room);
	round->samples[round->n] = (struct sample){.due_ns = (1000 + begun_ms) * MS,
		.begun_ns = (1000 + begun_ms) * MS,
		.done_ns = (1000 + done_ms) * MS,
		.connection = connection,
		.status = 200,
		.reused = reused,
		.kept = true};
	round->answered++;
	return &round->samples[round->n++];
}

/* One worker, connections one and two: two requests are sent at the beginning, and the second waits
 * for a run of length requests on the first. */
static void make_hoarding(struct round *round, unsigned int length)
{
	unsigned int i;

	*round = (struct round){.plan.keep = true, .start_ns = 1000 * MS};
	add(round, 0, 10, 1, false);
	add(round, 0, 10 * length + 10, 2, false);
	for (i = 1; i < length; i++)
		add(round, 10 * i, 10 * i + 10, 1, true)->kept = i + 1 < length;
	round->end_ns = (1000 + 10 * length + 10) * MS;
}

/* First come, first served: two are always under way. */
static void make_fair(struct round *round, unsigned int length)
{
	unsigned int i;

	*round = (struct round){.start_ns = 1000 * MS};
	for (i = 0; i < length; i++)
		add(round, i < 2 ? 0 : 10 * (i - 1), 10 * (i + 1), i + 1, false);
	round->end_ns = (1000 + 10 * length) * MS;
}

static void test_order(void)
{
	const struct round *one;
	struct round round;
	struct order order;

	one = &round;
	make_hoarding(&round, 10);
	order_of_rounds(&order, &one, 1, SLACK);
	ok(near(order.index_ratio, 0.9), "of ten answers nine overtake the one that waits");
	ok(order.overtakers == 9 && order.victims == 1 && order.overtaken_by_max == 9,
		"the victim was overtaken nine times");
	ok(near(order.victim_wait_p50_seconds, 0.11), "and its wait is known");
	ok(order.run_mode == 10 && order.runs == 1 && order.runs_whole == 1,
		"a run of ten is counted as ten");
	round.samples[round.n - 1].kept = true;
	order_of_rounds(&order, &one, 1, SLACK);
	ok(order.run_mode == 10 && order.runs_whole == 1 && order.runs_cut,
		"a run that the end cut stands in where there is no other");
	round_free(&round);

	make_fair(&round, 20);
	order_of_rounds(&order, &one, 1, SLACK);
	ok(near(order.index_ratio, 0) && !order.victims && !order.run_mode,
		"first come, first served has no victim and no run");
	round_free(&round);

	round = (struct round){0};
	order_of_rounds(&order, &one, 1, SLACK);
	ok(isnan(order.index_ratio) && !order.answered, "no request has no order");
	add(&round, 0, 100, 1, false);
	add(&round, 4, 50, 2, false);
	order_of_rounds(&order, &one, 1, SLACK);
	ok(near(order.index_ratio, 0), "what came within the slack came together");
	add(&round, 6, 60, 3, false);
	order_of_rounds(&order, &one, 1, SLACK);
	ok(order.overtakers == 1, "what came later did not");
	round.samples[0].begun_ns = 0;
	order_of_rounds(&order, &one, 1, SLACK);
	ok(order.overtakers == 0, "what had no connection yet cannot be overtaken");
	round_free(&round);
}

static void test_permutation(void)
{
	const double high[] = {0.5, 0.6, 0.7, 0.8}, low[] = {0, 0.1, 0.2, 0.3};
	const double same[] = {0.1, 0.1, 0.1, 0.1};
	double many[AB_ROUNDS_MAX] = {0};

	ok(near(ab_permutation_p(high, 4, low, 4), 1.0 / 70), "4 and 4 apart: one way of 70");
	ok(near(ab_permutation_p(low, 4, high, 4), 1), "it is one-sided");
	ok(near(ab_permutation_p(same, 4, same, 4), 1), "equal values are no evidence");
	ok(near(ab_permutation_p(high, 3, low, 3), 1.0 / 20), "3 and 3 reach 0.05 and no less");
	ok(near(ab_permutation_p(high, 1, low, 2), 1.0 / 3), "unequal sides are enumerated too");
	ok(isnan(ab_permutation_p(high, 0, low, 4)) &&
			isnan(ab_permutation_p(many, AB_ROUNDS_MAX, low, 1)),
		"no values, or too many, have no answer");
}

static void test_ratio(void)
{
	struct round a[4], b[4];
	const struct round *pa[4], *pb[4];
	struct ratio ratio, again;
	size_t i;

	for (i = 0; i < 4; i++) {
		make_hoarding(&a[i], 10);
		make_fair(&b[i], 20);
		pa[i] = &a[i];
		pb[i] = &b[i];
	}
	ratio = ab_tail_ratio(pa, 4, pb, 4, 0.99);
	ok(near(ratio.estimate, 5.5), "110 ms against 20 ms are 5.5 times");
	ok(ratio.low >= 0.5 && ratio.low <= 5.5 && ratio.high >= 5.5 - 1e-9,
		"the interval holds the estimate");
	again = ab_tail_ratio(pa, 4, pb, 4, 0.99);
	ok(near(again.low, ratio.low) && near(again.high, ratio.high),
		"the same rounds have the same interval");
	ratio = ab_tail_ratio(pb, 4, pb, 4, 0.5);
	ok(near(ratio.estimate, 1), "a side against itself is once");
	ratio = ab_tail_ratio(pa, 0, pb, 4, 0.5);
	ok(isnan(ratio.estimate), "nothing has no ratio");
	for (i = 0; i < 4; i++) {
		round_free(&a[i]);
		round_free(&b[i]);
	}
}

static void fill_level(struct level *level, bool hoards, size_t each, unsigned int length)
{
	size_t i;

	*level = (struct level){.connections = 2};
	for (i = 0; i < 2 * each; i++) {
		struct round *round = &level->rounds[level->n_rounds++];

		if (i % 2 && hoards) {
			make_hoarding(round, length);
		} else {
			make_fair(round, length);
			round->plan.keep = i % 2;
		}
	}
}

static void free_level(struct level *level)
{
	size_t i;

	for (i = 0; i < level->n_rounds; i++)
		round_free(&level->rounds[i]);
}

static void test_verdicts(void)
{
	struct limits_of_run limits;
	struct level *level = mem_zalloc(sizeof(*level));

	limits_default(&limits);
	/* With ten requests a round half of the draws would miss the one victim each. */
	fill_level(level, true, 4, 10);
	level_judge(level, &limits, 0.01);
	ok(level->outcome == OUTCOME_QUEUES && level->keep.order.run_mode == 10,
		"runs that make others wait are called so");
	free_level(level);
	fill_level(level, false, 4, 20);
	level_judge(level, &limits, 0.01);
	ok(level->outcome == OUTCOME_FAIR, "the same order and the same tail are fair");
	free_level(level);
	fill_level(level, true, 2, 10);
	level_judge(level, &limits, 0.01);
	ok(level->outcome == OUTCOME_UNFAIR && level->few,
		"a level that was stopped does not say that it is bad");
	free_level(level);
	fill_level(level, false, 2, 20);
	level_judge(level, &limits, 0.01);
	ok(level->outcome == OUTCOME_UNDECIDED, "nor that it is fair");
	free_level(level);
	fill_level(level, true, 4, 2);
	level_judge(level, &limits, 0.01);
	ok(level->outcome == OUTCOME_UNFAIR,
		"another order with no tail to speak of is unfair, harm not shown");
	free_level(level);
	fill_level(level, false, 0, 0);
	level_judge(level, &limits, 0.01);
	ok(level->outcome == OUTCOME_NONE, "no round is no answer");
	free(level);
}

static void test_limits(void)
{
	static const char wrong[] = "[most]\nseconds = soon\n[judge]\nno_such_key = 1\n";
	struct complaints complaints = {0};
	struct limits_of_run limits;

	limits_default(&limits);
	ok(near(limits.most.body_bytes, 16 << 20) && near(limits.rounds.slack_seconds, 0.005),
		"the limits of the program are read, with their units");
	ok(limits.judge.connecting_share_least > 0 && limits.guard.ports_most > 0 &&
			2 * limits.rounds.each <= AB_ROUNDS_MAX,
		"and none is missing");
	ok(limits_read(&limits, "x", wrong, sizeof(wrong) - 1, &complaints) == -EINVAL &&
			complaints.n == 2,
		"what is no number and what is no key are refused");
}

static bool reads(
	const char *text, const char *host, uint16_t port, const char *authority, const char *path)
{
	struct url url;
	const bool right = !url_parse(&url, text) && !strcmp(url.host, host) && url.port == port &&
		!strcmp(url.authority, authority) && !strcmp(url.path, path);

	url_free(&url);
	return right;
}

static void test_urls(void)
{
	static const char *const wrong[] = {"", "127.0.0.1", "ftp://x/", "http://", "http:///x",
		"http://x:0/", "http://x:65536/", "http://x:1a/", "http://u:p@x/", "http://x/a b",
		"http://x/\r\nHost: y", "http://[::1/", "http://[::1%eth0]/", "http://x\"y/",
		"http://x/\xc3\xa4"};
	struct url url;
	size_t i;

	ok(reads("http://localhost", "localhost", 80, "localhost", "/"), "a host alone");
	ok(reads("http://127.0.0.1:3000/a?b=c#d", "127.0.0.1", 3000, "127.0.0.1:3000", "/a?b=c"),
		"a port, a path, a query; a fragment is not sent");
	ok(reads("https://[::1]?q", "::1", 443, "[::1]", "/?q"), "an address in brackets");
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		const bool refused = url_parse(&url, wrong[i]) != NULL;

		ok(refused, "a URL that is wrong is refused (%zu)", i);
		url_free(&url);
	}
}

int main(void)
{
	test_order();
	test_permutation();
	test_ratio();
	test_verdicts();
	test_limits();
	test_urls();
	return tap_done();
}
