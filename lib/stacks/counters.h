/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cycles per instruction, by the counters of the CPUs, where these can be had: a low number says
 * that the CPU works, a high one that it waits, for memory mostly.
 */
#ifndef TUESDAY_STACKS_COUNTERS_H
#define TUESDAY_STACKS_COUNTERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stacks_counters;

/* Begins to count: of these threads and of those that they make, or of all CPUs where n is 0.
 * NULL where that cannot be; error is a negative errno then: -ENOENT and -EOPNOTSUPP of a machine
 * without such counters, -EACCES. Raises CAPS_BPF. */
struct stacks_counters *stacks_counters_begin(const pid_t *tids, size_t n, int *error);

struct stacks_counted {
	uint64_t cycles, instructions; /* scaled up where counters were shared; 0: not counted */
};
/* What was counted; frees. */
struct stacks_counted stacks_counters_end(struct stacks_counters *counters);

#endif
