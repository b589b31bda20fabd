/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose time is asked for? */
#ifndef TUESDAY_TOOLS_WAIT_WHOM_H
#define TUESDAY_TOOLS_WAIT_WHOM_H

#include <stddef.h>
#include <sys/types.h>

struct wait_options;

struct wait_targets {
	pid_t *pids;
	size_t n, room;
};

/* The processes of a number, a name, a unit, a cgroup (and those below it) or a user; all, where
 * nothing is asked for. Never ourselves, and no thread of the kernel. Returns 0, or -errno after a
 * message. */
int wait_targets_find(struct wait_targets *targets, const struct wait_options *asked);
void wait_targets_free(struct wait_targets *targets);

/* Whether a cgroup's path, as /proc/PID/cgroup has it, is what was asked for, or is below that: a
 * path from its root on, or the name of a unit anywhere in it. */
bool wait_targets_group_is(const char *path, const char *asked);

#endif
