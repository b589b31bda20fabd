/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work that can hang or crash, in a forked child with a deadline.
 */
#ifndef TUESDAY_SYS_CHILD_H
#define TUESDAY_SYS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct str;

struct child {
	pid_t pid;
	int fd; /* what the child writes, until it closes it */
	/* For who starts it to set: called by child_collect once the whole answer is there, while
	 * the child may still be ending. NULL, as child_start leaves it: nobody wants to know. */
	void (*answered)(void *arg);
	void *answered_arg;
};

/* In a child: it gets the signal when its parent ends, and exits where that has ended already. */
void child_ends_with(pid_t parent, int signal_number);

/* Starts work(arg, fd) in a child, which writes its answer to fd and returns its exit status. The
 * child dies with its parent. Returns 0 or -errno. */
int child_start(struct child *child, int (*work)(void *arg, int fd), void *arg);

/* Whether a process was started by child_start, and has not been collected yet; whether any was. Of
 * very many at a time the last are not known. */
bool child_is_ours(pid_t pid);
bool child_any_is_ours(void);

#define CHILDREN_MAX 64

/* All of them. Returns how many. */
size_t child_all_of_ours(pid_t out[CHILDREN_MAX]);

/*
 * Waits for the first byte of the child's answer, which is not in what child_collect returns. tick,
 * if not NULL, is called at once and about five times a second; it returns false to wait no longer.
 * Returns the byte, -ETIMEDOUT, -ECANCELED, or -EPIPE where the child ended before.
 */
int child_first_byte(const struct child *child, int timeout_ms, bool (*tick)(void *arg), void *arg);

/* Kills the child and waits for its end: it gave no answer in time. */
void child_abandon(struct child *child);

/* Asks the child to end, by SIGTERM: it is collected all the same. */
void child_tell(const struct child *child);

/*
 * Collects the child's answer until it ends, for at most timeout_ms; then kills it. tick, if not
 * NULL, is called about five times a second and returns false to end the wait early: the child then
 * gets SIGTERM and up to five seconds to answer. Returns 0, -ETIMEDOUT, -EPIPE where the child died
 * (signal or status in *status as of waitpid), or -EFBIG where it wrote more than 64 MiB. answer
 * holds what came in every case.
 */
int child_collect(struct child *child, int timeout_ms, bool (*tick)(void *arg), void *arg,
	struct str *answer, int *status);

#endif
