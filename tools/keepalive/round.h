/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A round: requests of one kind, and what became of each.
 *
 * A closed round has so many requests under way at any time; in an open one they are due at random
 * times of a given rate, whether the server keeps up or not, and wait for a connection where none
 * is free: what they wait there counts (no coordinated omission).
 *
 * A round is always drained: at its end every answer is waited for, since a request that is left
 * behind goes on to occupy the server in the next round.
 */
#ifndef TUESDAY_TOOLS_KEEPALIVE_ROUND_H
#define TUESDAY_TOOLS_KEEPALIVE_ROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROUND_CONNECTIONS_MAX 1024

struct round_plan {
	bool keep;		  /* connections are kept, or closed after each answer */
	unsigned int connections; /* the most that are open at once */
	unsigned int idle_max;	  /* of those, the most that are kept without a request */
	double rate;		  /* requests a second that are due; 0: closed */
	double rate_max;	  /* the most that are sent a second */
	uint64_t seed;		  /* of the times in an open round */
	size_t requests_max;	  /* at least 1 */
	uint64_t issue_ns;	  /* for so long requests are sent */
	/* After so much more, connections without a request are closed: what is answered only then
	 * was waiting for that. */
	uint64_t release_ns;
	uint64_t drain_ns;    /* after so much more than issue_ns the rest is abandoned */
	uint64_t wait_max_ns; /* a request that waits longer ends the round */
	/* CLOCK_MONOTONIC; 0: never. From the first on nothing is sent; at the second all
	 * that has no answer yet is abandoned. */
	uint64_t deadline_ns, end_ns;
	uint64_t body_max;
	double errors_max; /* the share of answers that may fail */
};

/* Times are CLOCK_MONOTONIC; 0 where it did not come to that. */
struct sample {
	uint64_t due_ns;    /* was to be sent */
	uint64_t begun_ns;  /* had a connection, or began to open one */
	uint64_t opened_ns; /* its connection was open, where it opened one */
	uint64_t sent_ns;
	uint64_t done_ns;    /* the last byte of the answer, an error, or given up */
	uint32_t connection; /* a number of its own for each, from 1 within the round */
	uint16_t lane;	     /* the place among those open at once, from 0 */
	int16_t status;	     /* of HTTP; 0: no answer */
	int error;	     /* errno, where there is no answer */
	bool reused;	     /* sent on a connection that had served before */
	bool kept;	     /* the answer left it open */
	bool retried;	     /* the connection turned out to be closed: sent again on another */
	/* Answered after other connections had been closed, or never; not where Ctrl-C or the end
	 * of the time came first. */
	bool released;
};

enum stop_reason {
	STOP_NOT,
	STOP_INTERRUPTED,
	STOP_CONNECT, /* connections failed one after the other */
	STOP_ERRORS,
	STOP_WAIT,  /* beyond wait_max_ns */
	STOP_DRAIN, /* answers were abandoned */
	STOP_TIME   /* the same, since end_ns came first: nothing is known of them */
};

struct round {
	struct round_plan plan;
	struct sample *samples; /* in the order in which they were due */
	size_t n, room;
	uint64_t start_ns, end_ns; /* from the first to the last event */
	uint64_t issue_end_ns;
	size_t answered;	/* with any status */
	size_t failed;		/* errors, 429 and 5xx */
	size_t connections;	/* opened */
	size_t kept;		/* answers that left their connection open */
	size_t closed_early;	/* kept connections that were closed all the same */
	size_t no_port;		/* connections that failed since the machine had no port for them */
	double client_cpu;	/* CPU time of this process, as a share of the round */
	int last_error;		/* errno of the last failure, or 0 */
	const char *last_wrong; /* what was wrong with that answer, or NULL */
	int last_status;	/* of the last answer that counts as failed, or 0 */
	enum stop_reason stop;
	int first_status;	  /* of the first answer, or 0 */
	char server[64], via[64]; /* what it said of itself; hostile */
};

void round_free(struct round *round);

/* How long a request took for whoever wanted it sent, in seconds; what was abandoned took at least
 * so long. */
double sample_seconds(const struct sample *sample);

#endif
