/* SPDX-License-Identifier: GPL-2.0-only */
/* What a declared trace tells of each event, for both sides. */
#ifndef TUESDAY_BPF_PAIRLOG_H
#define TUESDAY_BPF_PAIRLOG_H

#include "trace.h"

#define PAIR_LOG_BYTES (8 << 20) /* of events that nobody has read yet */

struct pair_event {
	__u64 end_ns; /* CLOCK_MONOTONIC */
	__u64 value;  /* ns from begin to end, or the field that is measured */
	__u32 tid;    /* who ran when it ended */
	__u32 cpu;
	__u32 pid; /* of who, where that is a process; 0: not known */
	__u32 pad;
	__u8 who[TRACE_NAME]; /* as of struct who, zeros where nobody is asked for */
	__u8 by[TRACE_NAME];
	char comm[TRACE_NAME]; /* of tid */
};

#endif
