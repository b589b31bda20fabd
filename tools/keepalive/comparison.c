/* SPDX-License-Identifier: GPL-2.0-only */
/* Which rounds, how large, and when is it enough? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "tools/keepalive/limits_left.h"
#include "tools/keepalive/client.h"
#include "tools/keepalive/comparison.h"
#include "tools/keepalive/open_loop.h"
#include "base/progress.h"
#include "base/str.h"
#include "tools/keepalive/ramp.h"
#include "tools/keepalive/load_level.h"

#define NS 1e9
/* What a Go client keeps of idle connections to one host (net/http, DefaultMaxIdleConnsPerHost). */
#define SMALL_POOL 2
/* Of a level, so many rounds are watched from inside too, as many of each kind: each takes the time
 * to attach a tracer. */
#define WATCHED_ROUNDS 4
/* So many levels at which nothing waits, before it is given up. */
#define LEVELS_IDLE_MAX 3

static void show(void *arg, const struct round *round)
{
	const struct comparison *x = arg;
	char doing[96];

	snprintf(doing, sizeof(doing), "connections %s: %zu requests, %zu at once",
		round->plan.keep ? "kept" : "closed", x->requests + round->n,
		(size_t)round->plan.connections);
	if (x->witness)
		witness_look(x->witness, round->plan.keep);
	progress_show(doing, fmin(budget_elapsed(x) / x->limits->most.seconds, 0.99));
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
	/* The first level need only accuse; what acquits in the end needs a tail. */
	const double least =
		l->rounds.requests_least * (x->n_levels > 1 || x->fixed_connections ? 2 : 1);
	const double enough = fmax(least, l->rounds.service_times * connections / 2);

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
		.deadline_ns = budget_deadline_ns(x),
		.end_ns = budget_end_ns(x),
		.body_max = (uint64_t)l->most.body_bytes,
		.errors_max = l->guard.errors_most,
	};
}

static void comparison_note_stop(struct comparison *x, const struct round *round, int err)
{
	x->stop = err ? STOP_ERRORS : round->stop;
	x->out_of_time |= x->stop == STOP_TIME;
	x->stop_keep = round->plan.keep;
	x->error = err ? -err : round->last_error;
	x->error_status = round->last_status;
	x->wrong = round->last_wrong;
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
		comparison_note_stop(x, round, err);
	else
		nanosleep(&pause, NULL);
	return !x->stop;
}

/* seen: of the level, or NULL. */
static bool run_watched(
	struct comparison *x, const struct round_plan *plan, struct round *round, struct seen *seen)
{
	bool whole;

	if (!x->witness)
		return run_round(x, plan, round);
	witness_begin(x->witness);
	whole = run_round(x, plan, round);
	witness_end(x->witness, plan->keep, seen);
	return whole;
}

static void sum_up_one(const struct comparison *x, struct arm *arm, const struct round *round)
{
	*arm = (struct arm){0};
	arm_sum_up(arm, &round, 1, to_ns(x->limits->rounds.slack_seconds));
}

static void note_close(struct comparison *x, const struct round *round, const struct arm *arm)
{
	x->service_seconds = pace_mean_seconds(round, &x->alone_n);
	x->alone_sum_seconds = x->alone_n ? x->service_seconds * (double)x->alone_n : 0;
	x->close_p50 = arm->p50;
	x->connect_p50 = pace_opening_p50(round);
	x->status = round->first_status;
	memcpy(x->server, round->server, sizeof(x->server));
	memcpy(x->via, round->via, sizeof(x->via));
}

/*
 * One request at a time, closed and kept. Returns whether to go on. The closed ones are watched: if
 * they are not answered, what others' connections do is seen meanwhile.
 */
static bool find_baseline(struct comparison *x, bool keep)
{
	struct round_plan plan = make_plan(x, keep, 1, x->limits->baseline.seconds);
	const double wanted = x->limits->baseline.requests / (keep ? 2 : 1);
	struct round round;
	struct arm arm;
	bool whole;

	plan.requests_max = (size_t)fmin((double)plan.requests_max, fmax(1, wanted));
	whole = keep ? run_round(x, &plan, &round) : run_watched(x, &plan, &round, NULL);
	sum_up_one(x, &arm, &round);
	if (keep) {
		x->keep_p50 = arm.p50;
		x->kept_share = pace_kept_share(&round);
	} else {
		note_close(x, &round, &arm);
	}
	round_free(&round);
	if (whole && keep && x->kept_share < x->limits->baseline.kept_least)
		x->outcome = OUTCOME_NEVER_KEPT;
	return whole && x->outcome == OUTCOME_NONE;
}

