/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a machine look like whose CPUs are all wanted? N processes that never sleep, at a nice
 * value, or in SCHED_FIFO, where nothing of lower rank runs beside them. With -w each spins once,
 * for so long, after it has waited for -d, and with -p again and again, once in so long a time.
 */
#include <getopt.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "fault.h"

enum { SPIN_MAX = 64 };

struct spin {
	const char *comm;
	long nice;
	long fifo;
	long cpu;
	long delay_ms, work_ms; /* 0: at once, and to the end */
	long period_ms;		/* 0: once */
};

static void usage(void)
{
	fputs("usage: spin [-C COMM] [-n NICE] [-f FIFO_PRIORITY] [-c CPU] "
	      "[-d DELAY_MS] [-w WORK_MS] [-p PERIOD_MS] COUNT SECONDS\n",
		stderr);
	exit(FAULT_MISUSE);
}

static void parse(int argc, char **argv, struct spin *spin)
{
	int option;

	while ((option = getopt(argc, argv, "C:n:f:c:d:w:p:")) != -1) {
		switch (option) {
		case 'C':
			spin->comm = optarg;
			break;
		case 'n':
			spin->nice = fault_number(optarg, -20, 19);
			break;
		case 'f':
			spin->fifo = fault_number(optarg, 1, 99);
			break;
		case 'c':
			spin->cpu = fault_number(optarg, 0, CPU_SETSIZE - 1);
			break;
		case 'd':
			spin->delay_ms = fault_number(optarg, 0, 60000);
			break;
		case 'w':
			spin->work_ms = fault_number(optarg, 1, 60000);
			break;
		case 'p':
			spin->period_ms = fault_number(optarg, 1, 60000);
			break;
		default:
			usage();
		}
	}
	if (argc - optind != 2)
		usage();
}

static void take_place(const struct spin *spin)
{
	const struct sched_param param = {.sched_priority = (int)spin->fifo};
	cpu_set_t set;

	if (spin->comm && prctl(PR_SET_NAME, spin->comm) < 0)
		fault_die("prctl");
	if (setpriority(PRIO_PROCESS, 0, (int)spin->nice) < 0)
		fault_die("setpriority");
	if (spin->cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET((size_t)spin->cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set) < 0)
			fault_die("sched_setaffinity");
	}
	if (spin->fifo && sched_setscheduler(0, SCHED_FIFO, &param) < 0)
		fault_die("sched_setscheduler");
}

static void turn_until(const struct spin *spin, double end)
{
	volatile unsigned long turns = 0;

	while (!spin->work_ms || fault_clock_seconds() < end)
		turns = turns + 1;
}

static _Noreturn void burn(const struct spin *spin, long seconds)
{
	double begin;

	fault_bound(seconds);
	take_place(spin);
	fault_sleep_ns(spin->delay_ms * 1000000);
	begin = fault_clock_seconds();
	for (;;) {
		turn_until(spin, begin + (double)spin->work_ms / 1e3);
		if (!spin->period_ms)
			pause();
		begin += (double)spin->period_ms / 1e3;
		fault_sleep_ns((long)((begin - fault_clock_seconds()) * 1e9));
	}
}

int main(int argc, char **argv)
{
	struct spin spin = {.cpu = -1};
	long count, seconds;

	parse(argc, argv, &spin);
	count = fault_number(argv[optind], 1, SPIN_MAX);
	seconds = fault_number(argv[optind + 1], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds + 1);
	fault_ready();
	for (long i = 0; i < count; i++) {
		pid_t child = fork();

		if (child < 0)
			fault_die("fork");
		if (child == 0)
			burn(&spin, seconds);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
