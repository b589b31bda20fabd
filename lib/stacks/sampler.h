/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of what runs on the CPUs, or of what waits, as the kernel tells them.
 *
 * Samples of what runs come from a clock of each CPU, and each comes with its stack: a sample at 99
 * Hz is 10 ms of a CPU. Waits are summed in the kernel by thread, stack and waker; of each stack
 * one record comes, which has an id. User stacks are walked by frame pointers, to their true depth
 * from Linux 5.17 on, else to kernel.perf_event_max_stack (127).
 *
 * Capabilities (CAPS_BPF) are raised for the calls that need them and lowered again.
 */
#ifndef TUESDAY_STACKS_SAMPLER_H
#define TUESDAY_STACKS_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/probe/sample.h"

struct stacks_sampler;
struct str;

struct stacks_wanted {
	double hertz;	   /* samples of what runs, of each CPU a second; 0: waits are looked at */
	bool wakers;	   /* of waits: who ended them */
	bool by_target;	   /* only of processes that are named, and of their later children */
	uint32_t only_tid; /* only of this thread; 0: of all */
	/* Is given each record. Its frames are those of the user, then those of the kernel; both
	 * begin where the thread is. It is valid during the call. */
	void (*take)(void *arg, const struct sample_record *record);
	void *arg;
};

/* Loads the probes, which look at nothing yet. Returns 0, or -errno with a phrase in why: -EPERM,
 * -EXDEV in a PID namespace of our own, or what the kernel said. */
int stacks_sampler_open(
	struct stacks_sampler **out, const struct stacks_wanted *wanted, struct str *why);
void stacks_sampler_close(struct stacks_sampler *sampler);

/* Names a process, with by_target; before it begins or later. Returns 0 or -errno. */
int stacks_sampler_target(struct stacks_sampler *sampler, pid_t pid);

/* Of waits, before it begins: this thread waits already, since now, and its stack has this id. */
int stacks_sampler_waits_already(
	struct stacks_sampler *sampler, pid_t pid, pid_t tid, const char *comm, uint64_t stack);

/* Looks from now on. Returns 0, or -errno with a phrase in why. */
int stacks_sampler_begin(struct stacks_sampler *sampler, struct str *why);
/* Hands over what came. To be called at least five times a second. */
void stacks_sampler_take(struct stacks_sampler *sampler);
/* Looks no more, and hands over the rest. */
void stacks_sampler_end(struct stacks_sampler *sampler);

/* Of waits, after the end: calls each for every kind of wait, also for those that have not ended.
 * Returns 0 or -errno. */
int stacks_sampler_waits(struct stacks_sampler *sampler,
	void (*each)(void *arg, const struct sample_wait *wait, const struct sample_sum *sum),
	void *arg);

struct stacks_seen {
	struct sample_lost lost;
	uint64_t looks, idle_looks; /* of the clock on all CPUs, and those at a CPU without work */
	double seconds;		    /* from begin to end */
	unsigned int cpus;	    /* that were looked at */
	bool to_true_depth;	    /* user stacks, and not to the kernel's limit */
};

void stacks_sampler_seen(const struct stacks_sampler *sampler, struct stacks_seen *seen);

#endif
