/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which busy processes are wholly off the CPU for a while though they have work to do, why, and who
 * ran meanwhile? By CPU clocks that are read fifty times a second, without BPF: less than a
 * hundredth of a CPU for a thousand processes (bench/naps).
 *
 * A nap is a pause of least_ns or longer of a process that used least_busy CPUs or more in the five
 * seconds before, with work waiting: a thread that is not asleep by its own wish, or a connection
 * that it has not accepted. One that sleeps with nothing to do is idle, one that ends is gone.
 */
#ifndef TUESDAY_NAPS_WATCH_H
#define TUESDAY_NAPS_WATCH_H

#include "naps/cpu_group.h"
#include "naps/event.h"
#include "naps/partial.h"
#include "naps/processes.h"
#include "naps/service.h"
#include "naps/suspects.h"

#define NAP_LOOK_NS 20000000ull
#define NAP_LEAST_NS 100000000ull
#define NAP_LEAST_BUSY 0.2
#define NAP_EVENTS_MAX 65536

/* What is known of one busy process. */
struct nap_watched {
	struct nap_finder finder;
	struct cpu_group group;
	struct nap_service service;
	struct nap_baseline baseline;
	struct nap_event event;	 /* of the pause that goes on */
	bool begun;		 /* its evidence was looked at */
	bool work_waits, queued; /* a connection waited; a thread could run */
	uint64_t next_look_ns;
	uint64_t throttled_ns, drops; /* when it began */
	bool drops_known;
	struct nap_partial partial; /* of its threads, where partials are looked for */
	struct nap_event some;	    /* the partial nap that goes on */
	struct nap_baseline some_baseline;
	bool some_whole;	/* all of its threads slept meanwhile: it is no partial one */
	uint64_t busy_ns;	/* when it was last found busy */
	uint64_t known_ns;	/* when its descriptors were last looked through */
	uint64_t watched_ns;	/* for how long it was watched, and used least_busy */
	uint64_t pauses, idles; /* of least_ns and longer; of these, with nothing to do */
};

/* Where a process was on the CPU and where not, for whoever draws: called for each watched process
 * and each look, in the order of time. ran_ns of all its threads together, since from_ns. */
typedef void nap_sample(void *arg, const struct nap_process *process, uint64_t from_ns,
	uint64_t to_ns, uint64_t ran_ns);

struct nap_watch {
	/* To be set before nap_watch_open, or left 0 for what is usual. */
	uint64_t look_ns, least_ns;
	double least_busy;
	/* Whether a process is asked for; NULL: all are. Only those asked for are watched. */
	bool (*asked)(void *arg, pid_t pid, const char *comm);
	void *asked_arg;
	bool partials;	    /* look for partial naps: at each thread of those that are asked for */
	nap_sample *sample; /* or NULL */
	void *sample_arg;

	struct nap_processes processes;
	struct cpu_group mount;
	struct nap_event *events; /* in the order of their ends */
	size_t n_events, room_events;
	uint64_t lost_events;
	uint64_t began_ns, now_ns; /* of the first look and the last */
	uint64_t due_ns;	   /* the next one */
	uint64_t chose_ns;	   /* when who is watched was last chosen */
	uint64_t looks;
	/* How often and how long we got no CPU when a look was due, a look late or more. */
	uint64_t late_count, late_ns, late_worst_ns;
	uint64_t late_from_ns, late_until_ns; /* the last time */
};

/* Returns 0 or -errno where /proc cannot be read. */
int nap_watch_open(struct nap_watch *watch);
void nap_watch_close(struct nap_watch *watch);

/* Sleeps until the next look is due, and takes it. Returns early where a signal comes. */
void nap_watch_next(struct nap_watch *watch);

/* Takes a look now. */
void nap_watch_look(struct nap_watch *watch);

/* The nap of a process that goes on now, as far as it is known; false where it naps not. */
bool nap_watch_ongoing(
	struct nap_watch *watch, struct nap_process *process, struct nap_event *event);

/* Closes the naps that go on: to be called once, after the last look. */
void nap_watch_end(struct nap_watch *watch);

#endif
