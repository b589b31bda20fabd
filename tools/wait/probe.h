/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's side of waitdiagnose: where the moments of threads go, summed in BPF.
 *
 * CAPS_BPF is raised for the calls that need it, and lowered again.
 */
#ifndef TUESDAY_TOOLS_WAIT_PROBE_H
#define TUESDAY_TOOLS_WAIT_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/probe/waits.h"

struct str;
struct wait_probe;

struct wait_wanted {
	bool all;	  /* processes, else those that are named */
	bool children;	  /* those that named ones fork are followed too */
	uint64_t slow_ns; /* waits from here on are told one by one */
	void (*slow)(void *arg, const struct waits_slow *event);
	void *arg;
};

/* Loads and attaches; nothing is counted yet. Returns 0, or -errno with a phrase in why. */
int wait_probe_open(struct wait_probe **out, const struct wait_wanted *wanted, struct str *why);
void wait_probe_close(struct wait_probe *probe);

/* Follows a process. Returns 0 or -errno. */
int wait_probe_follow(struct wait_probe *probe, pid_t pid, const char *comm);
/* What a thread of a followed process is doing already; what the kernel has seen of it since is
 * newer, and stays. part, nr and detail as in struct waits_thread. */
void wait_probe_thread(
	struct wait_probe *probe, pid_t pid, pid_t tid, const struct waits_thread *now);

/* Counts system calls from now on, or no longer; once in a look, since it costs every call of the
 * machine something. */
void wait_probe_see_calls(struct wait_probe *probe, bool wanted);
/* Counts from now on, and until then. */
void wait_probe_begin(struct wait_probe *probe);
void wait_probe_end(struct wait_probe *probe);
/* Hands over the slow waits that came. */
void wait_probe_take(struct wait_probe *probe);

/* After the end. Times are CLOCK_MONOTONIC. */
uint64_t wait_probe_began(const struct wait_probe *probe);
uint64_t wait_probe_ended(const struct wait_probe *probe);
const struct waits_lost *wait_probe_lost(const struct wait_probe *probe);
/* How long system calls were counted, 0: never. Whether locks of the kernel were seen. */
double wait_probe_calls_seconds(const struct wait_probe *probe);
bool wait_probe_sees_locks(const struct wait_probe *probe);

/* Calls each for every entry. */
void wait_probe_threads(struct wait_probe *probe,
	void (*each)(void *arg, uint32_t tid, const struct waits_thread *thread), void *arg);
void wait_probe_processes(struct wait_probe *probe,
	void (*each)(void *arg, uint32_t tgid, const struct waits_process *process), void *arg);
void wait_probe_sums(struct wait_probe *probe,
	void (*each)(void *arg, const struct waits_key *key, const struct waits_sum *sum),
	void *arg);
void wait_probe_behind(struct wait_probe *probe,
	void (*each)(void *arg, const struct waits_behind *key, uint64_t ns), void *arg);
void wait_probe_children(struct wait_probe *probe,
	void (*each)(
		void *arg, const struct waits_children *key, const struct waits_child_sum *sum),
	void *arg);

#endif
