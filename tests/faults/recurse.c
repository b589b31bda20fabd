/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps a CPU busy at the end of a stack of a known depth:  recurse deep|thread|sort CALLS. How it
 * is compiled says whether its stack can be walked: with frame pointers, without, or in libc's
 * qsort().
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 20000 };

static volatile uint64_t sum;
static volatile int over; /* never */
static int numbers[NUMBERS];

__attribute__((noinline)) static void burn(void)
{
	for (volatile int i = 0; i < 100000; i++)
		sum += (uint64_t)i;
}

/* What is done after the call keeps it from being a jump. */
__attribute__((noinline)) static void deep(long calls)
{
	if (calls > 1)
		deep(calls - 1);
	while (calls <= 1 && !over)
		burn();
	sum++;
}

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	const int *left = a, *right = b;

	sum++;
	return (*left > *right) - (*left < *right);
}

static void *in_thread(void *arg)
{
	deep((long)(intptr_t)arg);
	return NULL;
}

static void sort(void)
{
	unsigned int random = 1;

	for (;;) {
		for (int i = 0; i < NUMBERS; i++) {
			random = random * 1664525 + 1013904223;
			numbers[i] = (int)(random >> 8);
		}
		qsort(numbers, NUMBERS, sizeof(*numbers), compare);
	}
}

int main(int argc, char **argv)
{
	const long calls = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	pthread_t thread;

	if (argc < 2) {
		fprintf(stderr, "usage: recurse deep|thread|sort CALLS\n");
		return 64;
	}
	if (!strcmp(argv[1], "sort"))
		sort();
	else if (strcmp(argv[1], "thread") != 0)
		deep(calls);
	else if (!pthread_create(&thread, NULL, in_thread, (void *)(intptr_t)calls))
		pthread_join(thread, NULL);
	return 0;
}
