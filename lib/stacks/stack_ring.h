/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of what runs on each CPU, as perf_event_open(2) gives them, without BPF. */
#ifndef TUESDAY_STACKS_STACK_RING_H
#define TUESDAY_STACKS_STACK_RING_H

#include <stddef.h>

struct perf_event_attr;
struct stack_rings;

/* Looks from now on: a clock of each CPU, hertz times a second, with what attr asks for beside
 * that. Returns 0 or -errno. Needs CAPS_BPF, and raises them. */
int stack_rings_open(
	struct stack_rings **out, const struct perf_event_attr *attr, unsigned int hertz);
/* Hands over the samples that came; each with its header. Returns how many the kernel had no room
 * for. To be called many times a second. */
unsigned long long stack_rings_take(struct stack_rings *rings,
	void (*take)(void *arg, const void *record, size_t len), void *arg);
void stack_rings_close(struct stack_rings *rings);

#endif
