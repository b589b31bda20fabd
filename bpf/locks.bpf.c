// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who waits long for a lock of the kernel, and who holds it?
 *
 * Only locks that are slept for: mutexes, semaphores for readers and writers, and real-time
 * mutexes. Such a lock names its owner, who is looked up when the wait begins, for by its end he
 * may be gone. A semaphore that is held by readers names the one who came last, and may go on to
 * name him when he has left: he is believed while there are readers at all. A per-CPU semaphore
 * names nobody, nor does any lock at the moment in which it changes hands.
 *
 * A thread that first spins and then sleeps begins its wait anew: the first begin counts. Waits of
 * several threads of a process that overlap are one. Threads of the kernel wait for each other as
 * they like; what we hold and wait for ourselves is no doing of the machine's.
 */
#include "trace.bpf.h"

/* memory: a process waits for its own memory map, which another process holds. others: for any
 * other lock, which another process holds. own: it holds the lock itself. unnamed: nobody knows who
 * does. */
SENTINEL_FIELDS(INSTANCE_PROCESS, "contention_begin and contention_end, and the lock's own owner",
	"memory others own unnamed", .since = SINCE_LINUX(5, 19));

enum field { FIELD_MEMORY, FIELD_OTHERS, FIELD_OWN, FIELD_UNNAMED };

#define PF_KTHREAD 0x00200000
/* enum of include/trace/events/lock.h */
#define LOCK_SPIN 1
#define LOCK_READ 2
#define LOCK_WRITE 4
#define LOCK_RT 8
#define LOCK_PERCPU 16
#define LOCK_MUTEX 32

#define OWNER_FLAGS 7ul	   /* of a pointer to the owner, of all kinds of locks */
#define RWSEM_READERS 1ul  /* in the owner: those who hold it are readers */
#define RWSEM_COUNT_BITS 8 /* the count of readers is above these */
#define PID_LIMIT 0x400000

struct atomic_long___locks {
	long counter;
} FROM_KERNEL;

struct mutex {
	struct atomic_long___locks owner;
} FROM_KERNEL;

struct rw_semaphore {
	struct atomic_long___locks count;
	struct atomic_long___locks owner;
} FROM_KERNEL;

struct rt_mutex_base {
	struct task_struct *owner;
} FROM_KERNEL;

struct mm_struct {
	struct rw_semaphore mmap_lock;
} FROM_KERNEL;

struct task_struct___locks {
	unsigned int flags;
	int pid;
	int tgid;
	char comm[16];
	struct mm_struct *mm;
	struct task_struct___locks *group_leader;
} FROM_KERNEL;

struct wait_key {
	__u64 lock;
	__u32 tid;
	__u32 pad;
};

struct wait {
	__u64 since;
	__u32 holder; /* tgid, 0: not known */
	__u32 field;
	__u8 name[TRACE_NAME]; /* of the holder */
};

/* What a process has waited, up to when: to count what overlaps once. */
struct waited_key {
	__u32 tgid;
	__u32 field;
};

TUESDAY_MAP(waits, HASH, 4096, struct wait_key, struct wait);
TUESDAY_MAP(waited, LRU_HASH, 1024, struct waited_key, __u64);

static __always_inline bool is_slept_for(__u32 flags)
{
	return flags & LOCK_MUTEX || (flags && !(flags & LOCK_SPIN));
}

static __always_inline unsigned long semaphore_owner(const struct rw_semaphore *sem)
{
	unsigned long owner;

	if (!bpf_core_field_exists(sem->owner) || !bpf_core_field_exists(sem->count))
		return 0;
	owner = (unsigned long)BPF_CORE_READ(sem, owner.counter);
	if (owner & RWSEM_READERS && !(BPF_CORE_READ(sem, count.counter) >> RWSEM_COUNT_BITS))
		return 0;
	return owner;
}

/* The word in which the lock keeps its owner, 0: it names nobody. With real-time preemption mutexes
 * are locks of another kind, and semaphores name nobody. */
static __always_inline unsigned long owner_of(const void *lock, __u32 flags)
{
	const struct rt_mutex_base *rt = lock;
	const struct mutex *mutex = lock;

	if (flags & LOCK_MUTEX && bpf_core_field_exists(mutex->owner))
		return (unsigned long)BPF_CORE_READ(mutex, owner.counter);
	if (flags == LOCK_RT && bpf_core_field_exists(rt->owner))
		return (unsigned long)BPF_CORE_READ(rt, owner);
	if (flags == LOCK_READ || flags == LOCK_WRITE)
		return semaphore_owner(lock);
	return 0;
}

