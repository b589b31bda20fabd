/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lanes: the places for connections that are open at once, each with at most one request under way.
 *
 * A lane's number is its place in a picture; a connection that is closed leaves its lane to the
 * next one that is opened.
 */
#ifndef TUESDAY_TOOLS_KEEPALIVE_WORKER_H
#define TUESDAY_TOOLS_KEEPALIVE_WORKER_H

#include "tools/keepalive/conn.h"
#include "sys/http.h"
#include "tools/keepalive/round.h"

struct request;

struct lane {
	struct conn conn;
	struct http http;
	uint32_t connection; /* its number in the round */
	size_t sample;	     /* of the request under way */
	size_t sent;	     /* bytes of it */
	uint64_t arrived_ns; /* the last bytes of the answer, CLOCK_REALTIME, or 0 */
	bool busy, reused, retried;
};

/* What an event meant for the request of a lane. */
struct lane_end {
	bool ended;	 /* and with it the rest is set */
	bool connecting; /* it failed before the connection was open */
	bool kept;
	int status;
	int error;	   /* errno, or 0 */
	const char *wrong; /* what was wrong with the answer, where it was that, or NULL */
	size_t sample;
	uint64_t at_ns; /* when the answer's last byte had come, CLOCK_MONOTONIC */
};

struct lanes {
	struct dialer *dialer;
	const struct request *request;
	int epoll;
	const struct round_plan *plan;
	struct lane *lane;  /* ROUND_CONNECTIONS_MAX of them are reserved, and used as they come */
	unsigned int *idle; /* open lanes without a request, the last one used on top */
	unsigned int n_idle, idle_max;
	unsigned int *free; /* closed lanes, the lowest on top */
	unsigned int n_free;
	unsigned int busy;
	uint64_t epoch_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC when the round began */
	char *buffer;
};

/* Returns 0 or -errno; lanes_close is called in any case. */
int lanes_open(struct lanes *lanes, struct dialer *dialer, const struct request *request);
void lanes_close(struct lanes *lanes);

void lanes_begin_round(struct lanes *lanes, const struct round_plan *plan);
/* A lane for the next request: the one of an idle connection, else a closed one; -1 where all are
 * busy. */
int lanes_pick(struct lanes *lanes);
/* Begins a request on a lane that was picked; end says where that failed at once. */
void lanes_begin(struct lanes *lanes, unsigned int index, struct round *round, size_t sample,
	struct lane_end *end);
/* An event of epoll, seen at now. */
void lanes_event(struct lanes *lanes, unsigned int index, uint32_t events, struct round *round,
	uint64_t now, struct lane_end *end);
/* Closes the connections that have no request, and from now on each after its answer. */
void lanes_release(struct lanes *lanes);
void lanes_close_all(struct lanes *lanes);

#endif
