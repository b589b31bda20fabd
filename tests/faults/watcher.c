/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does it look like to be watched? Each way has a child, "watched", that makes as many system
 * calls as it can: "run" leaves it alone; "trace" stops it at each of them, as strace does; "bpf
 * LOOPS" attaches a BPF program to every system call of the machine, which goes round LOOPS times
 * for those of the child, and with 0 there is no child; "burst" is the same, a few dozen
 * milliseconds of it and then a pause, as a report that is asked for again and again. "hold" has
 * stopped its child as a debugger does, and "scan" is a virus scanner that does not answer: its
 * child opens a file, and waits for it.
 */
#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "fault.h"

enum { CALLS = 100, PAUSE_NS = 100000, LOOPS_MAX = 100000, WAIT_NS = 1200000000 };
enum { BETWEEN_BURSTS_NS = 350000000 };
#define BURST_SECONDS 0.03

/* The name as the program compares it: its first four bytes. */
static const char watched[16] = "watched";

#define INSN(operation, to, from, offset, immediate) \
	((struct bpf_insn){.code = (operation), \
		.dst_reg = (to), \
		.src_reg = (from), \
		.off = (offset), \
		.imm = (immediate)})

static int program_load(int loops)
{
	int name;

	memcpy(&name, watched, sizeof(name));
	struct bpf_insn code[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, -16),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 16),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_comm),
		INSN(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, BPF_REG_10, -16, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_6, 0, 0, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_1, 0, 2, name),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_6, 0, 0, 1),
		INSN(BPF_JMP | BPF_JLT | BPF_K, BPF_REG_6, 0, -2, loops),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT};

	attr.insns = (__u64)(unsigned long)code;
	attr.insn_cnt = sizeof(code) / sizeof(*code);
	attr.license = (__u64)(unsigned long)"GPL";
	memcpy(attr.prog_name, "test_watch", sizeof("test_watch"));
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static void program_attach(int loops)
{
	union bpf_attr attr = {0};
	int program = program_load(loops);

	if (program < 0)
		fault_die("BPF_PROG_LOAD");
	attr.raw_tracepoint.name = (__u64)(unsigned long)"sys_enter";
	attr.raw_tracepoint.prog_fd = (__u32)program;
	if (syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr)) < 0)
		fault_die("BPF_RAW_TRACEPOINT_OPEN");
}

/* What a uprobe is put on. */
static __attribute__((noinline, used)) long watched_call(void)
{
	return syscall(SYS_getppid);
}

/* With a pause now and then, so that others have a CPU too. */
static _Noreturn void be_watched(void)
{
	int i;

	prctl(PR_SET_NAME, watched);
	for (;;) {
		for (i = 0; i < CALLS; i++)
			watched_call();
		fault_sleep_ns(PAUSE_NS);
	}
}

static _Noreturn void be_watched_in_bursts(void)
{
	double until;

	prctl(PR_SET_NAME, watched);
	for (;;) {
		for (until = fault_clock_seconds() + BURST_SECONDS; fault_clock_seconds() < until;)
			watched_call();
		fault_sleep_ns(BETWEEN_BURSTS_NS);
	}
}

/* A child that dies with its parent; first what it does before. */
static pid_t start_watched(int is_traced, int in_bursts, long seconds)
{
	pid_t child = fork();

	if (child < 0)
		fault_die("fork");
	if (child)
		return child;
	fault_bound(seconds);
	if (is_traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		fault_die("ptrace");
	if (is_traced)
		raise(SIGSTOP);
	if (in_bursts)
		be_watched_in_bursts();
	be_watched();
}

static _Noreturn void trace(pid_t child, int goes_on)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		fault_die("waitpid");
	ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL);
	fault_ready();
	while (!goes_on)
		pause();
	for (;;)
		if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) ||
			waitpid(child, &status, 0) != child)
			exit(0);
}

/* Only this file is watched, and whoever waits for an answer is let go with the scanner. */
static _Noreturn void scan(long seconds)
{
	char path[] = "/var/tmp/tuesday-watcher.XXXXXX";
	int file = mkstemp(path), fd = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY);

	if (file < 0 || fd < 0 ||
		fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, path) < 0)
		fault_die("fanotify");
	if (!fork()) {
		fault_bound(seconds);
		exit(open(path, O_RDONLY | O_CLOEXEC) < 0);
	}
	fault_sleep_ns(WAIT_NS);
	unlink(path);
	fault_ready();
	for (;;)
		pause();
}

static int is_one_of(const char *how, const char *const *ways)
{
	while (*ways && strcmp(how, *ways) != 0)
		ways++;
	return *ways != NULL;
}

int main(int argc, char **argv)
{
	static const char *const ways[] = {"bpf", "burst", "trace", "hold", "run", "scan", NULL};
	static const char *const tracers[] = {"trace", "hold", NULL};
	static const char *const programs[] = {"bpf", "burst", NULL};
	const char *how = argc == 4 ? argv[1] : "";
	long loops, seconds;

	if (!is_one_of(how, ways)) {
		fputs("usage: watcher bpf|burst|run|trace|hold|scan LOOPS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	loops = fault_number(argv[2], 0, LOOPS_MAX);
	seconds = fault_number(argv[3], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	if (!strcmp(how, "scan"))
		scan(seconds);
	if (is_one_of(how, tracers))
		trace(start_watched(1, 0, seconds), !strcmp(how, "trace"));
	if (is_one_of(how, programs))
		program_attach((int)loops);
	if (loops || !is_one_of(how, programs))
		start_watched(0, !strcmp(how, "burst"), seconds);
	fault_ready();
	for (;;)
		pause();
}
