// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose block I/O stands behind whose, in the queue and in the device?
 *
 * A disk tells when it is done, not what it works on. It is taken to work, from one completion to
 * the next, on what is completed next, if that was issued by then: exact for a disk that does one
 * thing at a time. Of one that does many at once this is in whose turn the time went; where what is
 * completed next was issued later, the time before that is nobody's alone.
 *
 * Of those who wait only reads and writes are counted that somebody waits for; of those who are
 * ahead everything is, write-back too. Who asked is noted when a request is queued or issued,
 * whichever is first, since both usually happen in the program that asked.
 *
 * Two CPUs that complete at the same instant may lose a slice: this has no lock.
 */
#include "queue.bpf.h"

struct block_note {
	__u64 request;
	__u64 start_ns;
	__u64 issued_ns; /* 0: not yet */
	__u32 tgid;
	__u32 pad;
};

struct device {
	struct queue_ring ring; /* since: the last completion; current: how many are issued */
};

/* Before 5.11 the queue is an argument before the request. */
const volatile bool queue_first = false;

TUESDAY_MAP(notes, ARRAY, QUEUE_REQUESTS, __u32, struct block_note);
TUESDAY_MAP(devices, HASH, QUEUE_DEVICES, __u32, struct device);
/* What a new device starts with: a stack has no room for it. */
TUESDAY_MAP(empty, ARRAY, 1, __u32, struct device);

#define REQUEST_FLAG(name) (1u << bpf_core_enum_value(enum req_flag_bits, name))

static __always_inline struct block_note *note_of(__u64 request)
{
	__u32 i = (__u32)((request * 0x9e3779b97f4a7c15ull) >> 40) & (QUEUE_REQUESTS - 1);

	return bpf_map_lookup_elem(&notes, &i);
}

/* 0 where it has none, or passes commands through. */
static __always_inline __u32 disk_of(struct request *rq)
{
	struct request___before_5_17 *older = (void *)rq;
	struct gendisk *disk;

	if ((BPF_CORE_READ(rq, cmd_flags) & REQUEST_OP_MASK) >= FIRST_PASSTHROUGH_OP)
		return 0;
	if (bpf_core_field_exists(older->rq_disk))
		disk = BPF_CORE_READ(older, rq_disk);
	else
		disk = BPF_CORE_READ(rq, q, disk);
	return disk
		? (__u32)BPF_CORE_READ(disk, major) << 20 | (__u32)BPF_CORE_READ(disk, first_minor)
		: 0;
}

static __always_inline bool is_waited_for(struct request *rq)
{
	unsigned int waited = REQUEST_FLAG(__REQ_SYNC) | REQUEST_FLAG(__REQ_META) |
		REQUEST_FLAG(__REQ_FUA) | REQUEST_FLAG(__REQ_PREFLUSH),
		     flags = BPF_CORE_READ(rq, cmd_flags);

	return (flags & REQUEST_OP_MASK) == REQUEST_READ || (flags & waited);
}

static __always_inline struct device *device_of(__u32 disk)
{
	struct device *device = bpf_map_lookup_elem(&devices, &disk);
	__u32 zero = 0;

	if (device)
		return device;
	device = bpf_map_lookup_elem(&empty, &zero);
	if (!device)
		return NULL;
	bpf_map_update_elem(&devices, &disk, device, BPF_NOEXIST);
	device = bpf_map_lookup_elem(&devices, &disk);
	if (!device)
		__sync_fetch_and_add(&lost.devices, 1);
	return device;
}

/* Behind whom a request stood, of this waiter in this stage. Returns what was nobody's alone. */
__noinline __u64 queue_divide(__u32 disk, __u64 who, __u64 from, __u64 to)
{
	struct queue_key key = {.waiter = (__u32)who, .stage = (__u32)(who >> 32), .device = disk};
	const struct device *device = bpf_map_lookup_elem(&devices, &disk);

	if (!device || (__s64)(to - from) <= 0)
		return 0;
	return queue_divide_ring(&device->ring, &key, from, to);
}

/* Notes who asked for it. Returns NULL where it has no start or no disk. */
static __always_inline struct block_note *take_note(struct request *rq)
{
	__u64 address = (__u64)rq, start = BPF_CORE_READ(rq, start_time_ns);
	struct block_note *note = note_of(address);

	if (!note)
		return NULL;
	if (!start) {
		__sync_fetch_and_add(&lost.unstamped, 1);
		return NULL;
	}
	if (note->request == address && note->start_ns == start)
		return note;
	note->request = address;
	note->start_ns = start;
	note->issued_ns = 0;
	note->tgid = (__u32)(bpf_get_current_pid_tgid() >> 32);
	queue_note((const void *)bpf_get_current_task(), note->tgid);
	return note;
}

