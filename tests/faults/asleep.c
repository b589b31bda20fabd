/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does state D mean a disk? No: here are many threads in it that wait for no device at all. A
 * thread that calls vfork() sleeps, in D, until its child has ended; these children only sleep.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include "fault.h"

enum { SLEEPERS_MAX = 1000 };

static atomic_long sleeping;
static long lifetime_seconds;

static void *wait_for_child(void *arg)
{
	pid_t child;

	(void)arg;
	atomic_fetch_add(&sleeping, 1);
	child = vfork();
	if (child == 0) {
		/* The memory is the parent's: no call here may leave a mark in it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm((unsigned int)lifetime_seconds);
		for (;;)
			pause();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;
	long count;

	if (argc != 3) {
		fputs("usage: asleep THREADS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	count = fault_number(argv[1], 1, SLEEPERS_MAX);
	lifetime_seconds = fault_number(argv[2], 1, FAULT_SECONDS_MAX);
	fault_bound(lifetime_seconds + 1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 * 1024);
	for (long i = 0; i < count; i++) {
		if (pthread_create(&thread, &attributes, wait_for_child, NULL) != 0)
			fault_die("pthread_create");
	}
	while (atomic_load(&sleeping) < count)
		fault_sleep_ns(10000000);
	fault_ready();
	for (;;)
		pause();
}
