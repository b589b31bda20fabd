/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who wakes up again and again, after which time, and what does one miss who looks once in each of
 * these times?
 *
 * What works for 3 ms and then sleeps for a second comes every 1.003 s: if it is to look once in
 * every second, then about one second in 333 has no look at all. In an offset map that is a rising
 * diagonal.
 */
#ifndef TUESDAY_HEATMAP_PERIODS_H
#define TUESDAY_HEATMAP_PERIODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

enum {
	PERIODS_THREADS_MAX = 4096, /* that are followed: the first ones */
	PERIODS_STARTS_MAX = 4096   /* of each: the first ones */
};

/* When is a thread regular? From heatmap/limits.ini. */
struct heatmap_periods_limits {
	double times;	/* that it came, at least */
	double regular; /* it comes within this share of its period */
	double met;	/* of the times at which it was to come it came at so many */
	double pause;	/* a pause of this share of the usual time between two begins is one */
	double ticks;	/* a period is at least so many times as long as that of the sampler */
	double drift;	/* so near to a round period it is one that drifts */
};
void heatmap_periods_limits_default(struct heatmap_periods_limits *limits);

struct heatmap_period {
	const char *name; /* the periods' own */
	uint64_t tid;
	double seconds, error_seconds; /* the period, and its standard error */
	size_t times;		       /* that it came */
	double met;		       /* of the times at which it was to come, 0..1 */
	double round_seconds;	       /* the round period that it is near to, 0: none */
	double drift;		       /* how much longer it is than that, by that; 0: it is that */
};

struct heatmap_periods;

struct heatmap_periods *heatmap_periods_new(void);
void heatmap_periods_free(struct heatmap_periods *periods);

/* An event of a thread, in the order of time. */
void heatmap_periods_add(
	struct heatmap_periods *periods, const char *name, uint64_t tid, uint64_t at_ns);

/* The periods of these starts, in seconds and in order; false where there is none. */
bool heatmap_period_of(const double *starts, size_t n, const struct heatmap_periods_limits *limits,
	struct heatmap_period *out);

/* Those that were found, what came oftenest first, at most room. tick_ns is how often each CPU was
 * looked at, 0 where every event was told: what comes nearly as often is the sampler's own doing.
 * Returns how many. */
size_t heatmap_periods_find(struct heatmap_periods *periods, uint64_t tick_ns,
	const struct heatmap_periods_limits *limits, struct heatmap_period *out, size_t room);

/* "zabbix_agentd (thread 812): every 1.003 s, so about one interval of 1 s in 333 has no look" */
void heatmap_period_words(struct str *out, const struct heatmap_period *period);

#endif
