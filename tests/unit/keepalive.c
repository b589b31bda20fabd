/* SPDX-License-Identifier: GPL-2.0-only */
/* Is the arithmetic of keepalivediagnose right: the order of answers, runs, the exact test, the
 * interval of the tails, and what they say together? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/str.h"
#include "tap.h"
#include "tools/keepalive/ab.h"
#include "tools/keepalive/limits_left.h"
#include "tools/keepalive/comparison.h"
#include "tools/keepalive/service_order.h"
#include "tools/keepalive/open_loop.h"
#include "sys/url.h"
#include "tools/keepalive/ramp.h"
#include "tools/keepalive/load_level.h"

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

static void test_pace(void)
{
	struct round round = {.start_ns = 1000 * MS};
	double plain;
	size_t n;

	ok(isnan(pace_per_second(&round)) && isnan(pace_mean_seconds(&round, &n)) && !n &&
			isnan(pace_kept_share(&round)),
		"no request has no pace");
	for (n = 0; n < 40; n++)
		add(&round, 0, 50 * (n / 5 + 1), 1 + (uint32_t)n, n > 0);
	plain = pace_per_second(&round);
	ok(near(plain, 100) && near(pace_kept_share(&round), 1),
		"five at once, 50 ms each, are 100 a second, whole bunches counted");
	round.samples[39].done_ns = 2000 * MS;
	round.samples[38].done_ns = 1900 * MS;
	ok(pace_per_second(&round) > 0.9 * plain,
		"two slow ones at the end change hardly anything");
	for (n = 0; n < round.n; n++)
		round.samples[n].error = EIO;
	ok(isnan(pace_per_second(&round)), "what failed is no answer");
	round_free(&round);
}

/* n at the same time, of which so many are served at once, 50 ms each; the slow-th takes ten times
 * that, if there is one. */
static void make_step(struct round *round, unsigned int n, unsigned int at_once, unsigned int slow)
{
	unsigned int i;

	*round = (struct round){.start_ns = 1000 * MS};
	for (i = 0; i < n; i++)
		add(round, 0, 50 * (i / at_once + 1) + (i + 1 == slow ? 450 : 0), i + 1, false);
	for (i = 0; i < n; i++)
		add(round, 50, 50 * ((n + i) / at_once + 1), n + i + 1, false);
}

static unsigned int served_of(unsigned int n, unsigned int at_once, unsigned int slow)
{
	unsigned int served;
	struct round round;

	make_step(&round, n, at_once, slow);
	served = pace_served_at_once(&round, n, 0.05, 1.5);
	round_free(&round);
	return served;
}

static void test_served_at_once(void)
{
	struct round round = {0};

	ok(served_of(8, 5, 0) == 5 && served_of(16, 5, 0) == 5 && served_of(4, 5, 0) == 4 &&
			served_of(8, 1, 0) == 1,
		"what is served at once is counted");
	ok(served_of(8, 5, 2) == 5 && served_of(16, 5, 16) == 5 && served_of(4, 5, 1) == 4,
		"a slow one among them does not matter");
	ok(!pace_served_at_once(&round, 1, 0.05, 1.5), "no request is not counted");
	make_step(&round, 8, 5, 0);
	ok(!pace_served_at_once(&round, 17, 0.05, 1.5), "nor are more than there are");
	ok(!pace_served_at_once(&round, 8, 0.01, 1.5), "nor where none is as fast as one alone");
	round.samples[7].begun_ns = round.samples[0].done_ns;
	ok(!pace_served_at_once(&round, 8, 0.05, 1.5), "nor where one came when another was gone");
	round.samples[7].begun_ns = round.samples[0].begun_ns;
	round.samples[3].error = EIO;
	ok(!pace_served_at_once(&round, 8, 0.05, 1.5), "nor where one failed");
	round_free(&round);
}

