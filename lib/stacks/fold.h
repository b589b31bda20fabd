/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of addresses as stacks of names: the tree that a flame graph draws, and folded lines.
 *
 * A stack begins with whose it is, then come the program's functions from its root on, then the
 * kernel's ("_[k]"). Above a wait stands who ended it, behind a border: what it was doing, from
 * where it was on down to its root, and its name ("_[w]").
 *
 * A user's stack that does not reach the root of a thread is drawn below "[broken stack]", one that
 * was cut at the kernel's limit below "[truncated stack]": both are drawn so, and never left out.
 */
#ifndef TUESDAY_STACKS_FOLD_H
#define TUESDAY_STACKS_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flame_tree;
struct stacks_profile;
struct stacks_entry;
struct str;
struct symbolizer;

enum stacks_by {
	STACKS_BY_NAME, /* of the process: those of one name are one */
	STACKS_BY_PID,
	STACKS_BY_THREAD,
	STACKS_BY_CGROUP,
	STACKS_BY_NOTHING,
};

enum { STACKS_FRAMES_MAX = 2400 }; /* of one folded stack, with its waker */

/* A stack with its names, its root first. */
struct stacks_named {
	const char *frames[STACKS_FRAMES_MAX];
	size_t n;
	size_t user, kernel;	  /* where these begin, and the kernel ends: waker */
	size_t waker, waker_user; /* waker: the border before it, or n */
	bool broken, truncated;
};

/* What is remembered while stacks get their names. */
struct stacks_fold;

struct stacks_fold *stacks_fold_new(
	const struct stacks_profile *profile, struct symbolizer *symbolizer, enum stacks_by by);
void stacks_fold_free(struct stacks_fold *fold);

/* The names of an entry of the profile; they live as long as the fold. */
void stacks_fold_entry(
	struct stacks_fold *fold, const struct stacks_entry *entry, struct stacks_named *named);

/* All entries, added to a tree. */
void stacks_fold_tree(struct stacks_fold *fold, struct flame_tree *tree);

/* Weight of what was broken or cut, once all were folded. */
struct stacks_folded {
	uint64_t with_user; /* of stacks that have a user's part */
	uint64_t broken, truncated;
	uint64_t unnamed; /* with a place that has no name, where they are */
	size_t deepest;	  /* frames of the user */
};
struct stacks_folded stacks_fold_seen(const struct stacks_fold *fold);

#endif
