/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The test: the same requests with connections kept and with connections closed, in rounds that
 * take turns, once it is known how many connections queue at all.
 *
 * The design and its error rates are docs/keepalive-diagnose.md's.
 */
#ifndef TUESDAY_TOOLS_KEEPALIVE_COMPARISON_H
#define TUESDAY_TOOLS_KEEPALIVE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/keepalive/ab.h"
#include "tools/keepalive/limits.h"
#include "tools/keepalive/service_order.h"
#include "tools/keepalive/overtaking.h"
#include "tools/keepalive/round.h"
#include "tools/keepalive/witness.h"

struct client;

#define EXPERIMENT_LEVELS_MAX 8
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
	struct order order; /* the index of a level: of its first requests, see level_judge */
};

struct level {
	unsigned int connections;
	double rate; /* a second, of an open level; 0: closed */
	struct round rounds[AB_ROUNDS_MAX];
	size_t n_rounds;
	double seconds; /* that they took, with their ends and the start of the tracer */
	struct arm keep, close;
	double order_p; /* that the order differs by chance */
	struct ratio p95, p99;
	struct seen seen_keep, seen_close; /* from inside, in these rounds */
	struct overtaken overtaken;
	bool harm_outside; /* by the tail of what this client measured */
	enum outcome outcome;
	bool few;      /* rounds, since it was stopped */
	bool drowned;  /* stopped by the guard of the median: more was asked than is served */
	bool repeated; /* it left doubt, and a later level counts instead */
	/* Of an open level: the same with a pool that keeps two connections. */
	bool has_pool;
	struct arm pool;
};

struct ramp_step {
	unsigned int connections;
	double per_second; /* without its end, see open_loop.h */
	double p50;
	unsigned int served_at_once; /* requests, counted; 0: not known */
};

struct comparison {
	const struct limits_of_run *limits;
	struct client *client;
	struct witness *witness; /* or NULL */
	/* What the user wants instead of what would be found out; 0: nothing. */
	unsigned int fixed_connections;
	double rate;	   /* of an open level, a second */
	double rate_share; /* or as a share of the throughput found */

	uint64_t start_ns;
	size_t requests, connections_opened;
	double seconds;
	double client_cpu_max;

	/* One request at a time. */
	double service_seconds;	  /* the mean, connections closed */
	double alone_sum_seconds; /* of all requests that nothing made wait, the ramp's too */
	size_t alone_n;
	double close_p50, keep_p50;
	double connect_p50; /* to open a connection, TLS included */
	double kept_share;
	int status; /* the usual one of HTTP */
	char server[64], via[64];

	struct ramp_step steps[EXPERIMENT_STEPS_MAX];
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
	const char *wrong; /* what was wrong with the last answer, or NULL */
	size_t no_port, closed_early;
};

/*
 * Runs it all. limits, client and what the user wants are set, the rest is 0. Whatever happens,
 * what is known is there afterwards.
 */
void comparison_run(struct comparison *experiment);
void comparison_free(struct comparison *experiment);

#endif
