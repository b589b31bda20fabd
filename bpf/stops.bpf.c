// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which servers are stopped by a signal, for how long, and by whom?
 *
 * A process is stopped when it takes a SIGSTOP, and goes on with the next SIGCONT, or ends by a
 * SIGKILL, which are looked at when they are sent: they act on the spot, whoever takes them. One
 * that a debugger has attached to is that one's, and a job that is stopped from its terminal
 * (SIGTSTP, SIGTTIN, SIGTTOU) is what somebody who sits there wanted: neither counts.
 *
 * Only processes count that listen, for TCP or on a Unix socket: whom others keep waiting cannot be
 * seen from here. The first listener is the instance. Who was stopped before the trace began is
 * found by an iterator, and counts from then on.
 */
#include "socket.h"
#include "trace.bpf.h"

/* stopped: for how long, as soon as it goes on. began: 1 for each that is or was stopped. */
SENTINEL_FIELDS(INSTANCE_PORT, "signal_generate, signal_deliver and iter/task: SIGSTOP",
	"stopped #began", .since = SINCE_LINUX(5, 17));

enum field { FIELD_STOPPED, FIELD_BEGAN };

#define SIGNAL_KILL 9
#define SIGNAL_CONT 18
#define SIGNAL_STOP 19
#define STATE_STOPPED 4		/* of task_struct.__state */
#define STOP_SIGNAL_MASK 0xffff /* of task_struct.jobctl: by which signal it was stopped */
#define UNIX_BIT 0x10000	/* INSTANCE_PORT */
#define FAMILY_UNIX 1
#define MODE_SOCKET 0140000
#define MODE_MASK 0170000
#define DESCRIPTORS 1024 /* that are looked at: a server opens its listeners first */

struct inode___stops {
	unsigned short i_mode;
	unsigned long i_ino;
} FROM_KERNEL;

struct file___stops {
	struct inode___stops *f_inode;
	struct socket *private_data;
} FROM_KERNEL;

struct fdtable___stops {
	unsigned int max_fds;
	struct file___stops **fd;
} FROM_KERNEL;

struct files_struct___stops {
	struct fdtable___stops *fdt;
} FROM_KERNEL;

struct task_struct___stops {
	int pid;
	int tgid;
	unsigned int __state;
	unsigned int ptrace;
	unsigned long jobctl;
	char comm[16];
	struct files_struct___stops *files;
	struct task_struct___stops *group_leader;
} FROM_KERNEL;

struct bpf_iter__task {
	struct task_struct *task;
} FROM_KERNEL;

struct party {
	__u8 name[TRACE_NAME];
	__u32 tgid; /* 0: not known */
	__u32 pad;
};

struct stop {
	__u64 since;
	__u64 place; /* INSTANCE_PORT */
	struct party stopped, sender;
};

/* By tgid: who is stopped, and who has sent the last SIGSTOP to whom. */
TUESDAY_MAP(stops, HASH, 1024, __u32, struct stop);
TUESDAY_MAP(senders, LRU_HASH, 1024, __u32, struct party);

static __always_inline void party_of(const struct task_struct___stops *task, struct party *out)
{
	out->tgid = (__u32)BPF_CORE_READ(task, tgid);
	BPF_CORE_READ_STR_INTO(&out->name, task, group_leader, comm);
}

/* 0, but any number to the verifier, which else follows the search once more for what it finds. */
volatile __u64 nowhere = 0;

struct search {
	struct file___stops **files;
	__u64 place;
};

/* Ends at the first TCP listener; a Unix one is kept for want of any. */
static long find_listener(__u32 i, struct search *search)
{
	struct file___stops *file = NULL;
	const struct sock *sk;
	__u64 inode;

	bpf_probe_read_kernel(&file, sizeof(file), &search->files[i]);
	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & MODE_MASK) != MODE_SOCKET)
		return 0;
	sk = BPF_CORE_READ(file, private_data, sk);
	if (!sk || BPF_CORE_READ(sk, __sk_common.skc_state) != TCP_LISTEN)
		return 0;
	if (BPF_CORE_READ(sk, __sk_common.skc_family) == FAMILY_UNIX) {
		inode = BPF_CORE_READ(file, f_inode, i_ino);
		if (!search->place)
			search->place = UNIX_BIT | inode << 32;
		return 0;
	}
	search->place = BPF_CORE_READ(sk, __sk_common.skc_num) |
		(__u64)BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum) << 32;
	return 1;
}

