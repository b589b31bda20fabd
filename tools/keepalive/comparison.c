/* SPDX-License-Identifier: GPL-2.0-only */
/* Which rounds, how large, and when is it enough? */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "client.h"
#include "comparison.h"
#include "ports.h"
#include "progress.h"
#include "stats.h"
#include "str.h"

#define NS 1e9
/* What a Go client keeps of idle connections to one host (net/http, DefaultMaxIdleConnsPerHost). */
#define SMALL_POOL 2

static double elapsed(const struct comparison *x)
{
	return (double)(round_now_ns() - x->start_ns) / NS;
}

static void show(void *arg, const struct round *round)
{
	const struct comparison *x = arg;
	char doing[96];

	snprintf(doing, sizeof(doing), "connections %s: %zu requests, %zu at once",
		round->plan.keep ? "kept" : "closed", x->requests + round->n,
		(size_t)round->plan.connections);
	progress_show(doing, fmin(elapsed(x) / x->limits->most.seconds, 0.99));
}

static uint64_t to_ns(double seconds)
{
	return (uint64_t)(seconds * NS);
}

static struct round_plan make_plan(
	const struct comparison *x, bool keep, unsigned int connections, double issue_seconds)
{
	const struct limits_of_run *l = x->limits;
	const double service = isfinite(x->service_seconds) ? x->service_seconds : 0;
	const double left = l->most.requests - (double)x->requests;
	const double enough =
		fmax(l->rounds.requests_least, l->rounds.service_times * connections / 2);

	return (struct round_plan){
		.keep = keep,
		.connections = connections,
		.idle_max = connections,
		.rate_max = l->most.requests_per_second,
		.requests_max = (size_t)fmax(1, fmin(left, enough)),
		.issue_ns = to_ns(issue_seconds),
		.release_ns =
			to_ns(fmax(l->rounds.release_seconds, l->rounds.release_times * service)),
		.drain_ns =
			to_ns(fmax(l->rounds.drain_seconds, 2 * l->rounds.release_times * service)),
		.wait_max_ns = to_ns(fmax(l->guard.wait_seconds, l->guard.wait_times * service)),
		.body_max = (uint64_t)l->most.body_bytes,
		.errors_max = l->guard.errors_most,
	};
}

/* Whether the budgets leave room for a round, which says why where they do not. */
static bool may_go_on(struct comparison *x)
{
	if (x->stop)
		return false;
	x->out_of_time |= elapsed(x) >= x->limits->most.seconds;
	x->out_of_requests |= (double)x->requests >= x->limits->most.requests;
	x->out_of_ports |=
		(double)x->connections_opened >= x->limits->guard.ports_most * ports_count();
	return !x->out_of_time && !x->out_of_requests && !x->out_of_ports;
}

static void note_stop(struct comparison *x, const struct round *round, int err)
{
	x->stop = err ? STOP_ERRORS : round->stop;
	x->stop_keep = round->plan.keep;
	x->error = err ? -err : round->last_error;
	x->error_status = round->last_status;
}

/* Returns whether the round was run to its end. */
static bool run_round(struct comparison *x, const struct round_plan *plan, struct round *round)
{
	const struct timespec pause = {.tv_nsec = (long)to_ns(x->limits->rounds.pause_seconds)};
	const int err = client_round(x->client, plan, round, show, x);

	x->requests += round->n;
	x->connections_opened += round->connections;
	x->no_port += round->no_port;
	x->closed_early += round->closed_early;
	x->client_cpu_max = fmax(x->client_cpu_max, round->client_cpu);
	if (err || round->stop)
		note_stop(x, round, err);
	else
		nanosleep(&pause, NULL);
	return !x->stop;
}

static void sum_up_one(const struct comparison *x, struct arm *arm, const struct round *round)
{
	*arm = (struct arm){0};
	arm_sum_up(arm, &round, 1, to_ns(x->limits->rounds.slack_seconds));
}

static double median_of_opening(const struct round *round)
{
	double *seconds = mem_alloc((round->n + 1) * sizeof(*seconds)), median;
	size_t i, n = 0;

	for (i = 0; i < round->n; i++)
		if (round->samples[i].opened_ns && !round->samples[i].retried)
			seconds[n++] =
				(double)(round->samples[i].opened_ns - round->samples[i].begun_ns) /
				NS;
	stats_sort(seconds, n);
	median = stats_quantile(seconds, n, 0.5);
	free(seconds);
	return median;
}

