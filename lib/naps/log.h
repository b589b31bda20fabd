/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A watch as text, for who watches in another process, and for recordings. Lines of words; names
 * have what is no letter, digit or one of "._-:/+@" as \xNN, and an empty one is "-":
 *
 *   time BEGAN_NS NOW_NS LOOKS LATE_COUNT LATE_NS LATE_WORST_NS
 *   busy PID NAME WATCHED_NS PAUSES IDLES
 *   nap PID NAME BEGIN_NS END_NS GOES_ON PARTIAL CAUSE FUNCTION GROUP BUSY WAITING DROPS LATE_NS
 *   by PID NAME OVERLAP FILE CHILD          suspects of the nap above
 *   ran PID SECONDS                         a suspect, since the watch began
 *
 * A nap that goes on is said again, longer, until it has ended: its begin is the same.
 * A later line about the same goes before an earlier one. What is wrong is left out.
 */
#ifndef TUESDAY_NAPS_LOG_H
#define TUESDAY_NAPS_LOG_H

#include "naps/event.h"

struct str;
struct nap_watch;

#define NAP_LOG_EVENTS_MAX 4096
#define NAP_LOG_BUSY_MAX 1024

struct nap_log_busy {
	pid_t pid;
	char comm[PROC_COMM];
	uint64_t watched_ns, pauses, idles;
};

struct nap_log_ran {
	pid_t pid;
	double seconds;
};

/* What such a text says, so far. */
struct nap_log {
	uint64_t began_ns, now_ns, looks, late_count, late_ns, late_worst_ns;
	struct nap_log_busy *busy;
	size_t n_busy, room_busy;
	struct nap_event *events;
	size_t n_events, room_events;
	struct nap_event *last; /* that suspects are read for */
	struct nap_log_ran *ran;
	size_t n_ran, room_ran;
};

/* Appends what is new: all but naps is said each time, naps from the event first_event on. */
void nap_log_write(struct str *out, struct nap_watch *watch, size_t first_event);

/* Reads more of it: whole lines. */
void nap_log_take(struct nap_log *log, const char *text, size_t len);
void nap_log_free(struct nap_log *log);

/* As nap_ran (blame.h): arg is a struct nap_log. */
double nap_log_ran(const void *arg, pid_t pid);

#endif
