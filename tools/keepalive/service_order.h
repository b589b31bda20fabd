/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which order were the requests of a round answered, and how long did they take? Pure arithmetic
 * on what a client recorded.
 */
#ifndef TUESDAY_TOOLS_KEEPALIVE_SERVICE_ORDER_H
#define TUESDAY_TOOLS_KEEPALIVE_SERVICE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct round;

struct order {
	/* Whenever a request was answered, how many of those that still waited were older by more
	 * than the slack: summed, as a share of all that waited. 0 for first come, first served
	 * with equal service times; unequal ones have a share of their own, so only the difference
	 * between two kinds of round means anything. NAN where nothing ever waited. */
	double index_ratio;
	size_t answered;
	size_t overtakers; /* answered while an older one waited */
	size_t victims;	   /* overtaken at least once */
	double victim_wait_p50_seconds, victim_wait_max_seconds; /* NAN without victims */
	size_t overtaken_by_p50, overtaken_by_max;
	/* Runs: requests in a row on one connection, of which each but the first was answered while
	 * an older one waited. Those that the end of the round cut are left out, unless there are
	 * no others. */
	size_t run_mode; /* the most frequent length above 1; 0: there is none */
	size_t run_max;
	size_t runs;	   /* of that length */
	size_t runs_whole; /* of any length above 1 */
	bool runs_cut;	   /* there are no others: the lengths are the least that they can be */
	size_t starved;	   /* answered only after other connections had been closed, or never */
};

/*
 * Fills out from n rounds of one kind, each judged by itself. The index is that of all together.
 */
void order_of_rounds(
	struct order *out, const struct round *const *rounds, size_t n, uint64_t slack_ns);

/* The seconds of all requests of n rounds, those without an answer at their time so far, sorted;
 * the caller frees. *count says how many. */
double *seconds_of_rounds(const struct round *const *rounds, size_t n, size_t *count);

#endif
