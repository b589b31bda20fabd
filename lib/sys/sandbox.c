/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a process kept from all that a parser that was deceived could do with it? */
#include "base/banned.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/caps.h"
#include "sys/child.h"
#include "sys/opener.h"
#include "sys/sandbox.h"

#ifdef __SANITIZE_ADDRESS__
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif

#if defined(UNDER_ASAN)
#define SANDBOX_ARCH 0
#elif defined(__x86_64__) && !defined(__ILP32__)
#define SANDBOX_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SANDBOX_ARCH AUDIT_ARCH_AARCH64
#else
#define SANDBOX_ARCH 0
#endif

/* Calls that are the same whatever their arguments. */
static const int calls[] = {
	SYS_read,
	SYS_readv,
	SYS_pread64,
	SYS_preadv,
	SYS_write,
	SYS_writev,
	SYS_pwrite64,
	SYS_pwritev,
	SYS_lseek,
	SYS_openat,
	SYS_close,
	SYS_dup,
	SYS_dup3,
	SYS_fcntl,
	SYS_fstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_statfs,
	SYS_fstatfs,
	SYS_faccessat,
	SYS_readlinkat,
	SYS_getdents64,
	SYS_getcwd,
	SYS_mkdirat,
	SYS_renameat,
	SYS_renameat2,
	SYS_unlinkat,
	SYS_linkat,
	SYS_ftruncate,
	SYS_fallocate,
	SYS_fchmod,
	SYS_fchmodat,
	SYS_fchown,
	SYS_fsync,
	SYS_fdatasync,
	SYS_flock,
	SYS_utimensat,
	SYS_umask,
	SYS_ppoll,
	SYS_pselect6,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_brk,
	SYS_futex,
	SYS_getrandom,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigpending,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_restart_syscall,
	SYS_setitimer,
	SYS_nanosleep,
	SYS_clock_nanosleep,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_gettimeofday,
	SYS_times,
	SYS_getrusage,
	SYS_sysinfo,
	SYS_uname,
	SYS_getpid,
	SYS_gettid,
	SYS_getppid,
	SYS_getpgid,
	SYS_getsid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_getgroups,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_wait4,
	SYS_exit,
	SYS_exit_group,
	/* With nothing permitted, capset can give nothing. */
	SYS_capget,
	SYS_capset,
	/* It only takes away: sys/write_only.h. */
	SYS_landlock_create_ruleset,
	SYS_landlock_add_rule,
	SYS_landlock_restrict_self,
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
#ifdef SYS_close_range
	SYS_close_range,
#endif
/* The forms that aarch64 never had. */
#ifdef SYS_open
	SYS_open,
	SYS_stat,
	SYS_lstat,
	SYS_access,
	SYS_readlink,
	SYS_dup2,
	SYS_mkdir,
	SYS_rmdir,
	SYS_rename,
	SYS_unlink,
	SYS_link,
	SYS_chmod,
	SYS_poll,
	SYS_select,
	SYS_time,
	SYS_alarm,
	SYS_getpgrp,
#endif
};

/* A call that is allowed where an argument has this value, or none of these bits. */
struct condition {
	int call;
	unsigned int argument; /* its number from 0; its lower 32 bits count */
	uint32_t value;
	bool without;
};

/* The filter, as it is built. */
struct filter {
	struct sock_filter code[4 * ARRAY_SIZE(calls) + 5 * CHILDREN_MAX];
	unsigned short n;
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOWER_HALF 0
#else
#define LOWER_HALF 4
#endif

static void filter_add(
	struct filter *filter, unsigned short code, uint32_t k, uint8_t yes, uint8_t no)
{
	filter->code[filter->n++] = (struct sock_filter){code, yes, no, k};
}

static void filter_load(struct filter *filter, size_t offset)
{
	filter_add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void filter_return(struct filter *filter, uint32_t what)
{
	filter_add(filter, BPF_RET | BPF_K, what, 0, 0);
}

static void filter_allow(struct filter *filter, int call)
{
	filter_add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
	filter_return(filter, SECCOMP_RET_ALLOW);
}

static void filter_allow_if(struct filter *filter, const struct condition *condition)
{
	filter_add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)condition->call, 0, 4);
	filter_load(filter,
		offsetof(struct seccomp_data, args) + condition->argument * sizeof(uint64_t) +
			LOWER_HALF);
	if (condition->without)
		filter_add(filter, BPF_JMP | BPF_JSET | BPF_K, condition->value, 1, 0);
	else
		filter_add(filter, BPF_JMP | BPF_JEQ | BPF_K, condition->value, 0, 1);
	filter_return(filter, SECCOMP_RET_ALLOW);
	filter_load(filter, offsetof(struct seccomp_data, nr));
}