/* While nothing queues, requests tell how long they take. */
static void note_alone(struct comparison *x, const struct round *round)
{
	size_t n;
	const double mean = pace_mean_seconds(round, &n);

	if (!n)
		return;
	x->alone_sum_seconds += mean * (double)n;
	x->alone_n += n;
}

/* Of steps and rounds alike, with connections closed: there is no ramp where a number was asked
 * for, and others may come meanwhile. */
static void guard_median(struct comparison *x, double p50)
{
	x->median_guard |= p50 > x->limits->guard.median_times * x->service_seconds;
}

static bool take_step(struct comparison *x, unsigned int connections, double before)
{
	const double seconds = fmax(x->limits->ramp.service_times * x->service_seconds,
		x->limits->rounds.seconds_least / 4);
	const struct round_plan plan = make_plan(x, false, connections, seconds);
	struct ramp_step *step = &x->steps[x->n_steps++];
	struct round round;
	struct arm arm;
	bool whole = run_round(x, &plan, &round);

	sum_up_one(x, &arm, &round);
	*step = (struct ramp_step){connections, pace_per_second(&round), arm.p50,
		pace_served_at_once(
			&round, connections, x->close_p50, x->limits->ramp.served_times)};
	if (isfinite(step->per_second))
		x->per_second_max = fmax(x->per_second_max, step->per_second);
	if (whole && !step_queues(x, step, before))
		note_alone(x, &round);
	if (whole)
		guard_median(x, arm.p50);
	round_free(&round);
	return whole && !x->median_guard;
}

/*
 * Doubles the connections, of which there were so many, until requests queue. Returns how many
 * connections make a queue for sure, or 0.
 */
static unsigned int climb(struct comparison *x, unsigned int connections)
{
	const unsigned int most = (unsigned int)x->limits->most.connections;
	double before = x->n_steps ? x->steps[x->n_steps - 1].per_second : 1 / x->service_seconds;
	unsigned int wanted;

	while (connections < most && x->n_steps < EXPERIMENT_STEPS_MAX) {
		connections = connections * 2 < most ? connections * 2 : most;
		if (!budget_allows_round(x) || !take_step(x, connections, before))
			return 0;
		x->rate_limited = x->per_second_max >
			x->limits->ramp.rate_most * x->limits->most.requests_per_second;
		if (step_queues(x, &x->steps[x->n_steps - 1], before))
			break;
		before = x->steps[x->n_steps - 1].per_second;
	}
	if (!step_queues(x, &x->steps[x->n_steps - 1], before) ||
		(x->rate_limited &&
			x->steps[x->n_steps - 1].p50 < x->limits->ramp.wait_times * x->close_p50)) {
		x->outcome = OUTCOME_NO_QUEUE;
		return 0;
	}
	x->served_at_once = steps_served_at_once(x);
	wanted = 2 * x->served_at_once;
	/* So many queued for sure; fewer only by a count, and not after a level that was idle. */
	if (wanted < connections && (x->n_levels || !x->steps[x->n_steps - 1].served_at_once))
		wanted = connections;
	return wanted < most ? wanted : most;
}

static struct round_plan level_plan(const struct comparison *x, const struct level *level, size_t i)
{
	const double seconds = fmax(x->limits->rounds.seconds_least,
		x->limits->rounds.service_times * x->service_seconds);
	/* ABBA and again: what drifts in a straight line adds the same to both. */
	struct round_plan plan =
		make_plan(x, i % 4 == 0 || i % 4 == 3, level->connections, seconds);

	/* Nothing runs on there, so a quick accusation needs half as many of these. */
	if (!plan.keep && x->n_levels == 1 && !x->fixed_connections && level->rate <= 0)
		plan.requests_max = (plan.requests_max + 1) / 2;
	/* In the first a run is seen to its end: half of the connections wait meanwhile with a
	 * request each, and the others have one more when it is over. */
	if (i == 0 && level->rate <= 0)
		plan.requests_max = (size_t)fmin((double)(plan.requests_max + level->connections),
			fmax(1, x->limits->most.requests - (double)x->requests));
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
	if (!budget_allows_round(x))
		return;
	level->has_pool = run_round(x, &plan, &round);
	sum_up_one(x, &level->pool, &round);
	round_free(&round);
}

