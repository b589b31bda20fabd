/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kept all threads of a process off the CPU? Told from how its threads stand: their state, the
 * function of the kernel that they wait in, and the functions below that.
 *
 * Pure: texts come from /proc/PID/task/TID/{stat,wchan,stack}, none of which takes a lock of the
 * process's memory. The signatures were measured, each cause injected by itself.
 */
#ifndef TUESDAY_NAPS_CAUSE_H
#define TUESDAY_NAPS_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

/* In the order in which one goes before another, where threads differ: the last first. */
enum nap_cause {
	NAP_IDLE,	  /* nobody wanted to run: no nap */
	NAP_ENDING,	  /* it was about to end: no nap either */
	NAP_UNKNOWN,	  /* work was waiting, and why nobody did it is not known */
	NAP_USER_LOCK,	  /* work was waiting, and threads wait for each other (futex) */
	NAP_RUN_QUEUE,	  /* could run, and got no CPU */
	NAP_DISK,	  /* waits for a disk or a file system */
	NAP_SWAP,	  /* waits for a page to come in */
	NAP_KERNEL_LOCK,  /* waits within the kernel for something else */
	NAP_RECLAIM,	  /* looks for free memory, or waits for who does */
	NAP_MEMORY_LIMIT, /* held back by memory.high of its cgroup */
	NAP_MEMORY_MAP,	  /* waits for the lock of its own memory map */
	NAP_QUOTA,	  /* used up the CPU quota of its cgroup */
	NAP_OOM,	  /* out of memory in its cgroup, and nobody is killed */
	NAP_TRACED,	  /* held by a debugger */
	NAP_FROZEN,	  /* its cgroup is frozen */
	NAP_STOPPED,	  /* SIGSTOP, or Ctrl-Z */
	NAP_CAUSES
};

/* One thread, at one look. */
struct nap_thread {
	char state;	   /* of stat: R S D T t Z X I */
	const char *wchan; /* "" or "0": not known */
	const char *stack; /* lines as the kernel prints them; "": not known */
};

/* What one thread says by itself; throttled: the quota of its cgroup has held it back meanwhile. A
 * thread that sleeps by its own wish is NAP_IDLE, one that waits for a futex NAP_USER_LOCK. */
enum nap_cause nap_cause_of_thread(const struct nap_thread *thread, bool throttled);

/* Of all that threads say, with whether work was seen waiting (a connection that nobody accepts):
 * without it threads that sleep, also on futexes, are idle. */
enum nap_cause nap_cause_join(enum nap_cause a, enum nap_cause b);
enum nap_cause nap_cause_with_work(enum nap_cause cause, bool work_waits);

/* Whether it is a nap at all. */
bool nap_cause_counts(enum nap_cause cause);

/* Whether somebody or something else keeps it from running, whatever it would do itself: a disk
 * that it waits for most of the time makes it no busy program. */
bool nap_cause_is_imposed(enum nap_cause cause);

/* "memory-map", as in JSON; and a phrase that says what held the process: "waited for the lock of
 * its own memory map". */
const char *nap_cause_name(enum nap_cause cause);
const char *nap_cause_phrase(enum nap_cause cause);

/* The controller of v1 whose cgroup holds a process with this cause back, by the function that it
 * waits in; NULL: the cgroup of v2 does. */
const char *nap_cause_controller(enum nap_cause cause, const char *function);

/* By name; NAP_CAUSES where there is none. */
enum nap_cause nap_cause_find(const char *name);

#endif