static double mean_of(const struct round *round)
{
	double sum = 0;
	size_t i, n = 0;

	for (i = 0; i < round->n; i++) {
		if (round->samples[i].error)
			continue;
		sum += sample_seconds(&round->samples[i]);
		n++;
	}
	return n ? sum / (double)n : NAN;
}

static void note_close(struct comparison *x, const struct round *round, const struct arm *arm)
{
	x->service_seconds = mean_of(round);
	x->close_p50 = arm->p50;
	x->connect_p50 = median_of_opening(round);
	x->status = round->first_status;
	memcpy(x->server, round->server, sizeof(x->server));
	memcpy(x->via, round->via, sizeof(x->via));
}

/* One request at a time, closed and kept. Returns whether to go on. */
static bool find_baseline(struct comparison *x, bool keep)
{
	struct round_plan plan = make_plan(x, keep, 1, x->limits->baseline.seconds);
	struct round round;
	struct arm arm;
	bool whole;

	plan.requests_max =
		(size_t)fmin((double)plan.requests_max, fmax(1, x->limits->baseline.requests));
	whole = run_round(x, &plan, &round);
	sum_up_one(x, &arm, &round);
	if (keep) {
		x->keep_p50 = arm.p50;
		x->kept_share = arm.answered ? (double)arm.kept / (double)arm.answered : NAN;
	} else {
		note_close(x, &round, &arm);
	}
	round_free(&round);
	if (whole && keep && x->kept_share < x->limits->baseline.kept_least)
		x->outcome = OUTCOME_NEVER_KEPT;
	return whole && x->outcome == OUTCOME_NONE;
}

/* Returns whether requests queue at this many connections. */
static bool is_queue(const struct comparison *x, const struct step *step, double before)
{
	return step->per_second < before * (1 + x->limits->ramp.growth_least) ||
		step->p50 >= x->limits->ramp.wait_times * x->service_seconds;
}

static bool take_step(struct comparison *x, unsigned int connections)
{
	const double seconds = fmax(x->limits->ramp.service_times * x->service_seconds,
		x->limits->rounds.seconds_least / 4);
	const struct round_plan plan = make_plan(x, false, connections, seconds);
	struct step *step = &x->steps[x->n_steps++];
	struct round round;
	struct arm arm;
	bool whole = run_round(x, &plan, &round);

	sum_up_one(x, &arm, &round);
	*step = (struct step){connections, arm.per_second, arm.p50};
	if (isfinite(arm.per_second))
		x->per_second_max = fmax(x->per_second_max, arm.per_second);
	if (whole && arm.p50 > x->limits->guard.median_times * x->service_seconds)
		x->median_guard = true;
	round_free(&round);
	return whole && !x->median_guard;
}

/*
 * Doubles the connections until the throughput grows no more. Returns how many connections make a
 * queue for sure, or 0.
 */
static unsigned int climb(struct comparison *x)
{
	const unsigned int most = (unsigned int)x->limits->most.connections;
	double before = 1 / x->service_seconds;
	unsigned int connections = 1, wanted;

	while (connections < most && x->n_steps < EXPERIMENT_STEPS_MAX) {
		connections = connections * 2 < most ? connections * 2 : most;
		if (!may_go_on(x) || !take_step(x, connections))
			return 0;
		x->rate_limited = x->per_second_max > 0.9 * x->limits->most.requests_per_second;
		if (is_queue(x, &x->steps[x->n_steps - 1], before))
			break;
		before = x->steps[x->n_steps - 1].per_second;
	}
	if (!is_queue(x, &x->steps[x->n_steps - 1], before) ||
		(x->rate_limited &&
			x->steps[x->n_steps - 1].p50 <
				x->limits->ramp.wait_times * x->service_seconds)) {
		x->outcome = OUTCOME_NO_QUEUE;
		return 0;
	}
	x->served_at_once = (unsigned int)fmax(1, round(x->per_second_max * x->service_seconds));
	wanted = 2 * x->served_at_once > connections ? 2 * x->served_at_once : connections;
	return wanted < most ? wanted : most;
}