/* What kind of a wait it is is kept in the map, out of which the verifier takes it for any number:
 * it would follow each of the four to the end of the program. */
static __always_inline void find_holder(
	const struct task_struct___locks *task, const void *lock, __u32 flags, struct wait *wait)
{
	const struct mm_struct *mm = BPF_CORE_READ(task, mm);
	const struct task_struct___locks *holder =
		(const void *)(owner_of(lock, flags) & ~OWNER_FLAGS);
	int pid, tgid;

	wait->field = FIELD_UNNAMED;
	if (!holder)
		return;
	pid = BPF_CORE_READ(holder, pid);
	tgid = BPF_CORE_READ(holder, tgid);
	/* A reader that is gone has left a pointer to nothing. */
	if (pid <= 0 || pid > PID_LIMIT || tgid <= 0 || tgid > PID_LIMIT)
		return;
	wait->holder = (__u32)tgid;
	wait->field = wait->holder == current_tgid() ? FIELD_OWN
		: lock == &mm->mmap_lock	     ? FIELD_MEMORY
						     : FIELD_OTHERS;
	BPF_CORE_READ_STR_INTO(&wait->name, holder, group_leader, comm);
}

SEC("raw_tp/contention_begin")
int BPF_PROG(locks_begin, void *lock, unsigned int flags)
{
	const struct task_struct___locks *task;
	struct wait_key key = {.lock = (__u64)lock};
	struct wait wait = {};

	if (!is_counting() || !is_slept_for(flags))
		return 0;
	task = (const void *)bpf_get_current_task();
	if (BPF_CORE_READ(task, flags) & PF_KTHREAD || !within_budget() || is_own(current_tgid()))
		return 0;
	key.tid = (__u32)bpf_get_current_pid_tgid();
	if (bpf_map_lookup_elem(&waits, &key))
		return 0;
	wait.since = bpf_ktime_get_ns();
	find_holder(task, lock, flags, &wait);
	if (bpf_map_update_elem(&waits, &key, &wait, BPF_ANY_ELEMENT))
		__sync_fetch_and_add(&lost.starts, 1);
	return 0;
}

/* How much of a wait was in no other wait of the process, and that it is now. */
static __always_inline __u64 take_waited(__u32 tgid, __u32 field, __u64 since, __u64 now)
{
	struct waited_key key = {.tgid = tgid, .field = field};
	__u64 *until = bpf_map_lookup_elem(&waited, &key);

	if (until && *until > since)
		since = *until;
	bpf_map_update_elem(&waited, &key, &now, BPF_ANY_ELEMENT);
	return now > since ? now - since : 0;
}

static __always_inline void waited_long(const struct wait *wait, __u64 now)
{
	const struct task_struct___locks *task = (const void *)bpf_get_current_task();
	__u32 tgid = current_tgid(), field = wait->field;
	__u64 ns = take_waited(tgid, field, wait->since, now), id[2] = {tgid, field};
	struct who holder = {.kind = WHO_COMM, .instance = instance_fold(tgid, 0)};
	struct who victim = {.kind = WHO_VICTIM, .instance = holder.instance};
	struct hist *hist;

	if (ns < params.slow)
		return;
	hist = hist_of(id);
	if (!hist)
		return;
	hist_add(hist, ns);
	BPF_CORE_READ_STR_INTO(&victim.name, task, group_leader, comm);
	charge(&victim, tgid, ns);
	if (field == FIELD_OWN || field == FIELD_UNNAMED)
		return;
	__builtin_memcpy(holder.name, wait->name, sizeof(holder.name));
	charge(&holder, wait->holder, ns);
}

SEC("raw_tp/contention_end")
int BPF_PROG(locks_end, void *lock, int ret)
{
	struct wait_key key = {.lock = (__u64)lock, .tid = (__u32)bpf_get_current_pid_tgid()};
	struct wait *found, wait;
	__u64 now;

	if (!is_counting())
		return 0;
	found = bpf_map_lookup_elem(&waits, &key);
	if (!found)
		return 0;
	wait = *found;
	bpf_map_delete_elem(&waits, &key);
	now = bpf_ktime_get_ns();
	if (now - wait.since >= params.slow && !is_own(wait.holder))
		waited_long(&wait, now);
	return 0;
}
