/* SPDX-License-Identifier: GPL-2.0-only */
/* What was waited for locks, by kind, waiter, holder and place. */
#ifndef TUESDAY_TOOLS_LOCK_WATCH_H
#define TUESDAY_TOOLS_LOCK_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/probe/lockwait.h"
#include "run/options.h"
#include "tools/lock/kernel_names.h"

struct lock_options {
	const char *program;
	struct options common;
	double seconds, slow_seconds;
	bool json;
	unsigned int top;
	uint32_t pid; /* only this process waits; 0: all */
};

#define LOCK_PLACES 3

struct lock_wait {
	struct lockwait_key key;
	struct lockwait_sum sum;
	struct lockwait_stack stack; /* all 0: none */
	/* Where it waited: the function that wanted the lock, and after it who called that; NULL
	 * where there is none. */
	const char *place[LOCK_PLACES];
	char thread[LOCKWAIT_COMM]; /* of a futex, who holds it; "" where that is no thread of the
				       process */
};

struct lock_watch {
	struct lock_wait *list; /* the longest first */
	size_t n, room;
	struct kernel_names names;
	double seconds;
	uint64_t lost_waits, lost_sums, lost_stacks;
};

/* Returns 0, or -errno after a message. lock_watch_free afterwards in every case. */
int lock_watch_run(struct lock_watch *watch, const struct lock_options *asked);
void lock_watch_free(struct lock_watch *watch);

/* "mutex", "rwsem (read)", "spinlock", "lock of a program"; of flags that nobody knows "other". */
const char *lock_watch_type(uint32_t type);
#endif
