/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's probes on queues, while they look. */
#ifndef TUESDAY_TOOLS_QUEUE_PROBE_H
#define TUESDAY_TOOLS_QUEUE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/probe/queue.h"

struct matrix;
struct cgroup_names;
struct str;

/* What a probe is made of, once it is loaded. */
struct queue_probe {
	void *skeleton;
	void (*destroy)(void *skeleton);
	int pairs, people;	     /* descriptors of its maps */
	volatile uint32_t *counting; /* 1 while it counts */
	const struct queue_lost *lost;
	int still; /* who waits yet: a program to be run once, or -1 */
};

void queue_probe_close(struct queue_probe *probe);

/* Moves the sums of who has ended to the matrix, so that their places are free, and with all is
 * true those of everybody. */
void queue_probe_take(const struct queue_probe *probe, struct matrix *matrix,
	struct cgroup_names *groups, bool all);
/* Adds who waits yet. */
void queue_probe_still(const struct queue_probe *probe);
/* False, with a phrase in why, where the kernel's numbers of processes are not those of /proc. */
bool queue_probe_numbers_are_ours(struct str *why);

#endif
