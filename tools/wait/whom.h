/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose time is asked for? */
#ifndef TUESDAY_TOOLS_WAIT_WHOM_H
#define TUESDAY_TOOLS_WAIT_WHOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/number_map.h"

struct wait_options;

enum wait_targets_by {
	WAIT_BY_ALL,
	WAIT_BY_PID,
	WAIT_BY_NAME,
	WAIT_BY_GROUP, /* or a unit */
	WAIT_BY_USER
};

struct wait_targets {
	pid_t *pids;
	size_t n, room;
	struct number_map known; /* those in pids */
	enum wait_targets_by by;
	const char *asked;
	uint64_t number; /* of a process or a user */
};

/* The processes of a number, a name, a unit, a cgroup (and those below it) or a user; all, where
 * nothing is asked for. Never ourselves, and no thread of the kernel. Returns 0, or -errno after a
 * message. */
int wait_targets_find(struct wait_targets *targets, const struct wait_options *asked);
/* Whether others may come to them. */
bool wait_targets_may_grow(const struct wait_targets *targets);
/* Adds those that have come. */
void wait_targets_again(struct wait_targets *targets);
/* Whether a child of one of them is one, too: by /proc while it lives, then by its last name. */
bool wait_targets_has(const struct wait_targets *targets, pid_t pid, const char *comm);
void wait_targets_free(struct wait_targets *targets);

/* Whether a cgroup's path, as /proc/PID/cgroup has it, is what was asked for, or is below that: a
 * path from its root on, or the name of a unit anywhere in it. */
bool wait_targets_group_is(const char *path, const char *asked);

#endif
