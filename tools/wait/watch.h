/* SPDX-License-Identifier: GPL-2.0-only */
/* A look of some seconds at where the time of processes goes, as the kernel's probe summed it. */
#ifndef TUESDAY_TOOLS_WAIT_WATCH_H
#define TUESDAY_TOOLS_WAIT_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/probe/waits.h"
#include "tools/wait/disks.h"
#include "tools/wait/frames.h"

struct wait_options;
struct wait_targets;

struct wait_kind {
	struct waits_key key;
	struct waits_sum sum;
};

struct wait_party {
	uint32_t pid; /* 0: nobody that is known */
	char comm[WAITS_COMM];
	uint64_t ns;
};

struct wait_child {
	char comm[WAITS_COMM];
	struct waits_child_sum sum;
};

enum { WAIT_SLOWEST = 10 };

struct wait_process {
	uint32_t pid;
	struct waits_process seen;	 /* its parts, with what threads were in at the end */
	uint64_t wall_ns;		 /* lives of its threads */
	size_t living;			 /* threads at the end */
	double user_ticks, system_ticks; /* as /proc counts them; NAN */
	double written_bytes;		 /* to disks, by /proc/PID/io; NAN */
	struct wait_kind *kinds;	 /* the longest first */
	size_t n_kinds, kinds_room;
	struct wait_party *behind;
	size_t n_behind, behind_room;
	struct wait_child *children;
	size_t n_children, children_room;
	/* Of disks, locks, memory, data and what is uninterruptible: the slowest
	 * first, and how many there were of each part in all, which have a time of their own. */
	struct waits_slow slowest[WAIT_SLOWEST];
	size_t n_slowest;
	uint64_t n_slow[WAITS_PARTS], slow_ns[WAITS_PARTS];
};

struct wait_look {
	struct wait_process *processes;
	size_t n, room;
	double seconds;
	uint64_t began_ns;
	struct waits_lost lost;
	struct wait_disks disks;
	struct wait_frames frames;
	bool sees_calls, sees_locks;
	double calls_seconds; /* that system calls were counted for */
	/* Of what was taken from who had a CPU, on the whole machine, what the host took; NAN where
	 * that is not known. */
	double stolen_share;
	bool swapped_in; /* the machine has read from its swaps meanwhile */
	bool interrupted;
};

/* Adds a slow wait to the slowest ones, if it is one of them. */
void wait_process_add_slowest(struct wait_process *process, const struct waits_slow *event);

/* Looks. Returns 0, or -errno after a message. */
int wait_look_run(
	struct wait_look *look, const struct wait_options *asked, struct wait_targets *targets);
/* Of all events the share that had room in the kernel's tables, 0 to 1. */
double wait_look_confidence(const struct wait_look *look);
void wait_look_free(struct wait_look *look);

#endif
