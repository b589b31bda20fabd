// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long does block I/O take that somebody waits for, in the queue and in the device, and who
 * asked for it?
 *
 * Write-back of the page cache queues deep, and how long it takes harms nobody: blockasync has it.
 *
 * The kernel stamps a request when it is made, so its completion alone tells the latency. Time
 * before that (for want of a free request, or held back by a cgroup's limit) is not in it: iowait
 * sees that.
 *
 * At completion the present task has nothing to do with it. Who asked is noted when the request is
 * queued or issued, whichever is first, since both usually happen in the program that asked. The
 * notes are an array indexed by a hash of the request: a look-up there costs next to nothing, no
 * lock is taken, and a note that another request has overwritten shows as the wrong request, and
 * then nobody is blamed.
 */
#include "disk.bpf.h"

TRACER(INSTANCE_DEVICE, "block_rq_complete and the request's own start, of what is waited for");

#define NOTES 8192

struct note {
	__u64 request;
	__u64 start_ns;
	__u64 cgroup;
	__u32 tgid;
	__u32 pad;
	__u8 comm[TRACE_NAME];
};

/* Some of them are ours. */
bool own_asked = false;

TUESDAY_MAP(notes, ARRAY, NOTES, __u32, struct note);

/* The verifier lets nobody calculate with a pointer; copied by the kernel it is a number. */
static __always_inline __u64 address_of(struct request *rq)
{
	__u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &rq);
	return address;
}

static __always_inline struct note *note_of(__u64 address)
{
	__u32 i = (__u32)((address * 0x9e3779b97f4a7c15ull) >> 40) & (NOTES - 1);

	return bpf_map_lookup_elem(&notes, &i);
}

static __always_inline void take_note(struct request *rq)
{
	__u64 address = address_of(rq);
	struct note *note = note_of(address);

	if (!note || (note->request == address && note->start_ns == rq->start_time_ns))
		return;
	note->request = address;
	note->start_ns = rq->start_time_ns;
	note->cgroup = bpf_get_current_cgroup_id();
	note->tgid = current_tgid();
	if (is_own(note->tgid))
		own_asked = true;
	bpf_get_current_comm(note->comm, sizeof(note->comm));
}

SEC("tp_btf/block_rq_insert")
int block_inserted(__u64 *ctx)
{
	if (!is_counting())
		return 0;
	if (params.queue_first)
		take_note((struct request *)*(volatile __u64 *)&ctx[1]);
	else
		take_note((struct request *)*(volatile __u64 *)&ctx[0]);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int block_issued(__u64 *ctx)
{
	if (!is_counting())
		return 0;
	if (params.queue_first)
		take_note((struct request *)*(volatile __u64 *)&ctx[1]);
	else
		take_note((struct request *)*(volatile __u64 *)&ctx[0]);
	return 0;
}

/* Who asked for it, or NULL. */
static __always_inline struct note *noted(struct request *rq)
{
	__u64 address = address_of(rq);
	struct note *note = note_of(address);

	if (!note || note->request != address || note->start_ns != rq->start_time_ns)
		return NULL;
	return note;
}

static __always_inline bool is_for_us(struct request *rq)
{
	struct note *note = own_asked ? noted(rq) : NULL;

	return note && is_own(note->tgid);
}

static __always_inline void blame(struct request *rq, __u32 instance, __u64 took)
{
	struct note *note = noted(rq);
	struct who who = {.kind = WHO_COMM, .instance = instance};

	if (!note) {
		__sync_fetch_and_add(&lost.culprits, 1);
		return;
	}
	bpf_probe_read_kernel_str(who.name, sizeof(who.name), note->comm);
	charge(&who, note->tgid, took);
	if (!is_own(note->tgid))
		charge_group(note->cgroup, instance, took);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_completed, struct request *rq, int error, unsigned int bytes)
{
	struct hist *hist;
	__u64 id[2] = {};
	__u64 took;

	/* A part of a request: the rest is still to come. */
	if (!is_counting() || bytes < rq->__data_len || !is_measured(rq) || !is_waited_for(rq))
		return 0;
	id[0] = disk_of(rq);
	if (!id[0])
		return 0;
	if (is_for_us(rq))
		return 0;
	took = age_of(rq);
	hist = hist_of(id);
	if (!hist)
		return 0;
	hist_add(hist, took);
	if (took >= params.slow)
		blame(rq, instance_fold(id[0], 0), took);
	return 0;
}