/* One alone takes 50 ms, and four served 80 requests a second. */
static bool queues(double p50, double per_second, unsigned int served)
{
	const struct ramp_step step = {8, per_second, p50, served};
	struct comparison x = {.close_p50 = 0.05};
	struct limits_of_run limits;

	limits_default(&limits);
	x.limits = &limits;
	return step_queues(&x, &step, 80);
}

static void test_steps(void)
{
	struct comparison x = {.steps = {{4, 80, 0.05, 4}, {8, 100, 0.1, 3}},
		.n_steps = 2,
		.per_second_max = 100,
		.alone_sum_seconds = 2.1,
		.alone_n = 30};

	ok(queues(0.1, 100, 5) && queues(0.1, 160, 0), "a median of two service times is a queue");
	ok(queues(0.08, 100, 5), "noise does not hide it where the count says that some wait");
	ok(!queues(0.08, 100, 0) && queues(0.08, 85, 0),
		"without a count the throughput must not grow");
	ok(!queues(0.08, 160, 5), "nor twice as much as the count allows");
	ok(!queues(0.06, 80, 5), "nobody waits where the median is that of one alone");
	ok(steps_served_at_once(&x) == 4, "the largest count stands");
	x.steps[1].served_at_once = 0;
	ok(steps_served_at_once(&x) == 7, "without a count it is the throughput times the mean");
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

/* Of a fair level: nobody waited there, so that it is fair says nothing. */
static void test_idle(struct level *level, const struct limits_of_run *limits)
{
	struct comparison x = {.limits = limits, .levels = {level}, .n_levels = 1};

	x.close_p50 = level->close.p50;
	ok(level_is_idle(&x, level), "a median that is that of one request alone is no queue");
	x.close_p50 = level->close.p50 / 2;
	ok(!level_is_idle(&x, level), "twice that is one");
	comparison_conclude(&x);
	ok(x.outcome == OUTCOME_FAIR && x.decisive == level, "then what it says counts");
	x.outcome = OUTCOME_NONE;
	x.decisive = NULL;
	level->repeated = true;
	comparison_conclude(&x);
	ok(x.outcome == OUTCOME_NONE && !x.decisive, "but not where another one stands for it");
}

static enum outcome conclude(struct comparison *x, enum outcome last)
{
	x->levels[x->n_levels - 1]->outcome = last;
	x->outcome = OUTCOME_NONE;
	x->decisive = NULL;
	comparison_conclude(x);
	return x->outcome;
}

/* Behind a fair level, one of more requests a second than are served. */
static void test_drowned(const struct limits_of_run *limits)
{
	struct level fair = {.outcome = OUTCOME_FAIR}, open = {.rate = 1500, .few = true};
	struct comparison x = {.limits = limits, .levels = {&fair, &open}, .n_levels = 2};

	ok(conclude(&x, OUTCOME_UNDECIDED) == OUTCOME_UNDECIDED && x.decisive == &open,
		"a level that came to nothing leaves doubt");
	open.drowned = true;
	ok(conclude(&x, OUTCOME_UNDECIDED) == OUTCOME_FAIR && x.decisive == &fair,
		"but not where more was asked than is served, so that the guard ended it");
	ok(conclude(&x, OUTCOME_UNFAIR) == OUTCOME_UNFAIR && x.decisive == &open,
		"though it may accuse");
	open.few = false;
	ok(conclude(&x, OUTCOME_UNDECIDED) == OUTCOME_UNDECIDED && x.decisive == &open,
		"and leaves doubt where it was over");
	open.few = true;
	fair.repeated = true;
	ok(conclude(&x, OUTCOME_UNDECIDED) == OUTCOME_UNDECIDED && x.decisive == &open,
		"where there is no other it is what there is");
}

/* Of a level that is unfair by its order, where slow requests hide the harm. */
static void test_harm_inside(struct level *level, const struct limits_of_run *limits)
{
	level->seen_keep = (struct seen){.rounds = 1,
		.read = 100,
		.continued = 40,
		.victims_most = 3,
		.oldest_seconds = 1,
		.waits = {{100, 0.1, 0.5}},
		.n_waits = 1};
	level->seen_close =
		(struct seen){.rounds = 1, .read = 100, .waits = {{100, 0.1, 0.2}}, .n_waits = 1};
	level_judge(level, limits, 0.01);
	ok(level->outcome == OUTCOME_QUEUES && !level->harm_outside,
		"and harms where that is seen inside");
	level->rounds[level->n_rounds - 1].stop = STOP_TIME;
	level_judge(level, limits, 0.01);
	ok(level->outcome == OUTCOME_UNFAIR && level->few,
		"unless the end of the time cut its last round");
	level->rounds[level->n_rounds - 1].stop = STOP_NOT;
	level->seen_keep = level->seen_close = (struct seen){0};
}

/* Two are served at once, in fair order, and the fourth takes 500 ms: it is overtaken by whatever
 * is sent while it is served. */
static void make_slow(struct round *round, bool keep, size_t n)
{
	size_t i;

	*round = (struct round){.plan = {.keep = keep, .requests_max = n}, .start_ns = 1000 * MS};
	for (i = 0; i < n; i++) {
		const uint64_t begun = i < 4 ? i * 50 : 160 + (i - 4) * 50;

		add(round, begun, begun + (i == 3 ? 500 : 50), i == 3 ? 2 : 1, false);
	}
	round->end_ns = 1650 * MS;
}

static void test_sizes(void)
{
	struct level *level = mem_zalloc(sizeof(*level));
	struct limits_of_run limits;
	size_t i;

	limits_default(&limits);
	for (i = 0; i < 8; i++)
		make_slow(&level->rounds[i], i % 2, i % 2 ? 8 : 4);
	level->n_rounds = 8;
	level_judge(level, &limits, 0.05);
	ok(level->keep.order.overtakers == 16 && !(level->keep.order.index_ratio > 0) &&
			!(level->close.order.index_ratio > 0) && near(level->order_p, 1) &&
			level->outcome == OUTCOME_FAIR,
		"rounds of other sizes are compared by as many of their first requests");
	free_level(level);
	free(level);
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
	test_idle(level, &limits);
	test_drowned(&limits);
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
	test_harm_inside(level, &limits);
	free_level(level);
	fill_level(level, false, 0, 0);
	level_judge(level, &limits, 0.01);
	ok(level->outcome == OUTCOME_NONE, "no round is no answer");
	free(level);
}

/* With 90 s for the whole, of which none has passed. */
static void test_budget(void)
{
	struct level *level = mem_zalloc(sizeof(*level));
	struct comparison x = {.start_ns = monotonic_ns(), .levels = {level}, .n_levels = 1};
	struct limits_of_run limits;
	size_t i;

	limits_default(&limits);
	x.limits = &limits;
	ok(budget_end_ns(&x) > budget_deadline_ns(&x) &&
			budget_deadline_ns(&x) == x.start_ns + 90000 * MS,
		"answers are waited for a little longer than requests are sent");
	ok(budget_allows_round(&x) && !x.out_of_time, "at the start there is time");
	level->seconds = 40;
	ok(budget_allows_level(&x), "twice 40 s fit into 90");
	level->n_rounds = 8;
	for (i = 0; i < level->n_rounds; i++)
		level->rounds[i] = (struct round){.plan = {.issue_ns = 10000 * MS},
			.start_ns = 1000 * MS,
			.issue_end_ns = 2000 * MS};
	ok(!budget_allows_level(&x), "not where rounds ended early that may be nine times as long");
	x.start_ns -= 90000 * MS;
	ok(!budget_allows_round(&x) && x.out_of_time, "after 90 s nothing is sent");
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
	test_pace();
	test_served_at_once();
	test_steps();
	test_permutation();
	test_ratio();
	test_verdicts();
	test_sizes();
	test_budget();
	test_limits();
	test_urls();
	return tap_done();
}
