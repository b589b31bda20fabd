/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When was a process wholly off the CPU? Told from looks at its CPU clock, which counts all of its
 * threads to the nanosecond: between two looks at which it shows the same, none of them ran.
 *
 * Pure: it knows times and clocks, and neither a process nor why. All times are nanoseconds of one
 * clock that never goes back.
 */
#ifndef TUESDAY_NAPS_FINDER_H
#define TUESDAY_NAPS_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAP_MARKS 11 /* half a second apart: the last five seconds */

struct nap_finder {
	uint64_t time_ns, cpu_ns; /* of the last look; time 0: there was none */
	/* How long ago it can have left the CPU: the end of what it ran between the last two looks
	 * at which its clock went on, had it run at the beginning of that, on one CPU. */
	uint64_t left_ns;
	uint64_t still_ns; /* the first look of a pause, 0: there is none */
	size_t stills;	   /* looks of it that saw the clock where it was, the first one not */
	struct nap_mark {
		uint64_t time_ns, cpu_ns, napped_ns;
	} marks[NAP_MARKS];
	size_t n_marks, next_mark;
	uint64_t napped_ns; /* that make it no less busy */
};

enum nap_seen {
	NAP_RUNS,  /* it ran since the look before */
	NAP_STILL, /* it did not */
	NAP_ENDED, /* it ran, after a pause: in *pause */
};

/* begin_ns and end_ns are estimates, as good as the distance of looks; nothing ran from first_ns to
 * last_ns for certain. */
struct nap_pause {
	uint64_t begin_ns, end_ns;
	uint64_t first_ns, last_ns;
};

/* Takes a look. A clock that goes back is another process's: all begins anew. */
enum nap_seen nap_finder_look(
	struct nap_finder *finder, uint64_t time_ns, uint64_t cpu_ns, struct nap_pause *pause);

/* The pause that goes on at the last look; false where there is none. */
bool nap_finder_pause(const struct nap_finder *finder, struct nap_pause *pause);

/* Says that the last pause was a nap: one that naps half of the time is not half as busy. */
void nap_finder_forgive(struct nap_finder *finder, const struct nap_pause *pause);

/* The part of a CPU that it had in the five seconds before the last look at which it ran: 1.5 is a
 * CPU and a half. Naps are left out. Negative where less than a second is known. */
double nap_finder_busy(const struct nap_finder *finder);

#endif
