/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a machine look like whose CPUs are used by nobody who can be seen? Parents that start
 * one process after another, each of which works for half a millisecond and ends.
 */
#include <sys/wait.h>
#include "fault.h"

enum { WORK_NS = 500000, PARENTS_MAX = 256 };

static long long used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * 1000000000ll + used.tv_nsec;
}

static void start_one(void)
{
	pid_t child = fork();

	if (child < 0)
		fault_die("fork");
	if (child) {
		waitpid(child, NULL, 0);
		return;
	}
	while (used_ns() < WORK_NS)
		continue;
	_exit(0);
}

int main(int argc, char **argv)
{
	long parents, seconds, i;

	if (argc != 4) {
		fputs("usage: brief COMM PARENTS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	parents = fault_number(argv[2], 1, PARENTS_MAX);
	seconds = fault_number(argv[3], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	prctl(PR_SET_NAME, argv[1]);
	for (i = 1; i < parents; i++) {
		if (fork())
			continue;
		fault_bound(seconds);
		for (;;)
			start_one();
	}
	fault_ready();
	for (;;)
		start_one();
}
