/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads of one program that want the same lock: how long does each hold it, and how long does it
 * leave it to others? One that is held while its owner sleeps keeps all others waiting; one that is
 * held briefly, however often, keeps hardly anybody.
 */
#include <pthread.h>
#include "fault.h"

enum { THREADS_MAX = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long hold_us, leave_us;

static void *take_turns(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		if (hold_us)
			fault_sleep_ns(hold_us * 1000);
		pthread_mutex_unlock(&lock);
		fault_sleep_ns(leave_us * 1000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	long threads, seconds;

	if (argc != 6) {
		fputs("usage: mutex COMM THREADS HOLD_US LEAVE_US SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	threads = fault_number(argv[2], 1, THREADS_MAX);
	hold_us = fault_number(argv[3], 0, 1000000);
	leave_us = fault_number(argv[4], 0, 1000000);
	seconds = fault_number(argv[5], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	if (prctl(PR_SET_NAME, argv[1]) < 0)
		fault_die("prctl");
	for (long i = 0; i < threads; i++)
		if (pthread_create(&thread, NULL, take_turns, NULL) != 0)
			fault_die("pthread_create");
	fault_ready();
	for (;;)
		pause();
}
