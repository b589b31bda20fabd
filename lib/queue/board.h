/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The checkerboard: CPUs by time. Of each field is known who had the CPU, how long it was idle, how
 * long threads waited for it, and for how much of that another CPU was idle.
 */
#ifndef TUESDAY_QUEUE_BOARD_H
#define TUESDAY_QUEUE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/number_map.h"

#define BOARD_NAME 16
#define BOARD_RUNNERS 4 /* that are kept of a field, beside others */
#define BOARD_CPUS 4096
#define BOARD_COLORS 12 /* processes that have one of their own */

struct board_share {
	uint32_t process;
	double ns;
};

/* All in nanoseconds. What is in none of the first three is not known. */
struct board_field {
	double idle_ns;
	struct board_share runners[BOARD_RUNNERS];
	double others_ns;
	double waited_ns; /* of all threads, so it may be more than the field is long */
	struct board_share waiter;
};

struct board_process {
	uint32_t process;
	char name[BOARD_NAME];
	double ran_ns;
	/* By its number, so that it has the same one in the next picture; of those with a colour no
	 * two have the same. BOARD_COLORS: none. Known once they are sorted. */
	unsigned int color;
};

struct board {
	size_t cpus, columns;
	uint64_t to_ns;	  /* the end of what was told */
	uint64_t from_ns; /* of the run queues' clock */
	double column_ns;
	struct board_field *fields; /* columns a CPU */
	struct board_process *processes;
	size_t n_processes, processes_room;
	struct number_map places; /* of processes */
};

/* cpus is 1 to BOARD_CPUS. */
void board_make(struct board *board, size_t cpus, size_t columns, double seconds);
void board_free(struct board *board);

/* Somebody has had a CPU, 0: nobody, or waited for it. The first
 * that had one begins the board;
 * what is outside of it is cut off. name is terminated. */
void board_ran(struct board *board, size_t cpu, uint32_t process, const char *name,
	uint64_t from_ns, uint64_t to_ns);
void board_waited(struct board *board, size_t cpu, uint32_t process, const char *name,
	uint64_t from_ns, uint64_t to_ns);

struct board_field *board_field(const struct board *board, size_t cpu, size_t column);
/* Who had most of it, or NULL: nobody had any. */
const struct board_share *board_runner(const struct board_field *field);
double board_known_ns(const struct board_field *field);
/* The CPU that was idle longest in that column, but for one: its idle time; *which may be NULL. */
double board_idle_elsewhere(const struct board *board, size_t cpu, size_t column, size_t *which);
/* How long threads waited for this CPU while another one was idle, at least that: of both the
 * shorter. */
double board_wasted_ns(const struct board *board, size_t cpu, size_t column);
/* From the first to the last that was told, but no longer than the board. */
double board_seconds(const struct board *board);
/* NULL: nobody has told of it. */
const struct board_process *board_process(const struct board *board, uint32_t process);
/* Those who ran most come first. What is between calls of the above stays in its order else. */
void board_sort(struct board *board);

#endif
