/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who waited behind whom, and for how long: the sums of bpf/probe/queue.h with names to their
 * numbers, and these sums by party.
 */
#ifndef TUESDAY_QUEUE_MATRIX_H
#define TUESDAY_QUEUE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/number_map.h"
#include "queue/party.h"

#define MATRIX_NAME 64
#define MATRIX_STAGES 4 /* of enum queue_stage */

/* What was ahead and is no process, in the order in which it is told. */
enum matrix_ahead {
	MATRIX_PROCESS = 0,
	MATRIX_SERVED,	/* the device worked for the waiter himself */
	MATRIX_IDLE,	/* nothing: the CPU or the device was idle */
	MATRIX_QUOTA,	/* its cgroup's CPU quota was used up */
	MATRIX_EARLIER, /* before we looked, or longer ago than is remembered */
	MATRIX_MOVED,	/* on another CPU, which was not seen */
	MATRIX_SEVERAL, /* the device worked for some at once, none of whom was done */
	MATRIX_HIDDEN,	/* a process that the kernel shows to nobody */
	MATRIX_AHEADS
};

/* A process; texts are owned. */
struct matrix_person {
	struct party_member is;
	char name[MATRIX_NAME];
	char *cgroups;
	bool known; /* anything but its number */
};

struct matrix_cell {
	size_t waiter, person; /* places in people; person only where ahead is MATRIX_PROCESS */
	enum matrix_ahead ahead;
	uint32_t device;
	unsigned int stage; /* enum queue_stage */
	uint64_t ns, count, longest_ns;
};

struct matrix {
	struct matrix_person *people;
	size_t n_people, people_room;
	struct number_map pids;
	struct matrix_cell *cells;
	size_t n_cells, cells_room;
	struct number_map places; /* of cells */
};

/* The place of a process, which is made where it was not there. */
size_t matrix_person(struct matrix *matrix, uint32_t pid);
/* What is known of it; name is cut to MATRIX_NAME - 1 bytes, cgroups is copied. */
void matrix_name(struct matrix *matrix, size_t person, const struct party_member *is);
/* Adds to a sum. */
void matrix_add(struct matrix *matrix, const struct matrix_cell *cell);
void matrix_free(struct matrix *matrix);

/* The devices in it, without 0, in the order of their numbers. Returns how many; the caller frees
 * *devices. */
size_t matrix_devices(const struct matrix *matrix, uint32_t **devices);

/* One of the rows or columns that are told: all processes of one name, or of a party. */
struct matrix_group {
	const char *name; /* inside the matrix or the party */
	enum matrix_ahead ahead;
	bool is_a, is_b;
	size_t processes;
	const struct matrix_person *first; /* NULL: it is no process */
	uint64_t waited_ns, ahead_ns;
};

struct matrix_sum {
	size_t waiter, ahead; /* places in groups */
	uint64_t stage_ns[MATRIX_STAGES];
	uint64_t ns, count, longest_ns;
};

/* The sums of some stages (1 << enum queue_stage), largest first. */
struct matrix_table {
	struct matrix_group *groups;
	size_t n_groups, groups_room;
	struct matrix_sum *sums;
	size_t n_sums, sums_room;
	uint64_t ns; /* all of them */
	uint64_t kinds_ns[MATRIX_AHEADS], stage_ns[MATRIX_STAGES];
	uint64_t behind_b_ns, behind_own_ns; /* own: waiter and ahead are both of A */
};

/* Of all who wait where a is NULL, else of A's processes only, who are one group. So are those of B
 * that are not A's. device 0: of all. */
void matrix_tell(struct matrix_table *table, const struct matrix *matrix, const struct party *a,
	const struct party *b, unsigned int stages, uint32_t device);
void matrix_table_free(struct matrix_table *table);

#endif
