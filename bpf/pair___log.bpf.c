// SPDX-License-Identifier: GPL-2.0-only
/*
 * When did something declared end, how long did it take, and whose was it: each event by itself?
 */
#include "pair.bpf.h"
#include "pairlog.h"

TRACER(INSTANCE_NONE, "tracepoints, event by event", .since = SINCE_LINUX(5, 8));

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, PAIR_LOG_BYTES);
} events SEC(".maps");

/* What is quicker than that which is asked for is counted, and told to nobody. */
static __always_inline void count(__u64 value, struct start *start)
{
	struct hist *hist = hist_here();
	struct pair_event *event;

	if (hist)
		hist_add(hist, value);
	if (value < params.slow)
		return;
	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&lost.starts, 1);
		return;
	}
	event->end_ns = bpf_ktime_get_ns();
	event->value = value;
	event->tid = (__u32)bpf_get_current_pid_tgid();
	event->cpu = bpf_get_smp_processor_id();
	event->pid = start->pid;
	event->pad = 0;
	__builtin_memcpy(event->who, start->who.name, sizeof(event->who));
	__builtin_memcpy(event->by, start->by, sizeof(event->by));
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}