/* Returns whether the round was run to its end. */
static bool run_level_round(struct comparison *x, struct level *level)
{
	const size_t i = level->n_rounds++;
	const struct round_plan plan = level_plan(x, level, i);
	struct seen *seen = plan.keep ? &level->seen_keep : &level->seen_close;
	struct round *round = &level->rounds[i];
	const bool watched = i < WATCHED_ROUNDS && level->rate <= 0;
	struct arm arm;

	if (watched ? !run_watched(x, &plan, round, seen) : !run_round(x, &plan, round))
		return false;
	sum_up_one(x, &arm, round);
	if (!plan.keep)
		guard_median(x, arm.p50);
	return true;
}

static struct level *run_level(struct comparison *x, unsigned int connections, double rate)
{
	struct level *level = x->levels[x->n_levels++] = mem_zalloc(sizeof(*level));
	const size_t n = 2 * (size_t)x->limits->rounds.each;
	const double began = budget_elapsed(x);

	level->connections = connections;
	level->rate = rate;
	while (level->n_rounds < n && budget_allows_round(x))
		if (!run_level_round(x, level))
			break;
	level->seconds = budget_elapsed(x) - began;
	level->drowned = x->median_guard;
	if (rate > 0)
		run_pool(x, level);
	level_judge(level, x->limits, x->service_seconds);
	return level;
}

/* With more requests, where there is time. */
static void comparison_ask_again(struct comparison *x, struct level *level)
{
	if (budget_allows_round(x) && budget_allows_level(x))
		level->repeated = !run_level(x, level->connections, 0)->few;
}

/*
 * A server that is unfair with few connections may be fair with more, and the other way. A doubt
 * that is left is asked again: the first level is small, to accuse at once.
 */
static void run_more(struct comparison *x, struct level *first)
{
	struct level *second;
	enum outcome outcome;

	if (first->outcome == OUTCOME_QUEUES || x->fixed_connections ||
		2 * first->connections > (unsigned int)x->limits->most.connections ||
		!budget_allows_round(x))
		return;
	x->out_of_time = !budget_allows_level(x);
	if (x->out_of_time)
		return;
	second = run_level(x, 2 * first->connections, 0);
	outcome = second->outcome;
	if (first->outcome != OUTCOME_FAIR &&
		(outcome == OUTCOME_FAIR || outcome == OUTCOME_UNDECIDED))
		comparison_ask_again(x, first);
	if (outcome == OUTCOME_UNDECIDED && first->outcome != OUTCOME_UNFAIR)
		comparison_ask_again(x, second);
}

static void run_levels(struct comparison *x, unsigned int connections)
{
	double rate = x->rate;
	struct level *first = run_level(x, connections, 0);

	while (level_is_idle(x, first) && x->n_levels < LEVELS_IDLE_MAX && budget_allows_round(x)) {
		first->repeated = true;
		connections = climb(x, connections);
		if (!connections)
			return;
		first = run_level(x, connections, 0);
	}
	if (level_is_idle(x, first))
		first->outcome = OUTCOME_UNDECIDED;
	else
		run_more(x, first);
	if (rate <= 0 && x->rate_share > 0)
		rate = x->rate_share * x->levels[0]->close.per_second;
	if (rate > 0 && isfinite(rate) && budget_allows_round(x))
		run_level(x, connections, fmin(rate, x->limits->most.requests_per_second));
}

void comparison_run(struct comparison *x)
{
	unsigned int connections = x->fixed_connections;

	x->start_ns = monotonic_ns();
	if (x->witness)
		x->witness->end_ns = budget_end_ns(x);
	x->service_seconds = x->close_p50 = x->keep_p50 = x->connect_p50 = NAN;
	x->kept_share = x->per_second_max = NAN;
	if (find_baseline(x, false) && budget_allows_round(x) && find_baseline(x, true)) {
		if (!connections)
			connections = climb(x, 1);
		if (connections && budget_allows_round(x))
			run_levels(x, connections);
	}
	comparison_conclude(x);
	x->seconds = budget_elapsed(x);
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
