/* SPDX-License-Identifier: GPL-2.0-only */
/* What does one round tell of how the server works? Pure arithmetic; NAN for no value. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_OPEN_LOOP_H
#define TUESDAY_TOOLS_KEEPALIVE_OPEN_LOOP_H

#include <stddef.h>

struct round;

/* The mean time of the requests that were answered, in seconds, and how many these are. */
double pace_mean_seconds(const struct round *round, size_t *n);
/* The median time to open a connection, in seconds. */
double pace_opening_p50(const struct round *round);
/* Of the requests that could go on a kept connection, the share that did: what a server says of a
 * connection and what becomes of it may differ. */
double pace_kept_share(const struct round *round);
/*
 * Answers a second until nine of ten are there. The end of a short round is left out: there one
 * slow request keeps the round open in which the server has nothing else to do.
 */
double pace_per_second(const struct round *round);
/*
 * How many of the first n requests of a closed round with n connections were served at the same
 * time: those that took no longer than times that of one alone. Those that took longer than the
 * queue explains, as many times as those served fit into n and the same times more, are slow
 * themselves, and it is not known whether they waited: they count as the others do. 0: not known,
 * since not all were there before the first was answered, or one failed, or none was as fast.
 */
unsigned int pace_served_at_once(
	const struct round *round, unsigned int n, double alone_seconds, double times);

#endif
