// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which system calls fail for want of something, and how long does a process keep failing so?
 *
 * Looks at what every system call returns and goes on only for the few errors that say that
 * something ran out, broke or may not be written: with descriptors, room, quota, ports, buffers,
 * memory, processes. What is counted of each is the time since the same process first failed so: a
 * program that tries something once when it starts is done within a moment, one that goes on has
 * lost what it works with.
 *
 * Left out is what fails by custom. Who asks whether he may write (access) is told that he may not.
 * ioctl returns what its driver likes. madvise, mincore and msync find out by ENOMEM whether memory
 * is there. EAGAIN is want of processes from fork and clone alone, and EADDRNOTAVAIL want of ports
 * from connect alone, and to IPv4: for IPv6 it is what a machine without IPv6 says to "localhost".
 *
 * Too many are not the events but the calls, and not on all CPUs together: each pays for its own.
 */
#include <asm/unistd.h>

#include "trace.bpf.h"

SENTINEL(INSTANCE_TEXT, "sys_exit, errors that say that something is wanting");

#define ERRNO_MOST 133
#define EIO 5
#define EAGAIN 11
#define ENOMEM 12
#define ENFILE 23
#define EMFILE 24
#define ENOSPC 28
#define EROFS 30
#define EADDRNOTAVAIL 99
#define ENOBUFS 105
#define EDQUOT 122

#define AF_INET 2
#define BUDGET_CPUS 256

struct pt_regs___x86 {
	unsigned long orig_ax;
	unsigned long si;
} FROM_KERNEL;

/* Not ___arm64: libbpf has one of that name for who compiles there. */
struct pt_regs___aarch64 {
	__u64 regs[31];
	int syscallno;
} FROM_KERNEL;

struct failing {
	__u32 tgid;
	__u32 error;
};

/* Since when. Old ones make room: who goes on is not old. */
TUESDAY_MAP(since, LRU_HASH, 4096, struct failing, __u64);

/* One line of the cache for each CPU, which alone writes it. */
struct {
	__u64 n, since_ns, pad[6];
} calls[BUDGET_CPUS];

static __always_inline bool calls_within_budget(void)
{
	__u32 cpu = bpf_get_smp_processor_id() & (BUDGET_CPUS - 1);
	__u64 now;

	if (budget.over_ns)
		return false;
	if (!calls[cpu].since_ns)
		calls[cpu].since_ns = bpf_ktime_get_ns();
	if (++calls[cpu].n <= params.budget || !params.budget)
		return true;
	now = bpf_ktime_get_ns();
	if (now - calls[cpu].since_ns < SECOND_NS) {
		budget.over_ns = now;
		return false;
	}
	calls[cpu].n = 0;
	calls[cpu].since_ns = now;
	return true;
}

static __always_inline long call_of(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (long)BPF_CORE_READ((struct pt_regs___x86 *)regs, orig_ax);
#elif defined(__TARGET_ARCH_arm64)
	return BPF_CORE_READ((struct pt_regs___aarch64 *)regs, syscallno);
#else
	return -1; /* not told apart */
#endif
}

/* The family of the address that connect was given. */
static __always_inline __u16 family_of(struct pt_regs *regs)
{
	__u16 family = 0;
#if defined(__TARGET_ARCH_x86)
	__u64 address = BPF_CORE_READ((struct pt_regs___x86 *)regs, si);
#elif defined(__TARGET_ARCH_arm64)
	__u64 address = BPF_CORE_READ((struct pt_regs___aarch64 *)regs, regs[1]);
#else
	__u64 address = 0;
#endif

	bpf_probe_read_user(&family, sizeof(family), (void *)address);
	return family;
}

static __always_inline bool makes_processes(long call)
{
#ifdef __NR_fork
	if (call == __NR_fork || call == __NR_vfork)
		return true;
#endif
	return call == __NR_clone || call == __NR_clone3;
}

static __always_inline bool asks_only(long call)
{
#ifdef __NR_access
	if (call == __NR_access)
		return true;
#endif
	return call == __NR_faccessat || call == __NR_faccessat2;
}

static __always_inline bool asks_for_memory(long call)
{
	return call != __NR_madvise && call != __NR_mincore && call != __NR_msync;
}

/* The name of an error that is a want in this call, in name; false for any other. */
static __always_inline bool is_want(
	int error, long call, struct pt_regs *regs, char name[TRACE_NAME])
{
#define WANT(number, when) \
	case number: \
		__builtin_memcpy(name, #number, sizeof(#number)); \
		return (when)
	switch (error) {
		WANT(EIO, true);
		WANT(EAGAIN, makes_processes(call));
		WANT(ENOMEM, asks_for_memory(call));
		WANT(ENFILE, true);
		WANT(EMFILE, true);
		WANT(ENOSPC, true);
		WANT(EROFS, !asks_only(call));
		WANT(EADDRNOTAVAIL, call == __NR_connect && family_of(regs) == AF_INET);
		WANT(ENOBUFS, true);
		WANT(EDQUOT, true);
	}
#undef WANT
	return false;
}

/* How long this process has been failing so. */
static __always_inline __u64 failing_for(__u32 tgid, int error)
{
	struct failing failing = {.tgid = tgid, .error = (__u32)error};
	__u64 now = bpf_ktime_get_ns();
	__u64 *first = bpf_map_lookup_elem(&since, &failing);

	if (first)
		return now - *first;
	bpf_map_update_elem(&since, &failing, &now, BPF_ANY_ELEMENT);
	return 0;
}

static __always_inline void count_failure(int error, const char name[TRACE_NAME])
{
	struct who who = {.kind = WHO_COMM};
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u64 lasted, id[2];
	struct hist *hist;

	/* We read files of sysfs that answer with EIO, in every sample. */
	if (is_own(tgid))
		return;
	lasted = failing_for(tgid, error);
	__builtin_memcpy(id, name, sizeof(id));
	hist = hist_of(id);
	if (!hist)
		return;
	hist_add(hist, lasted);
	if (lasted < params.slow)
		return;
	who.instance = instance_fold(id[0], id[1]);
	bpf_get_current_comm(who.name, sizeof(who.name));
	charge(&who, tgid, 0);
}

SEC("raw_tp/sys_exit")
int BPF_PROG(failing_exit, struct pt_regs *regs, long ret)
{
	char name[TRACE_NAME] __attribute__((aligned(8))) = {};
	long call;

	if (!is_counting() || !calls_within_budget() || ret >= 0 || ret < -ERRNO_MOST)
		return 0;
	call = call_of(regs);
	if (call != __NR_ioctl && is_want((int)-ret, call, regs, name))
		count_failure((int)-ret, name);
	return 0;
}
