/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network namespaces of this machine: each container has one, and its sockets and counters are
 * in no file of ours.
 */
#ifndef TUESDAY_CAPTURE_NETNS_H
#define TUESDAY_CAPTURE_NETNS_H

#include <stddef.h>

/* No more namespaces than this are entered, ours included. */
#define NETNS_MAX 1024

struct capture;

/*
 * Calls inside once in each network namespace, our own first: it is called "host". The others are
 * called by their name in /run/netns, or "netns:INODE" where they have none; label is what to show,
 * with a process that lives there for those. What inside opens stays bound to the namespace.
 * inside returns non-zero to stop. They are looked for once in the life of fs, since that is a look
 * at every process, and stay open until capture_close.
 *
 * Needs CAP_SYS_ADMIN and CAP_SYS_PTRACE for all but our own, and raises them around each step.
 * Returns 0; -EPERM where others are there, or may be, that could not be entered; or -E2BIG where
 * there are more than NETNS_MAX. A process that does not show its namespace but shows the counters
 * of one that is known lives there, and a zombie lives in none: they leave no doubt.
 *
 * For single-threaded programs. If the way back fails the process aborts, since it would go on in
 * somebody else's network.
 */
int netns_each(struct capture *fs, int (*inside)(void *arg, const char *name, const char *label),
	void *arg);

/* What to tell of an error that netns_each returned: why not all is seen, and what would help. */
const char *netns_unseen(int err);

/* The name of the namespace of that inode, as netns_each calls it: cut to size, and "" for ours. */
void netns_name(unsigned int inode, char *out, size_t size);

#endif
