/* SPDX-License-Identifier: GPL-2.0-only */
/* The lives of a process and of all that come from it, told by the kernel. */
#ifndef TUESDAY_TOOLS_SPAN_PROCESSES_PROBE_H
#define TUESDAY_TOOLS_SPAN_PROCESSES_PROBE_H

#include <stdint.h>
#include <sys/types.h>

struct processes;
struct processes_probe;
struct str;

/* Follows a process of ours that has not begun yet. Raises CAPS_BPF. Returns 0, or -errno with a
 * phrase in why. */
int processes_probe_open(
	struct processes_probe **out, pid_t pid, struct processes *to, struct str *why);
/* It is about to be let go: its time counts from now on (CLOCK_MONOTONIC). */
void processes_probe_begin(struct processes_probe *probe, pid_t pid, uint64_t now_ns);
/* Hands over what came until now. */
void processes_probe_take(struct processes_probe *probe);
/* Events that had no room. */
uint64_t processes_probe_lost(const struct processes_probe *probe);
void processes_probe_close(struct processes_probe *probe);

#endif
