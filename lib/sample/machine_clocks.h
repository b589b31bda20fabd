/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine's own clocks, for telling a machine that runs from a copy of its files. */
#ifndef TUESDAY_SAMPLE_MACHINE_CLOCKS_H
#define TUESDAY_SAMPLE_MACHINE_CLOCKS_H

#include <stdbool.h>

struct capture;

/* What its files say of the time that has passed on it, in seconds since its boot; NAN: not known.
 */
struct machine_clocks {
	double uptime;
	double cpu; /* the time of all CPUs together, idle or not */
};

/* In the present sample. Our own kernel is not asked: it cannot stand still while we run. */
struct machine_clocks machine_clocks_read(struct capture *fs);

/*
 * Whether a machine stood still from one sample to another, seconds apart by the clock of whoever
 * took them: one of its clocks can be told in both, and none moved by even half of that. Where a
 * container is lied to about one of them, the other one moves. Of a time as short as a few ticks of
 * these clocks it says no: a late sample makes the next window such a one.
 */
bool machine_clocks_stand(
	const struct machine_clocks *from, const struct machine_clocks *to, double seconds);

#endif