/* What the C library asks for where it starts a thread, and nothing that starts a process. Of
 * clone3 no filter sees the flags: with ENOSYS the library takes clone. */
static void filter_allow_threads(struct filter *filter)
{
	const uint32_t flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND |
		CLONE_THREAD | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

	filter_allow_if(filter, &(struct condition){SYS_clone, 0, flags, false});
#ifdef SYS_clone3
	filter_add(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
	filter_return(filter, SECCOMP_RET_ERRNO | ENOSYS);
#endif
	filter_allow(filter, SYS_set_robust_list);
#ifdef SYS_rseq
	filter_allow(filter, SYS_rseq);
#endif
	filter_allow(filter, SYS_memfd_create);
}

/* Who still works for us can be told to end. */
static void filter_allow_children(struct filter *filter)
{
	pid_t children[CHILDREN_MAX];
	size_t n = child_all_of_ours(children), i;

	for (i = 0; i < n; i++)
		filter_allow_if(
			filter, &(struct condition){SYS_kill, 0, (uint32_t)children[i], false});
}

static void filter_make(struct filter *filter, int allow)
{
	const uint32_t opener = (uint32_t)opener_socket(), self = (uint32_t)getpid();
	const struct condition conditions[] = {
		{SYS_mmap, 2, PROT_EXEC, true},
		{SYS_mprotect, 2, PROT_EXEC, true},
		{SYS_ioctl, 1, TCGETS, false},
		{SYS_ioctl, 1, TIOCGWINSZ, false},
		{SYS_tgkill, 0, self, false}, /* abort() and raise() */
		{SYS_prlimit64, 0, 0, false},
		{SYS_prctl, 0, PR_CAPBSET_READ, false},
		{SYS_prctl, 0, PR_SET_NO_NEW_PRIVS, false},
		{SYS_sendmsg, 0, opener, false},
		{SYS_recvmsg, 0, opener, false},
	};
	size_t i;

	/* Numbers of calls are an architecture's own, and a process may use those of another. */
	filter_load(filter, offsetof(struct seccomp_data, arch));
	filter_add(filter, BPF_JMP | BPF_JEQ | BPF_K, SANDBOX_ARCH, 1, 0);
	filter_return(filter, SECCOMP_RET_ERRNO | EPERM);
	filter_load(filter, offsetof(struct seccomp_data, nr));
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		filter_allow(filter, calls[i]);
	for (i = 0; i < ARRAY_SIZE(conditions); i++)
		filter_allow_if(filter, &conditions[i]);
	if (allow & SANDBOX_TELLS) {
		filter_allow_if(filter, &(struct condition){SYS_socket, 0, AF_UNIX, false});
		filter_allow(filter, SYS_connect);
		filter_allow(filter, SYS_sendto);
	}
	if (allow & SANDBOX_WORKS)
		filter_allow_threads(filter);
	filter_allow_children(filter);
	filter_return(filter, SECCOMP_RET_ERRNO | EPERM);
}

/* A kernel without filters is no reason not to read a file. */
static void sandbox_filter(int allow)
{
	struct filter filter = {.n = 0};
	struct sock_fprog program = {.filter = filter.code};

	if (!SANDBOX_ARCH)
		return;
	filter_make(&filter, allow);
	program.len = filter.n;
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int sandbox_enter(int allow)
{
	static bool entered;
	int err;

	if (entered)
		return 0;
	if (allow & SANDBOX_READS)
		opener_start(CAPS_READ);
	err = caps_start(0);
	if (err)
		return err;
	sandbox_filter(allow);
	entered = true;
	return 0;
}
