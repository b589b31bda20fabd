/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc says of processes: who they are, and what the kernel counted of their waiting. */
#ifndef TUESDAY_TOOLS_QUEUE_PEOPLE_H
#define TUESDAY_TOOLS_QUEUE_PEOPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/number_map.h"

struct cgroup_names;
struct matrix;
struct party;
struct queue_person;

/* Names a process of the matrix: by /proc while it lives, else by what the kernel's probe noted,
 * which may be NULL. groups find the paths of cgroups; NULL: they are not looked for. */
void people_know(struct matrix *matrix, uint32_t pid, const struct queue_person *noted,
	struct cgroup_names *groups);
bool people_lives(uint32_t pid);
/* Whether any process that lives is of the party. */
bool people_has(const struct party *party);

/* The run delay of the threads of a party, by their numbers. */
struct people_delays {
	struct number_map before; /* of a thread: nanoseconds */
	uint64_t ns;		  /* what came since */
	uint64_t processes;	  /* of the party, at the end */
	bool known;
};

/* party NULL: the sum that the kernel has of all CPUs. */
void people_delays_begin(struct people_delays *delays, const struct party *party);
void people_delays_end(struct people_delays *delays, const struct party *party);
void people_delays_free(struct people_delays *delays);

#endif
