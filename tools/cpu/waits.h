/* SPDX-License-Identifier: GPL-2.0-only */
/* Where do threads wait, and who ends that? Waits that are alike are one. */
#ifndef TUESDAY_TOOLS_CPU_WAITS_H
#define TUESDAY_TOOLS_CPU_WAITS_H

#include <stddef.h>
#include <stdint.h>

struct cpu_look;

/* Somebody who ended waits, and what that was doing. */
struct cpu_waker {
	const char *comm; /* "[interrupt]" of a device or a clock */
	uint32_t pid;
	const char *function, *caller; /* as in folded stacks; NULL: not known */
	uint64_t ns;		       /* of the waits that it ended */
};

struct cpu_wait {
	const char *comm;
	uint32_t pid;
	const char *function, *caller; /* of the program; NULL: none */
	const char *reason;	       /* the kernel's function; NULL: not known */
	uint64_t ns, times, longest_ns;
	struct cpu_waker *wakers; /* the one that ended most first */
	size_t n_wakers, wakers_room;
};

struct cpu_waits {
	struct cpu_wait *list; /* the longest first */
	size_t n, room;
};

/* Names live as long as the look. */
void cpu_waits_find(struct cpu_waits *waits, const struct cpu_look *look);
void cpu_waits_free(struct cpu_waits *waits);

#endif
