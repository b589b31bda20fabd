// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks to their true depth: frame pointers are followed here, from the registers that the task
 * came into the kernel with. The kernel's own walk ends at kernel.perf_event_max_stack, 127 frames
 * as it is shipped, and says nothing of what it has left out.
 */
#include "sample.bpf.h"

/* What is at a frame pointer: the caller's, and the address that it is returned to. */
struct frame {
	__u64 next, back;
};

/* Where the walk is stands in the record: what is in a map is any number to the verifier, which
 * would follow a counter on the stack through all of its steps. */
static long walk_step(__u32 index, void *arg)
{
	struct sample_record *record = *(struct sample_record **)arg;
	__u64 n = record->depth;
	struct frame frame;

	if (bpf_probe_read_user(&frame, sizeof(frame), (const void *)record->frame_pointer)) {
		record->end = SAMPLE_END_FAULT;
		return 1;
	}
	if (!frame.back) {
		record->end = SAMPLE_END_NULL;
		return 1;
	}
	if (n < SAMPLE_USER_MOST)
		record->frames[n] = frame.back;
	record->depth = n + 1;
	if (frame.next <= record->frame_pointer) {
		record->end = frame.next ? SAMPLE_END_ORDER : SAMPLE_END_NULL;
		record->frame_pointer = frame.next;
		return 1;
	}
	record->frame_pointer = frame.next;
	return 0;
}

static __always_inline void sample_walk(void *ctx, struct sample_record *record)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs;

	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	record->frames[0] = PT_REGS_IP(regs);
	if (!record->frames[0])
		return;
	record->frame_pointer = PT_REGS_FP(regs);
	record->bp = record->frame_pointer;
	record->sp = PT_REGS_SP(regs);
	record->depth = 1;
	record->end = record->frame_pointer ? SAMPLE_END_MOST : SAMPLE_END_NULL;
	if (record->frame_pointer)
		bpf_loop(SAMPLE_WALK_MOST, walk_step, &record, 0);
	record->user = record->depth < SAMPLE_USER_MOST ? record->depth : SAMPLE_USER_MOST;
}
