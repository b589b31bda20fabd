/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of limits.ini, where each is explained. Times are in seconds, shares 0 to 1. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_LIMITS_H
#define TUESDAY_TOOLS_KEEPALIVE_LIMITS_H

#include <stddef.h>

struct complaints;

struct limits_of_run {
	struct {
		double seconds, overtime_seconds, requests, requests_per_second, connections;
		double body_bytes;
	} most;
	struct {
		double requests, seconds, kept_least;
	} baseline;
	struct {
		double service_times, growth_least, wait_times, wait_times_least, rate_most;
		double served_times;
	} ramp;
	struct {
		double each, seconds_least, service_times, requests_least, pause_seconds;
		double slack_seconds, release_seconds, release_times, drain_seconds, open_share;
	} rounds;
	struct {
		double errors_most, wait_seconds, wait_times, median_times, client_cpu_most;
		double ports_most;
	} guard;
	struct {
		double order_p_most, order_bad_least, order_fair_most, ratio_bad_least;
		double ratio_fair_most, harm_seconds_least, harm_times_least;
		double tail_requests_least, delay_seconds_least, churn_share_least;
		double connecting_share_least;
		double inside_least, inside_bad_least, inside_fair_most;
		double inside_fair_least, inside_unread_least, inside_busy_most, inside_harm_least;
		double inside_round_least, inside_victims_least;
	} judge;
};

/* Reads text over what limits holds. Returns 0, or -EINVAL with complaints about every line that is
 * wrong. */
int limits_read(struct limits_of_run *limits, const char *file, const char *text, size_t len,
	struct complaints *complaints);

/* Those that the program was built with. */
void limits_default(struct limits_of_run *limits);

#endif
