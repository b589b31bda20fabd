/* SPDX-License-Identifier: GPL-2.0-only */
/* What a look says about each process: where its time went, in the order in which that matters, and
 * what of that is to be said. */
#ifndef TUESDAY_TOOLS_WAIT_ANSWER_H
#define TUESDAY_TOOLS_WAIT_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#include "tools/wait/watch.h"

struct wait_limits;
struct wait_look;
struct wait_options;
struct wait_process;

enum wait_category {
	WAIT_USER,
	WAIT_KERNEL,
	WAIT_CPU, /* where user and kernel cannot be told apart */
	WAIT_STOLEN,
	WAIT_QUEUE,
	WAIT_QUOTA,
	WAIT_DISK,
	WAIT_LOCK,
	WAIT_OWN_LOCK, /* of its own threads, or of processes that share memory with it */
	WAIT_SHARED,   /* locks that processes share by a file or a number */
	WAIT_MEMORY,
	WAIT_PEER,
	WAIT_CHILDREN,
	WAIT_STOPPED,
	WAIT_OTHER,
	WAIT_ELSE, /* in a call of which nothing is known */
	WAIT_SLEEP,
	WAIT_THREAD, /* for a sign of another thread, or for its end */
	WAIT_WORK,
	WAIT_CATEGORIES
};

/* Somebody or something within a category. */
struct wait_named {
	char *text; /* visible, as all that comes from the kernel is made here */
	uint64_t ns, count, max_ns;
	uint32_t pid; /* 0: it is no process, or not known */
};

struct wait_row {
	uint64_t ns;
	struct wait_named *named; /* the longest first */
	size_t n, room;
	/* Of several processes: who has most of it. */
	uint32_t most_pid;
	uint64_t most_ns;
};

/* A device, and its requests' time, all of them added up. */
struct wait_disk {
	uint32_t device;
	char *name; /* visible */
	struct wait_row ahead;
};

struct wait_answer {
	const struct wait_process *process;
	size_t processes; /* that it is the sum of, of which these ended; 0: it is of one */
	size_t ended;
	char *name; /* visible */
	uint64_t wall_ns, parts_ns;
	bool swapped_in;     /* as of the look */
	double stolen_share; /* likewise */
	struct wait_row rows[WAIT_CATEGORIES];
	struct wait_row functions; /* in which it was while it computed: samples, not times */
	double user_share;	   /* of its time on CPUs; NAN where it is not known */
	struct wait_disk *disks;
	size_t n_disks, disks_room;
	char *slow_on[WAIT_SLOWEST]; /* of process->slowest, visible; NULL: not known */
	enum wait_category top;	     /* of what it did; WAIT_WORK where it had nothing to do */
	struct str sentence;	     /* what to know, in one */
	struct str more;	     /* lines: outliers, what it read, who died */
	struct str advice;	     /* what to do, a line, or empty */
};

struct wait_answers {
	struct wait_look *look;
	const struct wait_options *asked;
	const struct wait_limits *limits;
	struct wait_answer *list;
	size_t n, room;
	size_t processes;	/* that were looked at */
	struct wait_answer sum; /* of all in the list; sum.processes is 0 where there is none */
	struct wait_process *summed;
};

/* Which processes are told, and where their time went: reads what others hide of these. */
void wait_answers_sort(struct wait_answers *answers, struct wait_look *look,
	const struct wait_options *asked, const struct wait_limits *limits);
/* What is to be said of each. */
void wait_answers_say(struct wait_answers *answers);
void wait_answers_free(struct wait_answers *answers);

/* "waiting for a disk" */
const char *wait_category_text(enum wait_category category);
/* "disk", as JSON has it */
const char *wait_category_name(enum wait_category category);

#endif
