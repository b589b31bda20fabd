/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The test: the same requests with connections kept and with connections closed, in rounds that
 * take turns, once it is known how many connections queue at all.
 *
 * The design and its error rates are docs/keepalive-diagnose.md's.
 */
#ifndef TUESDAY_KEEPALIVE_COMPARISON_H
#define TUESDAY_KEEPALIVE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ab.h"
#include "limits.h"
#include "order.h"
#include "round.h"

struct client;

#define EXPERIMENT_LEVELS_MAX 4
#define EXPERIMENT_STEPS_MAX 12

enum outcome {
	OUTCOME_NONE,	    /* it did not come to an answer */
	OUTCOME_QUEUES,	    /* requests wait behind other people's connections, and it harms */
	OUTCOME_UNFAIR,	    /* the order differs, harm was not shown */
	OUTCOME_FAIR,	    /* no difference */
	OUTCOME_UNDECIDED,  /* too little, or too much noise */
	OUTCOME_NEVER_KEPT, /* the server closes every connection */
	OUTCOME_NO_QUEUE    /* so many connections make nothing wait */
};

/* All rounds of one kind at one level. Seconds; NAN where there is none. */
struct arm {
	size_t requests, answered, connections, kept;
	double p50, p95, p99, max;
	double per_second;
	struct order order;
};

struct level {
	unsigned int connections;
	double rate; /* a second, of an open level; 0: closed */
	struct round rounds[AB_ROUNDS_MAX];
	size_t n_rounds;
	struct arm keep, close;
	double order_p; /* that the order differs by chance */
	struct ratio p95, p99;
	enum outcome outcome;
	bool few; /* rounds, since it was stopped */
	/* Of an open level: the same with a pool that keeps two connections. */
	bool has_pool;
	struct arm pool;
};

struct step {
	unsigned int connections;
	double per_second, p50;
};

struct comparison {
	const struct limits_of_run *limits;
	struct client *client;
	/* What the user wants instead of what would be found out; 0: nothing. */
	unsigned int fixed_connections;
	double rate;	   /* of an open level, a second */
	double rate_share; /* or as a share of the throughput found */

	uint64_t start_ns;
	size_t requests, connections_opened;
	double seconds;
	double client_cpu_max;

	/* One request at a time. */
	double service_seconds; /* the mean, connections closed */
	double close_p50, keep_p50;
	double connect_p50; /* to open a connection, TLS included */
	double kept_share;
	int status; /* the usual one of HTTP */
	char server[64], via[64];

	struct step steps[EXPERIMENT_STEPS_MAX];
	size_t n_steps;
	double per_second_max;	     /* NAN: not found out */
	unsigned int served_at_once; /* requests; 0: not known */
	bool rate_limited;	     /* our own limit came before the server's */

	struct level *levels[EXPERIMENT_LEVELS_MAX];
	size_t n_levels;
	enum outcome outcome;
	struct level *decisive; /* the level that the outcome is of, or NULL */

	enum stop_reason stop; /* what ended it early */
	bool stop_keep;	       /* while connections were kept */
	bool out_of_time, out_of_requests, out_of_ports, client_busy;
	bool median_guard;
	int error; /* errno of this machine, or of the last failure */
	int error_status;
	size_t no_port, closed_early;
};

/* What all that is known of a level says, by the limits. Pure. */
void level_judge(struct level *level, const struct limits_of_run *limits, double service_seconds);

/* The facts of rounds of one kind. */
void arm_sum_up(struct arm *arm, const struct round *const *rounds, size_t n, uint64_t slack_ns);

/* How many requests a level of so many connections will take at most, and how long about: for
 * --dry-run and budgets. */
double level_seconds(const struct comparison *experiment);

/*
 * Runs it all. limits, client and what the user wants are set, the rest is 0. Whatever happens,
 * what is known is there afterwards.
 */
void comparison_run(struct comparison *experiment);
void comparison_free(struct comparison *experiment);

#endif
