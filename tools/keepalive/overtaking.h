/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do requests that were overtaken wait longer than they would in fair order, seen from inside?
 *
 * Slow requests hide it from the client: where one in twenty takes ten times as long, they are the
 * 99th percentile whether connections are kept or closed, and how many of them a round has changes
 * its tail more than the order does. But how long a request lay unread in its socket has no part of
 * its own service. And what slow requests of others add to that they add to everybody's: which
 * order requests are served in does not change the mean wait, while no thread idles and the order
 * does not depend on how long they take (the conservation law, Kleinrock 1965). So the wait that
 * one in twenty exceeds, as a multiple of the mean wait of the same round, is a matter of the order
 * alone. In rounds of 25 to 125 requests of 50 ms, 5 % of them 500 ms, with 8 to 24 connections for
 * 5 threads, it was 1.2 to 3.0 with connections closed and 3.9 to 11 with them kept in Apache's
 * event module (12 rounds of each), and 1.3 to 2.2 with either in gunicorn's threads.
 */
#ifndef TUESDAY_TOOLS_KEEPALIVE_OVERTAKING_H
#define TUESDAY_TOOLS_KEEPALIVE_OVERTAKING_H

#include <stdbool.h>

struct limits_of_run;
struct seen;

/* What one in twenty lay unread for, in seconds. */
struct overtaken {
	bool harms;
	double kept, fair; /* in the kept round with the least of it; in fair order there */
};

/*
 * Judges what was seen of one level. Harm is shown where a thread went on with its connection past
 * older requests in many answers with connections kept and in hardly any with them closed, and in
 * each kept round one in twenty lay there for longer than the mean of that round times the largest
 * multiple of any closed round, by the limits that the tail has outside; unless all CPUs were busy
 * and nobody waited long. service_seconds: of one request alone. Pure.
 */
struct overtaken overtaken_judge(const struct seen *keep, const struct seen *close,
	const struct limits_of_run *limits, double service_seconds);

#endif
