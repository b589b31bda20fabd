/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program whose stacks are known:
 *
 *	framed SECONDS hot		burn() has 80 % of its CPU time, cool() the rest
 *	framed SECONDS deep N		deep() calls itself N times before it burns
 *	framed SECONDS pair		fetch_answer() waits for what send_answer() of a thread
 *sends framed SECONDS path N [BUSY]	added() has N % of its CPU time, first() and second() the
 *rest alike; it is busy for BUSY % of the time (50)
 *
 * It keeps frame pointers, however the others are built.
 */
#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls", "no-inline")

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "fault.h"

static volatile uint64_t framed_work;
static int framed_pipe[2];

static uint64_t framed_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Work, not time: who does not get the CPU does it later. Not cloned for constants, so that it has
 * its own name. In registers: how long a CPU takes to add to memory differs from place to place. */
#define FRAMED_WORK(name) \
	__attribute__((noinline, noclone)) void name(uint64_t rounds); \
	__attribute__((noinline, noclone)) void name(uint64_t rounds) \
	{ \
		uint64_t x = framed_work; \
\
		for (uint64_t i = 0; i < rounds; i++) \
			x = x * 6364136223846793005u + i; \
		framed_work = x; \
	}

FRAMED_WORK(burn)
FRAMED_WORK(cool)
FRAMED_WORK(first)
FRAMED_WORK(second)
FRAMED_WORK(inner)

void deep(long n);
__attribute__((noinline, noclone)) void deep(long n)
{
	if (n > 0)
		deep(n - 1);
	else
		while (framed_work + 1)
			burn(1000000);
	framed_work++;
}

void added(uint64_t rounds);
__attribute__((noinline, noclone)) void added(uint64_t rounds)
{
	inner(rounds);
	framed_work++;
}

void work(long percent);
__attribute__((noinline, noclone)) void work(long percent)
{
	/*
	 * Some 30 ms, and never as long as before. What is shorter falls into step with samples:
	 * the timer that ends a sleep waits for the one that samples.
	 */
	static uint64_t random = 1;
	uint64_t part;

	random = random * 6364136223846793005u + 1442695040888963407u;
	part = 100000 + (random >> 33) % 200001;
	if (percent)
		added(part * (uint64_t)percent);
	first(part * (uint64_t)(100 - percent) / 2);
	second(part * (uint64_t)(100 - percent) / 2);
}

static void framed_path(long percent, long busy)
{
	for (;;) {
		const uint64_t began = framed_now();
		struct timespec rest = {0};

		work(percent);
		rest.tv_nsec = (long)((framed_now() - began) * (uint64_t)(100 - busy) /
			(uint64_t)busy % 1000000000);
		nanosleep(&rest, NULL);
	}
}

void send_answer(void);
__attribute__((noinline, noclone)) void send_answer(void)
{
	const struct timespec while_ = {.tv_nsec = 20000000};

	nanosleep(&while_, NULL);
	if (write(framed_pipe[1], "", 1) != 1)
		fault_die("write");
	framed_work++;
}

void fetch_answer(void);
__attribute__((noinline, noclone)) void fetch_answer(void)
{
	char byte;

	if (read(framed_pipe[0], &byte, 1) != 1)
		fault_die("read");
	framed_work++;
}

static void *framed_sender(void *arg)
{
	for (;;)
		send_answer();
	return arg;
}

static void framed_pair(void)
{
	pthread_t thread;

	if (pipe(framed_pipe) || pthread_create(&thread, NULL, framed_sender, NULL))
		fault_die("pair");
	for (;;)
		fetch_answer();
}

static void framed_hot(void)
{
	for (;;) {
		burn(800000);
		cool(200000);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";

	if (argc < 3)
		return FAULT_MISUSE;
	fault_bound(fault_number(argv[1], 1, FAULT_SECONDS_MAX));
	fault_ready();
	if (!strcmp(what, "hot"))
		framed_hot();
	else if (!strcmp(what, "deep") && argc > 3)
		deep(fault_number(argv[3], 1, 4000));
	else if (!strcmp(what, "pair"))
		framed_pair();
	else if (!strcmp(what, "path") && argc > 3)
		framed_path(fault_number(argv[3], 0, 90),
			argc > 4 ? fault_number(argv[4], 1, 100) : 50);
	return FAULT_MISUSE;
}