/* Where it listens, 0: nowhere. */
static __always_inline __u64 listens_at(const struct task_struct___stops *task)
{
	const struct fdtable___stops *table = BPF_CORE_READ(task, files, fdt);
	struct search search = {.files = BPF_CORE_READ(table, fd), .place = nowhere};
	__u32 n = BPF_CORE_READ(table, max_fds);

	if (search.files)
		bpf_loop(n < DESCRIPTORS ? n : DESCRIPTORS, find_listener, &search, 0);
	return search.place;
}

static __always_inline void note(__u64 place, __u32 field, __u64 value)
{
	__u64 id[2] = {place, field};
	struct hist *hist = hist_at_any_time(id);

	if (hist)
		hist_add(hist, value);
}

static __always_inline void charge_party(
	__u32 kind, const struct party *party, __u64 place, __u64 ns)
{
	struct who who = {.kind = kind, .instance = instance_fold(place, 0)};

	if (!party->tgid)
		return;
	__builtin_memcpy(who.name, party->name, sizeof(who.name));
	charge_at_any_time(&who, party->tgid, ns);
}

static __always_inline void charge_both(const struct stop *stop, __u64 ns)
{
	charge_party(WHO_COMM, &stop->sender, stop->place, ns);
	charge_party(WHO_VICTIM, &stop->stopped, stop->place, ns);
}

static __always_inline void begin_stop(const struct task_struct___stops *task)
{
	struct stop stop = {.place = listens_at(task)};
	const struct party *sender;

	if (!stop.place)
		return;
	stop.since = bpf_ktime_get_ns();
	party_of(task, &stop.stopped);
	sender = bpf_map_lookup_elem(&senders, &stop.stopped.tgid);
	if (sender)
		stop.sender = *sender;
	if (bpf_map_lookup_elem(&stops, &stop.stopped.tgid))
		return;
	/* Its end would not be seen, so that it would look stopped for ever. */
	if (bpf_map_update_elem(&stops, &stop.stopped.tgid, &stop, BPF_ANY_ELEMENT)) {
		__sync_fetch_and_add(&lost.starts, 1);
		return;
	}
	note(stop.place, FIELD_BEGAN, 1);
	charge_both(&stop, 0);
}

static __always_inline void end_stop(__u32 tgid)
{
	const struct stop *found = bpf_map_lookup_elem(&stops, &tgid);
	struct stop stop;
	__u64 now;

	if (!found)
		return;
	stop = *found;
	bpf_map_delete_elem(&stops, &tgid);
	now = bpf_ktime_get_ns();
	note(stop.place, FIELD_STOPPED, now - stop.since);
	charge_both(&stop, now - stop.since);
}

SEC("raw_tp/signal_generate")
int BPF_PROG(stops_sent, int sig, void *info, const struct task_struct *task)
{
	struct party sender = {};
	__u32 tgid;

	if ((sig != SIGNAL_STOP && sig != SIGNAL_CONT && sig != SIGNAL_KILL) || is_over() ||
		!within_budget())
		return 0;
	tgid = (__u32)BPF_CORE_READ(task, tgid);
	if (sig != SIGNAL_STOP) {
		end_stop(tgid);
		return 0;
	}
	party_of((const void *)bpf_get_current_task(), &sender);
	bpf_map_update_elem(&senders, &tgid, &sender, BPF_ANY_ELEMENT);
	return 0;
}

SEC("raw_tp/signal_deliver")
int BPF_PROG(stops_taken, int sig)
{
	const struct task_struct___stops *task;

	if (sig != SIGNAL_STOP || is_over() || !within_budget())
		return 0;
	task = (const void *)bpf_get_current_task();
	if (!BPF_CORE_READ(task, ptrace))
		begin_stop(task);
	return 0;
}

SEC("iter/task")
int stopped_seed(struct bpf_iter__task *context)
{
	const struct task_struct___stops *task = (const void *)context->task;

	if (!task || !(BPF_CORE_READ(task, __state) & STATE_STOPPED) ||
		BPF_CORE_READ(task, pid) != BPF_CORE_READ(task, tgid) ||
		BPF_CORE_READ(task, ptrace) ||
		(BPF_CORE_READ(task, jobctl) & STOP_SIGNAL_MASK) != SIGNAL_STOP)
		return 0;
	begin_stop(task);
	return 0;
}
