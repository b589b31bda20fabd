/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc counts, to be compared with what it counts later. */
#ifndef TUESDAY_TOOLS_WAIT_COUNTED_H
#define TUESDAY_TOOLS_WAIT_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/probe/waits.h"

/* Of a process; NAN where it is not known. */
struct wait_counted {
	uint32_t pid;
	double user_ticks, system_ticks, written_bytes;
};

/* The beginning of a file of /proc, "" where it cannot be read: then false. */
bool wait_read_text(int dir, const char *path, char *text, size_t size);
void wait_count(uint32_t pid, struct wait_counted *counted);
/* What took CPUs from who had them, on all CPUs, in ticks since boot; NAN where that is not known.
 */
struct wait_taken {
	double interrupts, stolen; /* with softirqs; by the host */
};
void wait_count_taken(struct wait_taken *taken);
/* Pages that the machine has read back from its swaps; 0 where that is not known. */
uint64_t wait_count_swapped_in(void);
/* The name that a process has now; comm stays as it is where that is not known. */
void wait_process_comm(uint32_t pid, char comm[WAITS_COMM]);

#endif
