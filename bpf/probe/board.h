/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probe behind the picture of CPUs by time tells, for both sides. */
#ifndef TUESDAY_BPF_BOARD_H
#define TUESDAY_BPF_BOARD_H

#include <linux/types.h>

#define BOARD_COMM 16
#define BOARD_BUFFER (8 << 20) /* bytes of events that were not read yet */

enum board_kind { BOARD_RAN, BOARD_WAITED };

/* Somebody has had a CPU, or waited for it, from one time to another of the run queues' clock. */
struct board_event {
	__u64 from_ns, to_ns;
	__u32 kind; /* enum board_kind */
	__u32 cpu;
	__u32 process; /* 0: the CPU was idle */
	__u32 pad;
	char comm[BOARD_COMM];
};

#endif
