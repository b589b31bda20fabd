/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every fault helper owes the machine it runs on: an end. A helper dies with the process that
 * started it, and by itself when its time is over, whichever comes first.
 */
#ifndef TUESDAY_FAULT_H
#define TUESDAY_FAULT_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { FAULT_MISUSE = 64, FAULT_SECONDS_MAX = 600 };

static inline _Noreturn void fault_die(const char *what)
{
	perror(what);
	exit(1);
}

/* A whole number of low..high; anything else ends the helper as misused. */
static inline long fault_number(const char *text, long low, long high)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < low || value > high) {
		fprintf(stderr, "%s: a number of %ld..%ld was meant\n", text, low, high);
		exit(FAULT_MISUSE);
	}
	return value;
}

static inline void fault_time_is_over(int signal_number)
{
	(void)signal_number;
	_exit(0);
}

/*
 * To be called by the helper and again by each of its children, since neither the alarm nor the
 * death signal is inherited.
 */
static inline void fault_bound(long seconds)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || signal(SIGALRM, fault_time_is_over) == SIG_ERR)
		fault_die("fault_bound");
	alarm((unsigned int)seconds);
}

/* The tests wait for this line before they look. */
static inline void fault_ready(void)
{
	puts("ready");
	fflush(stdout);
}

static inline double fault_clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline void fault_sleep_ns(long nanoseconds)
{
	struct timespec pause_time = {nanoseconds / 1000000000, nanoseconds % 1000000000};

	nanosleep(&pause_time, NULL);
}

#endif
