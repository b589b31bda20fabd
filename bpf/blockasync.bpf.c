// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long does block I/O take that nobody waits for, in the queue and in the device?
 *
 * What block leaves out: write-back of the page cache and discards. It is told apart, so that a
 * copy does not look like a slow disk.
 */
#include "disk.bpf.h"

TRACER(INSTANCE_DEVICE, "block_rq_complete, of what nobody waits for");

SEC("tp_btf/block_rq_complete")
int BPF_PROG(blockasync_completed, struct request *rq, int error, unsigned int bytes)
{
	struct hist *hist;
	__u64 id[2] = {};

	/* A part of a request: the rest is still to come. */
	if (!is_counting() || bytes < rq->__data_len || !is_measured(rq) || is_waited_for(rq))
		return 0;
	id[0] = disk_of(rq);
	if (!id[0])
		return 0;
	hist = hist_of(id);
	if (hist)
		hist_add(hist, age_of(rq));
	return 0;
}
