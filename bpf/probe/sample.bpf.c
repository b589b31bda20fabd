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

struct walk {
	struct sample_record *record;
	__u64 at;
	__u32 n, end;
};

static long walk_step(__u32 index, void *arg)
{
	struct walk *walk = arg;
	struct frame frame;

	if (bpf_probe_read_user(&frame, sizeof(frame), (const void *)walk->at)) {
		walk->end = SAMPLE_END_FAULT;
		return 1;
	}
	if (!frame.back) {
		walk->end = SAMPLE_END_NULL;
		return 1;
	}
	if (walk->n < SAMPLE_USER_MOST)
		walk->record->frames[walk->n] = frame.back;
	walk->n++;
	if (frame.next <= walk->at) {
		walk->end = frame.next ? SAMPLE_END_ORDER : SAMPLE_END_NULL;
		walk->at = frame.next;
		return 1;
	}
	walk->at = frame.next;
	return 0;
}

static __always_inline void sample_walk(void *ctx, struct sample_record *record)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs;
	struct walk walk = {.record = record, .n = 1, .end = SAMPLE_END_MOST};

	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	record->frames[0] = PT_REGS_IP(regs);
	walk.at = PT_REGS_FP(regs);
	record->bp = walk.at;
	record->sp = PT_REGS_SP(regs);
	if (!record->frames[0])
		return;
	if (walk.at)
		bpf_loop(SAMPLE_WALK_MOST, walk_step, &walk, 0);
	else
		walk.end = SAMPLE_END_NULL;
	record->depth = walk.n;
	record->user = walk.n < SAMPLE_USER_MOST ? walk.n : SAMPLE_USER_MOST;
	record->end = walk.end;
	record->frame_pointer = walk.at;
}
