/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long does a context switch take? "pingpong ROUNDS" sends a byte back and forth between two
 * processes on one CPU and prints nanoseconds for each switch. A round is two switches and four
 * system calls; with "cpu" behind it five, and what is printed is the CPU time of both, so that it
 * is the same on a machine that others use.
 *
 * The rounds are cut into pieces and the median piece is taken, so that somebody else's turn on the
 * CPU spoils a piece and not the answer.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECE_ROUNDS 1000
#define PIECES_MAX 1000

struct pipes {
	int there[2], back[2];
	bool cpu; /* what is measured, with a call more a round */
	clockid_t clocks[2];
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* By the clock on the wall, or by those of both processes. */
static int64_t pingpong_ns(const struct pipes *pipes)
{
	if (!pipes->cpu)
		return clock_ns(CLOCK_MONOTONIC);
	return clock_ns(pipes->clocks[0]) + clock_ns(pipes->clocks[1]);
}

static int pin_to_last_cpu(void)
{
	cpu_set_t allowed, one;
	size_t cpu;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	for (cpu = CPU_SETSIZE - 1; cpu > 0 && !CPU_ISSET(cpu, &allowed); cpu--)
		continue;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) ? -errno : 0;
}

static void answer(const struct pipes *pipes)
{
	char byte;

	close(pipes->there[1]);
	while (read(pipes->there[0], &byte, 1) == 1)
		if (write(pipes->back[1], &byte, 1) != 1)
			return;
}

/* Nanoseconds for each switch of a piece, or negative errno. */
static int64_t play(const struct pipes *pipes)
{
	int64_t from = pingpong_ns(pipes);
	char byte = 0;
	int i;

	for (i = 0; i < PIECE_ROUNDS; i++) {
		if (write(pipes->there[1], &byte, 1) != 1 || read(pipes->back[0], &byte, 1) != 1)
			return -EPIPE;
		if (pipes->cpu)
			syscall(SYS_getppid);
	}
	return (pingpong_ns(pipes) - from) / (2 * PIECE_ROUNDS);
}

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

static int play_pieces(const struct pipes *pipes, size_t pieces)
{
	int64_t *times = calloc(pieces, sizeof(*times));
	size_t i;

	if (!times)
		return -ENOMEM;
	for (i = 0; i < pieces; i++) {
		times[i] = play(pipes);
		if (times[i] < 0) {
			free(times);
			return -EPIPE;
		}
	}
	qsort(times, pieces, sizeof(*times), compare);
	printf("%lld\n", (long long)times[pieces / 2]);
	free(times);
	return 0;
}

static int run(size_t pieces, bool cpu)
{
	struct pipes pipes = {.cpu = cpu, .clocks = {CLOCK_PROCESS_CPUTIME_ID}};
	pid_t child;
	int error;

	error = pin_to_last_cpu();
	if (error)
		return error;
	if (pipe2(pipes.there, O_CLOEXEC) || pipe2(pipes.back, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child < 0)
		return -errno;
	if (!child) {
		answer(&pipes);
		_exit(0);
	}
	close(pipes.there[0]);
	close(pipes.back[1]);
	if (clock_getcpuclockid(child, &pipes.clocks[1]))
		return -ESRCH;
	error = play_pieces(&pipes, pieces);
	close(pipes.there[1]);
	waitpid(child, NULL, 0);
	return error;
}

int main(int argc, char **argv)
{
	bool cpu = argc == 3 && !strcmp(argv[2], "cpu");
	unsigned long rounds = argc == 2 || cpu ? strtoul(argv[1], NULL, 10) : 0;
	int error;

	if (rounds < PIECE_ROUNDS || rounds > PIECE_ROUNDS * PIECES_MAX) {
		fprintf(stderr, "usage: pingpong ROUNDS (%d to %d) [cpu]\n", PIECE_ROUNDS,
			PIECE_ROUNDS * PIECES_MAX);
		return 64;
	}
	error = run(rounds / PIECE_ROUNDS, cpu);
	if (error)
		fprintf(stderr, "pingpong: %s\n", strerror(-error));
	return error ? 1 : 0;
}
