/* SPDX-License-Identifier: GPL-2.0-only */
/* Which disk is a request for, and is it one that somebody waits for? */
#ifndef TUESDAY_BPF_DISK_BPF_H
#define TUESDAY_BPF_DISK_BPF_H

#include "trace.bpf.h"

/* The device as tracepoints have it, 0 where there is none. */
static __always_inline __u64 disk_of(struct request *rq)
{
	struct request___before_5_17 *older = (void *)rq;
	struct gendisk *disk;

	if (bpf_core_field_exists(older->rq_disk))
		disk = older->rq_disk;
	else
		disk = rq->q->disk;
	return (__u64)disk->major << 20 | (__u32)disk->first_minor;
}

/* Commands that pass through (SMART, administration of NVMe) are not I/O of programs. Without a
 * start there is nothing to measure: the kernel sets none where queue/iostats is 0. */
static __always_inline bool is_measured(struct request *rq)
{
	if ((rq->cmd_flags & REQUEST_OP_MASK) >= FIRST_PASSTHROUGH_OP)
		return false;
	if (rq->start_time_ns)
		return true;
	__sync_fetch_and_add(&lost.starts, 1);
	return false;
}

#define REQUEST_FLAG(name) (1u << bpf_core_enum_value(enum req_flag_bits, name))

/* A read, or a write that its maker waits for: by fsync, O_DIRECT or a journal. What the page cache
 * writes back on its own and what is discarded nobody waits for. */
static __always_inline bool is_waited_for(struct request *rq)
{
	unsigned int waited = REQUEST_FLAG(__REQ_SYNC) | REQUEST_FLAG(__REQ_META) |
		REQUEST_FLAG(__REQ_FUA) | REQUEST_FLAG(__REQ_PREFLUSH);

	return (rq->cmd_flags & REQUEST_OP_MASK) == REQUEST_READ || (rq->cmd_flags & waited);
}

/* Since the request was made; the kernel's own stamp is taken from the same clock. */
static __always_inline __u64 age_of(struct request *rq)
{
	__u64 age = bpf_ktime_get_ns() - rq->start_time_ns;

	return (__s64)age < 0 ? 0 : age;
}

#endif