double level_seconds(const struct comparison *x)
{
	const double issue = fmax(x->limits->rounds.seconds_least,
		x->limits->rounds.service_times * x->service_seconds);

	return 2 * x->limits->rounds.each *
		(issue + 4 * x->service_seconds + x->limits->rounds.pause_seconds);
}

static struct round_plan level_plan(const struct comparison *x, const struct level *level, size_t i)
{
	const double seconds = fmax(x->limits->rounds.seconds_least,
		x->limits->rounds.service_times * x->service_seconds);
	/* ABBA and again: what drifts in a straight line adds the same to both. */
	struct round_plan plan =
		make_plan(x, i % 4 == 0 || i % 4 == 3, level->connections, seconds);

	plan.rate = level->rate;
	/* Pairs of an open level are sent at the same times. */
	plan.seed = i / 2 + 1;
	return plan;
}

/* The same once more with the pool of a client that keeps hardly anything. */
static void run_pool(struct comparison *x, struct level *level)
{
	struct round_plan plan = level_plan(x, level, 0);
	struct round round;

	plan.idle_max = SMALL_POOL;
	if (!may_go_on(x))
		return;
	level->has_pool = run_round(x, &plan, &round);
	sum_up_one(x, &level->pool, &round);
	round_free(&round);
}

static struct level *run_level(struct comparison *x, unsigned int connections, double rate)
{
	struct level *level = x->levels[x->n_levels++] = mem_zalloc(sizeof(*level));
	const size_t n = 2 * (size_t)x->limits->rounds.each;

	level->connections = connections;
	level->rate = rate;
	while (level->n_rounds < n && may_go_on(x)) {
		const struct round_plan plan = level_plan(x, level, level->n_rounds);

		if (!run_round(x, &plan, &level->rounds[level->n_rounds++]))
			break;
	}
	if (rate > 0)
		run_pool(x, level);
	level_judge(level, x->limits, x->service_seconds);
	return level;
}

/* The worst of what the levels say, and which one said it. */
static void conclude(struct comparison *x)
{
	static const enum outcome worst_first[] = {
		OUTCOME_QUEUES, OUTCOME_UNFAIR, OUTCOME_UNDECIDED, OUTCOME_FAIR};
	size_t i, k;

	if (x->client_cpu_max > x->limits->guard.client_cpu_most)
		x->client_busy = true;
	for (k = 0; k < ARRAY_SIZE(worst_first) && !x->outcome; k++) {
		for (i = 0; i < x->n_levels && !x->outcome; i++) {
			if (x->levels[i]->outcome != worst_first[k])
				continue;
			x->outcome = worst_first[k];
			x->decisive = x->levels[i];
		}
	}
}

static void run_levels(struct comparison *x, unsigned int connections)
{
	const unsigned int most = (unsigned int)x->limits->most.connections;
	double rate = x->rate;
	enum outcome outcome = run_level(x, connections, 0)->outcome;

	/* A server that is unfair with few connections may be fair with more, and the other way. */
	if (outcome != OUTCOME_QUEUES && !x->fixed_connections && 2 * connections <= most &&
		may_go_on(x)) {
		if (elapsed(x) + level_seconds(x) <= x->limits->most.seconds)
			run_level(x, 2 * connections, 0);
		else
			x->out_of_time = true;
	}
	if (rate <= 0 && x->rate_share > 0)
		rate = x->rate_share * x->levels[0]->close.per_second;
	if (rate > 0 && isfinite(rate) && may_go_on(x))
		run_level(x, connections, fmin(rate, x->limits->most.requests_per_second));
}

void comparison_run(struct comparison *x)
{
	unsigned int connections = x->fixed_connections;

	x->start_ns = round_now_ns();
	x->service_seconds = x->close_p50 = x->keep_p50 = x->connect_p50 = NAN;
	x->kept_share = x->per_second_max = NAN;
	if (find_baseline(x, false) && may_go_on(x) && find_baseline(x, true)) {
		if (!connections)
			connections = climb(x);
		if (connections && may_go_on(x))
			run_levels(x, connections);
	}
	conclude(x);
	x->seconds = elapsed(x);
	progress_end();
}

void comparison_free(struct comparison *x)
{
	size_t i, k;

	for (i = 0; i < x->n_levels; i++) {
		for (k = 0; k < x->levels[i]->n_rounds; k++)
			round_free(&x->levels[i]->rounds[k]);
		free(x->levels[i]);
	}
	x->n_levels = 0;
}
