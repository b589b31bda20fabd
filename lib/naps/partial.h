/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which threads of a process wait long for the lock of its own memory map, while others run? The
 * CPU clock of a process does not show that: fork() of a large one runs all the time, and holds the
 * lock.
 *
 * Looks at each thread, so it costs as much as there are threads: for processes that somebody
 * named.
 */
#ifndef TUESDAY_NAPS_PARTIAL_H
#define TUESDAY_NAPS_PARTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NAP_THREADS_MAX 64

/* A thread that waited for the lock at the last look. */
struct nap_blocked {
	pid_t tid;
	uint64_t ran_ns;   /* its CPU time then: while that stands still it is the same wait */
	uint64_t since_ns; /* the look that first saw it wait */
};

struct nap_partial {
	struct nap_blocked list[NAP_THREADS_MAX];
	size_t n;
	uint64_t looked_ns;
};

/* One that waits at this look; calls it for each. */
void nap_partial_begin(struct nap_partial *now, uint64_t time_ns);
void nap_partial_add(
	struct nap_partial *now, const struct nap_partial *before, pid_t tid, uint64_t ran_ns);

/* Since when the longest of them waits; 0: none does. Pure, as the two above. */
uint64_t nap_partial_since(const struct nap_partial *partial);

/* Looks at the threads of a process: *function is where one of them waits, "" for none. */
void nap_partial_look(
	struct nap_partial *partial, pid_t pid, uint64_t time_ns, char *function, size_t size);

#endif
