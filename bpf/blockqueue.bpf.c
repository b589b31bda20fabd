// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long does block I/O wait in the queue before the device gets it?
 *
 * From the request's own start to its issue: what of block latency is queueing, by the scheduler or
 * behind others, and no fault of the device. A request that the device hands back is issued, and
 * counted, once more.
 */
#include "disk.bpf.h"

TRACER(INSTANCE_DEVICE, "block_rq_issue and the request's own start");

static __always_inline void count(struct request *rq)
{
	__u64 id[2] = {};
	struct hist *hist;

	if (!is_measured(rq) || is_own(current_tgid()))
		return;
	id[0] = disk_of(rq);
	if (!id[0])
		return;
	hist = hist_of(id);
	if (hist)
		hist_add(hist, age_of(rq));
}

SEC("tp_btf/block_rq_issue")
int blockqueue_issued(__u64 *ctx)
{
	if (!is_counting())
		return 0;
	if (params.queue_first)
		count((struct request *)*(volatile __u64 *)&ctx[1]);
	else
		count((struct request *)*(volatile __u64 *)&ctx[0]);
	return 0;
}
