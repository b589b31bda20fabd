// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who has each CPU at each moment, and who waits for it? An event for each switch, and one for each
 * wait that ends with it. The first switch of a CPU tells only where the next one begins.
 */
#include "../kernel.h"
#include "../map.h"
#include "board.h"

char LICENSE[] SEC("license") = "GPL";

/* From user space: when it tells. */
volatile __u32 counting = 0;
/* Events that had no room. */
__u64 lost = 0;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, BOARD_BUFFER);
} events SEC(".maps");

TUESDAY_MAP(switched, PERCPU_ARRAY, 1, __u32, __u64);

static __always_inline void tell(
	struct task_struct *task, enum board_kind kind, __u64 from, __u64 to)
{
	struct board_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (!event) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	event->from_ns = from;
	event->to_ns = to;
	event->kind = kind;
	event->cpu = bpf_get_smp_processor_id();
	event->process = (__u32)BPF_CORE_READ(task, tgid);
	event->pad = 0;
	bpf_probe_read_kernel_str(event->comm, sizeof(event->comm), task->comm);
	bpf_ringbuf_submit(event, 0);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(board_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 queued = next->sched_info.last_queued, now, *since;
	__u32 zero = 0;

	if (!counting)
		return 0;
	since = bpf_map_lookup_elem(&switched, &zero);
	if (!since)
		return 0;
	now = next->se.cfs_rq->rq->clock;
	if (*since && now > *since)
		tell(prev, BOARD_RAN, *since, now);
	*since = now;
	if (queued && now > queued)
		tell(next, BOARD_WAITED, queued, now);
	return 0;
}
