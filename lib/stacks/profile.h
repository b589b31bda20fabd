/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a look saw: each stack of a thread once, with its weight, as addresses. Names come
 * afterwards (stacks/fold.h), so that looking costs little.
 */
#ifndef TUESDAY_STACKS_PROFILE_H
#define TUESDAY_STACKS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/number_map.h"
#include "bpf/probe/sample.h"

/* A stack: its frames begin where the thread is; those of the user, then those of the kernel. */
struct stacks_stack {
	uint64_t id; /* of the kernel (waits); 0: none */
	uint64_t hash;
	uint32_t pid;
	uint32_t n_user, n_kernel;
	uint32_t depth; /* of the user: more than n_user where it was cut */
	enum sample_end end;
	uint64_t *frames;
	/* The beginning of the user's stack, for what frame pointers do not see (stacks/leaf.h):
	 * n_words of it at sp, 0 where it is not known. */
	uint64_t bp, sp;
	uint64_t *words;
	uint32_t n_words;
	/* Callers between frames[0] and frames[1] that frame pointers do not see. */
	uint32_t n_between;
	uint64_t *between;
	/* All that the rules of .eh_frame say, where frame pointers lead elsewhere: to the root, or
	 * as far as the words reach. */
	uint32_t n_ruled;
	bool ruled_whole;
	uint64_t *ruled;
	char *text; /* instead of frames: what /proc says of a thread that never ran, or NULL */
};

struct stacks_thread {
	uint32_t pid, tid;
	uint64_t cgroup;
	char comm[SAMPLE_COMM];
	uint64_t weight;
};

/* Weight of a thread in a stack. Of waits the weight is nanoseconds, else samples. */
struct stacks_entry {
	size_t stack, thread; /* in the lists below */
	size_t waker_stack;   /* + 1; 0: none */
	size_t waker;	      /* a thread + 1; 0: none */
	unsigned int slice;   /* of the look's time, where it has slices */
	uint64_t weight, times, longest_ns;
};

struct stacks_profile {
	struct arena arena;
	struct stacks_stack *stacks;
	size_t n_stacks, stacks_room;
	struct stacks_thread *threads;
	size_t n_threads, threads_room;
	struct stacks_entry *entries;
	size_t n_entries, entries_room;
	struct number_map by_hash, by_tid, by_entry;
	uint64_t total, in_kernel; /* weights; of samples, those that were in the kernel */
	uint64_t queued_ns;	   /* of waits: that a thread could run and had no CPU */
	/* A look of so long that is told apart in slices; 0: it is not. */
	uint64_t began_ns, slice_ns;
	unsigned int slices;
	/* Called when a process is seen for the first time, or NULL. */
	void (*met)(void *arg, uint32_t pid);
	void *met_arg;
	uint32_t met_last;
	struct number_map met_pids;
};

void stacks_profile_free(struct stacks_profile *profile);

/* A sample of what runs. */
void stacks_profile_sample(struct stacks_profile *profile, const struct sample_record *record);
/* A stack of waits, with its id. */
void stacks_profile_stack(struct stacks_profile *profile, const struct sample_record *record);
/* The stack of a thread that sleeps since before the look: lines of the kernel's functions, as
 * /proc/PID/task/TID/stack has them, with an id that no other has. */
void stacks_profile_text(
	struct stacks_profile *profile, uint32_t pid, uint64_t id, const char *text);
/* A wait: blocked goes to its stack, queued to the profile. */
void stacks_profile_wait(struct stacks_profile *profile, const struct sample_wait *wait,
	const struct sample_sum *sum);

#endif
