// SPDX-License-Identifier: GPL-2.0-only
/* The same where there is no bpf_loop: the kernel walks, to kernel.perf_event_max_stack at most. */
#include "sample.bpf.h"

static __always_inline void sample_walk(void *ctx, struct sample_record *record)
{
	long got = bpf_get_stack(
		ctx, record->frames, SAMPLE_KERNEL_MOST * sizeof(__u64), BPF_F_USER_STACK);

	if (got <= 0)
		return;
	record->user = record->depth = (__u32)got / sizeof(__u64);
	record->end = record->user >= SAMPLE_KERNEL_MOST ? SAMPLE_END_LIMIT : SAMPLE_END_FAULT;
}