/* It has stood in the scheduler from its start until now. */
static __always_inline void count_scheduler(
	struct device *device, __u32 disk, const struct block_note *note, __u64 now)
{
	struct queue_key key = {.waiter = note->tgid, .stage = QUEUE_SCHEDULER, .device = disk};
	__u64 done = device->ring.since, to = now, left;

	/* What is done next will tell in whose turn the time since the last completion goes. */
	if (done && done < now) {
		__u64 from = note->start_ns > done ? note->start_ns : done;

		key.ahead = (__s32)device->ring.current > 0 ? QUEUE_SEVERAL : QUEUE_IDLE;
		if (now > from)
			queue_add(&key, now - from);
		to = from;
	}
	left = queue_divide(disk, (__u64)QUEUE_SCHEDULER << 32 | note->tgid, note->start_ns, to);
	if (!left)
		return;
	key.ahead = QUEUE_SEVERAL;
	queue_add(&key, left);
}

static __always_inline void issued(struct request *rq)
{
	__u32 disk = disk_of(rq);
	struct device *device = disk ? device_of(disk) : NULL;
	struct block_note *note = device ? take_note(rq) : NULL;
	__u64 now;

	if (!note)
		return;
	now = bpf_ktime_get_ns();
	if (!note->issued_ns) {
		if (is_waited_for(rq) && now > note->start_ns)
			count_scheduler(device, disk, note, now);
		__sync_fetch_and_add(&device->ring.current, 1);
	}
	note->issued_ns = now;
}

/* From the last completion to this one the device has worked for it, if it had it already. */
static __always_inline __u64 completes(
	struct queue_ring *ring, const struct block_note *note, __u64 now)
{
	__u64 start = ring->since, worked;

	worked = note->issued_ns > start ? note->issued_ns : start;
	if (worked > now)
		worked = now;
	if (start && start < worked && (__s32)ring->current <= 0)
		queue_push(ring, start, worked, QUEUE_IDLE);
	queue_push(ring, worked, now, note->tgid);
	ring->since = now;
	return worked;
}

static __always_inline void count_device(
	__u32 disk, const struct block_note *note, __u64 worked, __u64 now)
{
	struct queue_key key = {
		.waiter = note->tgid, .stage = QUEUE_DEVICE, .device = disk, .ahead = QUEUE_SERVED};
	__u64 left =
		queue_divide(disk, (__u64)QUEUE_DEVICE << 32 | note->tgid, note->issued_ns, worked);

	queue_add(&key, now - worked + left);
}

static __always_inline void completed(struct request *rq, unsigned int bytes)
{
	__u64 address = (__u64)rq, start = BPF_CORE_READ(rq, start_time_ns), now, worked;
	struct block_note *note = note_of(address);
	struct device *device;
	__u32 disk;

	/* A part of a request: the rest is still to come. */
	if (bytes < BPF_CORE_READ(rq, __data_len))
		return;
	disk = disk_of(rq);
	device = disk ? bpf_map_lookup_elem(&devices, &disk) : NULL;
	if (!device)
		return;
	if (!note || note->request != address || note->start_ns != start || !note->issued_ns) {
		__sync_fetch_and_add(&lost.requests, 1);
		return;
	}
	__sync_fetch_and_add(&device->ring.current, -1);
	now = bpf_ktime_get_ns();
	worked = completes(&device->ring, note, now);
	if (is_waited_for(rq))
		count_device(disk, note, worked, now);
	note->request = 0;
}

SEC("raw_tp/block_rq_insert")
int queueblock_insert(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[queue_first ? 1 : 0];

	if (counting && disk_of(rq))
		take_note(rq);
	return 0;
}

SEC("raw_tp/block_rq_issue")
int queueblock_issue(__u64 *ctx)
{
	if (counting)
		issued((struct request *)ctx[queue_first ? 1 : 0]);
	return 0;
}

/* Its first argument is the request on all kernels. */
SEC("raw_tp/block_rq_complete")
int queueblock_complete(__u64 *ctx)
{
	if (counting)
		completed((struct request *)ctx[0], (unsigned int)ctx[2]);
	return 0;
}

SEC("raw_tp/sched_process_exec")
int queueblock_exec(void *ctx)
{
	if (counting)
		queue_forget((__u32)(bpf_get_current_pid_tgid() >> 32));
	return 0;
}
