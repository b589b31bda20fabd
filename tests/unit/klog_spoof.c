/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can anybody have the kernel write what counts as an error of the machine? He chooses the names of
 * programs, files, interfaces, control groups and labels, and the kernel quotes them. For each line
 * of the kernel's that quotes, the beginning of each pattern is put into the name, at every length
 * that a name has, and the rest of it into the file: such a line must not count.
 */
#include "base/banned.h"

#include <ctype.h>
#include <time.h>

#include "probe.h"
#include "base/str.h"
#include "tap.h"
#include "sources/kernel/klog.h"

#define NAME_MAX_CHARS 15 /* TASK_COMM_LEN and IFNAMSIZ, less the end */
#define LINE_MAX_BYTES 1024

/* NAME and FILE are chosen by whoever has the line written; field is what it may count in. */
struct quoting {
	int level;
	const char *format, *field;
};

static const struct quoting name_first[] = {
	/* Signals, on each processor's own words. */
	{6,
		"NAME[4711] bad frame in rt_sigreturn frame:3e3 ip:401 sp:8 orax:f in "
		"FILE[164a,401+78]",
		NULL},
	{6, "NAME[4711]: bad frame in setup_rt_frame: pc=0000aaaa sp=0000ffff in FILE[aaaa+1000]",
		NULL},
	{6, "NAME[4711]: segfault at 0 ip 0 sp 0 error 4 in FILE[55d0+1000] likely on CPU 1",
		"crashes"},
	{6, "NAME[4711]: segfault (11) at 0 nip 1 lr 2 code 1 in FILE[1000+2000]", "crashes"},
	{6, "NAME[4711]: unhandled exception: data abort, ESR 0x92000006, fault in FILE[a+1]",
		"crashes"},
	{6, "NAME[4711]: unhandled signal 11 code 0x1 at 0x0 in FILE[10000+1000]", "crashes"},
	{6, "FILE: NAME: potentially unexpected fatal signal 11.", "crashes"},
	{6, "NAME: potentially unexpected fatal signal 11.", NULL},
	{6, "NAME/4711: potentially unexpected fatal signal 11.", NULL},
	{6, "NAME/4711: reached RLIMIT_SIGPENDING, dropped signal 34", NULL},
	{6, "NAME: unhandled page fault (11) at 0x00000000, code 0x017", NULL},
	{6, "NAME(4711): unaligned access to 0x6000000000000001, ip=0x2000000000000000", NULL},
	{6, "NAME (4711): undefined instruction: pc=00010000", NULL},
	{6, "\"NAME\" (4711) uses deprecated CP15 Barrier instruction at 0x10000", NULL},
	/* System calls, and what is done in other ways by now. */
	{4,
		"NAME[4711] misaligned vsyscall (exploit attempt or buggy program) -- look up the "
		"vsyscall kernel parameter if you need a workaround ip:1 cs:33 sp:2 ax:0 si:0 di:0",
		NULL},
	{6, "NAME[4711] vsyscall attempted with vsyscall=none ip:1 cs:33 sp:2 ax:0 si:0 di:0",
		NULL},
	{3, "NAME[4711]: memfd_create() requires MFD_NOEXEC_SEAL with vm.memfd_noexec=2", NULL},
	{6, "NAME[4711]: memfd_create() called without MFD_EXEC or MFD_NOEXEC_SEAL set", NULL},
	{4, "NAME[4711] is installing a program with bpf_probe_write_user helper that may corrupt",
		NULL},
	{6, "NAME (4711): drop_caches: 3", NULL},
	{4, "NAME (4711): /proc/4711/oom_adj is deprecated, please use /proc/4711/oom_score_adj",
		NULL},
	{4, "NAME (4711): Using mlock ulimits for SHM_HUGETLB is obsolete", NULL},
	{4, "NAME (4711): VmData 4096 exceed data ulimit 1. Update limits.", NULL},
	{4, "NAME (4711): Attempt to access syslog with CAP_SYS_ADMIN but no CAP_SYSLOG", NULL},
	{4, "NAME (4711) uses deprecated remap_file_pages() syscall.", NULL},
	{4, "NAME(4711): Attempt to set a LOCK_MAND lock via flock(2).", NULL},
	{6, "NAME (4711) used greatest stack depth: 10000 bytes left", NULL},
	{6, "NAME uses obsolete (PF_INET,SOCK_PACKET)", NULL},
	{4, "NAME uses wireless extensions that are deprecated for modern drivers", NULL},
	{4,
		"NAME calls setitimer() with new_value NULL pointer. Misfeature support will be "
		"removed",
		NULL},
	{4, "NAME wrote to kernel/domainname when file position was not 0!", NULL},
	{4, "NAME using unsupported default IPA limit, upgrade your VMM", NULL},
	{4, "NAME: calling unsupported SCSI_IOCTL_SEND_COMMAND", NULL},
	{4, "NAME: sending ioctl 5310 to a partition!", NULL},
	{4, "NAME: 12 output lines suppressed due to ratelimiting", NULL},
	{4, "NAME: 12 callbacks suppressed", NULL},
	/* Memory and disks. */
	{4, "NAME invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0", NULL},
	{4, "NAME: page allocation failure: order:4, mode:0x40820(GFP_ATOMIC),cpuset=FILE,mems=0",
		"allocation_failures"},
	{4,
		"NAME: vmalloc error: size 8192, failed to allocate pages, "
		"mode:0xcc2,cpuset=FILE,mems=0",
		NULL},
	{1, "NAME: Corrupted page table at address 7f0000000000", NULL},
	{6, "NAME: attempt to access beyond end of device\\x0aloop0: rw=0, sector=8, limit=4",
		NULL},
	{4, "NAME/4711 is trying to acquire lock:", NULL},
	{6, "NAME:4711 map pfn expected mapping type write-back for [mem 0x1-0x2], got uncached",
		NULL},
	/* A kernel to come. */
	{3, "NAME says what no kernel has said so far", NULL},
	{4, "NAME: says what no kernel has said so far", NULL},
	{4, "NAME[4711] says what no kernel has said so far", NULL},
	{4, "NAME, says what no kernel has said so far", NULL},
	/* A crash of his own is his. */
	{6, "NAME of FILE says what no kernel has said so far", "crashes"},
};

/* Interfaces, which anybody has in a network namespace of his own: FILE is another one. */
static const struct quoting interfaces[] = {
	{6, "NAME: renamed from FILE", NULL},
	{6, "NAME: port 1(FILE) entered blocking state", NULL},
	{4, "NAME: received packet on FILE with own address as source address (addr:0, vlan:0)",
		NULL},
	{3, "NAME: hw csum failure", NULL},
	{3, "NAME: (slave FILE): Error: Device can not be enslaved while up", NULL},
	{4, "NAME: selects TX queue 9, but real number of TX queues is 1", NULL},
	{4, "NAME: dropped over-mtu packet: 1528 > 1500", "over_mtu"},
	{3, "NAME: says what no kernel has said so far", NULL},
	{4, "NAME says what no kernel has said of FILE so far", NULL},
};

static const struct quoting name_later[] = {
	{5, "audit: type=1400 audit(1.0:1): apparmor=\"DENIED\" name=\"FILE\" comm=\"NAME\"", NULL},
	{4, "process 'FILE' started with executable stack", NULL},
	{4, "process `NAME' is using obsolete setsockopt SO_BSDCOMPAT", NULL},
	{6, "warning: `NAME' uses 32-bit capabilities (legacy support in use)", NULL},
	{6, "cgroup: fork rejected by pids controller in FILE", "fork_rejected"},
	{4, "CPU: 0 UID: 1000 PID: 4711 Comm: NAME Not tainted 6.18.0 #1", NULL},
	{6, "task:NAME            state:D stack:0 pid:4711 ppid:1", NULL},
	{3, "INFO: task NAME:4711 is blocked on a mutex likely owned by task NAME:4712.",
		"lock_holders"},
	{6, "Tasks in FILE are going to be killed due to memory.oom.group set", NULL},
	{6, "Memory cgroup stats for FILE:", NULL},
	{6, "oom-kill:constraint=CONSTRAINT_MEMCG,task_memcg=FILE,task=NAME,pid=4711,uid=1000",
		NULL},
	{6, "oom_reaper: reaped process 4711 (NAME), now anon-rss:0kB, file-rss:0kB", NULL},
	{3, "Memory cgroup out of memory: Killed process 4711 (NAME) total-vm:1kB",
		"cgroup_oom_kills"},
	{6, "[   4711]  1000  4711    10000     1000   100      0    0    0     0     0 NAME",
		NULL},
	{4, "[NAME/4711] FS: loop0 File: FILE would truncate fibmap result", NULL},
	{3, "JBD2: NAME wants too many credits credits:1 rsv_credits:1 max:1", NULL},
	{3, "Memory failure: 0x1234: Sending SIGBUS to NAME:4711 due to hardware memory corruption",
		NULL},
	{4, "XFS (sda1): NAME(4711) possible memory allocation deadlock size 4096 in kmem_alloc",
		NULL},
	{4, "x86/split lock detection: #AC: NAME/4711 took a split_lock trap at address: 0x7f",
		"split_locks"},
	{6, "traps: NAME[4711] trap invalid opcode ip:0 sp:0 error:0 in FILE[1000+1000]",
		"crashes"},
	{3, "traps: NAME[4711] attempts to use CLI/STI, pretending it's a NOP, ip:0 in FILE[1+1]",
		NULL},
	{4, "umip: NAME[4711] ip:1 sp:2: SGDT instruction cannot be used by applications.", NULL},
	{6, "x86/PAT: NAME:4711 conflicting memory types 1-2 uncached<->write-back", NULL},
	{4, "netlink: 'NAME': attribute type 1 has an invalid length.", NULL},
	{6, "note: NAME[4711] exited with irqs disabled", NULL},
	{6, "futex_wake_op: NAME tries to shift op by 33; fix this program", NULL},
	{6, "coredump: 4711(NAME): over core_pipe_limit, skipping core dump", NULL},
	{4, "kernel read not supported for file FILE (pid: 4711 comm: NAME)", NULL},
	{4, "Direct I/O collision with buffered writes! File: FILE Comm: NAME", NULL},
	{3, "overlayfs: failed to resolve 'FILE': -2", NULL},
	{6, "BTRFS: device label FILE devid 1 transid 5 /dev/sdb1 scanned by NAME (4711)", NULL},
	{6, "UDF-fs: INFO Mounting volume 'FILE', timestamp 2026/11/22 10:00 (1000)", NULL},
	{6, "usb 1-1: Product: FILE", NULL},
	{6, "input: FILE as /devices/virtual/input/input9", NULL},
	{5, "scsi 6:0:0:0: Direct-Access     FILE     1.00 PQ: 0 ANSI: 4", NULL},
	{4, "usb 1-1: usbfs: process 4711 (NAME) did not claim interface 0 before use", NULL},
	{6, "hid-generic 0003:1:2.3: input,hidraw0: USB HID v1.11 Keyboard [FILE] on usb-1", NULL},
	{4, "ptrace attach of \"FILE\"[4711] was attempted by \"FILE\"[4712]", NULL},
	{3, "request_module: modprobe FILE cannot be processed, kmod busy with 50 threads", NULL},
	{6, "NVRM: Xid (PCI:0000:3b:00): 13, pid=4711, name=NAME, Graphics Exception", "gpu_xid"},
	{6, "NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:00): 13, pid=4711, name=NAME, x", "gpu_xid"},
};

/* What a pattern means: plain texts that fit it, the shortest one and one with blanks. */
static void write_sample(const char *pattern, bool blanks, struct str *out)
{
	static const char wildcards[] = "%~?@*&^";
	static const char *const shortest[] = {"s", "0", "7", "a", "", "", ""};
	static const char *const longer[] = {"sda", "x1", "48", "a b", " x ", "x y", "GPU-I:05 x"};

	str_clear(out);
	for (; *pattern && *pattern != '$'; pattern++) {
		const char *wildcard = strchr(wildcards, *pattern);

		if (wildcard)
			str_add(out, (blanks ? longer : shortest)[wildcard - wildcards]);
		else
			str_addc(out, *pattern);
	}
}

/* The line that the kernel writes where these are the names. */
static void write_line(
	const char *format, struct bytes name, struct bytes file, char *line, size_t *len)
{
	*len = 0;
	while (*format) {
		size_t n = strcspn(format, "NF");
		bool is_name = !strncmp(format + n, "NAME", 4);
		bool is_file = !strncmp(format + n, "FILE", 4);
		struct bytes put =
			is_name ? name : (struct bytes){file.data, is_file ? file.len : 0};

		if (!is_name && !is_file && format[n])
			n++;
		memcpy(line + *len, format, n);
		*len += n;
		if (put.len)
			memcpy(line + *len, put.data, put.len);
		*len += put.len;
		format += is_name || is_file ? n + 4 : n;
	}
}

struct attempt {
	const struct quoting *quoting;
	bool anywhere, interfaces;
	size_t lines, believed;
	struct str text;
};

/* As much of it as may be the name of an interface, if anything may. */
static bool cut_interface(struct bytes *name)
{
	size_t n = 0;

	while (n < name->len && n < NAME_MAX_CHARS && !strchr(" /:", name->data[n]))
		n++;
	name->len = n;
	return n > 0;
}

/* The pattern from byte begin on, split into a name and a file. */
static void try_split(struct attempt *attempt, size_t begin, size_t end)
{
	const struct quoting *quoting = attempt->quoting;
	const char *text = str_text(&attempt->text), *field;
	char line[LINE_MAX_BYTES];
	struct bytes name = {text + begin, end - begin};
	struct bytes file = {text + end, attempt->text.len - end}, instance;
	size_t len;

	if (attempt->interfaces && (!cut_interface(&name) || !cut_interface(&file)))
		return;
	write_line(quoting->format, name, file, line, &len);
	field = klog_line_field((struct bytes){line, len}, (uint64_t)quoting->level, &instance);
	attempt->lines++;
	if (!field || (quoting->field && !strcmp(field, quoting->field)))
		return;
	if (!attempt->believed++)
		printf("# %s: %.*s\n", field, (int)len, line);
}

/* Whether a name in this line comes right after that byte. */
static bool goes_on(const char *format, char before)
{
	const char *name = strstr(format, "NAME"), *file = strstr(format, "FILE");

	return (name && name > format && name[-1] == before) ||
		(file && file > format && file[-1] == before);
}

static void try_pattern(void *arg, const char *pattern)
{
	struct attempt *attempt = arg;
	int blanks;

	for (blanks = 0; blanks < 2; blanks++) {
		size_t at, len;

		write_sample(pattern, blanks, &attempt->text);
		len = attempt->text.len;
		for (at = 0; at <= NAME_MAX_CHARS && at <= len; at++)
			try_split(attempt, 0, at);
		/* Where words of the kernel's own stand for the beginning of the pattern. */
		for (at = 1; attempt->anywhere && at < len; at++)
			if (goes_on(attempt->quoting->format, str_text(&attempt->text)[at - 1]))
				try_split(attempt, at,
					len - at < NAME_MAX_CHARS ? len : at + NAME_MAX_CHARS);
		if (!strpbrk(pattern, "%~?@*&^"))
			break;
	}
}

static void try_all(const struct quoting *quotings, size_t n, bool anywhere, bool are_interfaces)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct attempt attempt = {.quoting = &quotings[i],
			.anywhere = anywhere,
			.interfaces = are_interfaces};

		klog_each_pattern(try_pattern, &attempt);
		ok(attempt.lines > 300 && !attempt.believed, "%zu of %zu lines are believed: %s",
			attempt.believed, attempt.lines, quotings[i].format);
		str_free(&attempt.text);
	}
}

/* A pattern fits the line that it was made for, so the lines above are as good as they can be. */
static void count_fitting(void *arg, const char *pattern)
{
	struct attempt *attempt = arg;
	struct bytes instance;
	size_t any = 0;

	write_sample(pattern, false, &attempt->text);
	attempt->lines++;
	attempt->believed +=
		klog_line_field((struct bytes){str_text(&attempt->text), attempt->text.len}, 0,
			&instance) != NULL;
	for (; *pattern; pattern++)
		any += *pattern == '*' || *pattern == '&';
	if (any > 1)
		attempt->lines += 1000;
}

static void test_samples(void)
{
	struct attempt attempt = {0};

	klog_each_pattern(count_fitting, &attempt);
	ok(attempt.believed > 120, "%zu patterns count what is made of them", attempt.believed);
	ok(attempt.lines < 1000, "no pattern has two wildcards for any text");
	str_free(&attempt.text);
}

/* Bytes that are not printable are written as four, so a name may be as long as sixty. */
static void test_escaped(void)
{
	struct str line = STR_INIT;
	struct bytes instance;
	int i;

	str_add(&line, "BUG: ");
	for (i = 5; i < NAME_MAX_CHARS; i++)
		str_add(&line, "\\x0a");
	str_add(&line, ": Corrupted page table at address 0");
	ok(!klog_line_field((struct bytes){str_text(&line), line.len}, 1, &instance),
		"a name of newlines is a name");
	str_free(&line);
}

static void parse(struct bytes text, struct sink *sink)
{
	struct klog *log = klog_new();

	klog_add(log, text);
	klog_put(log, sink);
	klog_free(log);
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* How long it takes to read a log of so many lines that quote, each another name. */
static double seconds_of(int lines, double *crashes)
{
	struct str text = STR_INIT;
	double began;
	int i;

	str_add(&text, "now_us 900000000\n");
	for (i = 0; i < lines; i++)
		str_addf(&text,
			i % 2 ? "6,%d,%d,-;%d[1]: segfault at 0 ip 0 sp 0 error 4\n"
			      : "3,%d,%d,-;NVRM: Xid (%d[1]: memfd_create() requires\n",
			i, i, i);
	began = cpu_seconds();
	*crashes = probe_value(parse, str_text(&text), "crashes");
	began = cpu_seconds() - began;
	str_free(&text);
	return began;
}

static void test_cost(void)
{
	double crashes, few = seconds_of(25000, &crashes), many = seconds_of(100000, &crashes);

	ok(crashes == 50000, "each line of a flood is counted (%g)", crashes);
	ok(many < 6 * few + 0.02, "four times the lines cost four times as much (%g s, %g s)", few,
		many);
}

int main(void)
{
	test_samples();
	try_all(name_first, ARRAY_SIZE(name_first), false, false);
	try_all(name_later, ARRAY_SIZE(name_later), true, false);
	try_all(interfaces, ARRAY_SIZE(interfaces), true, true);
	test_escaped();
	test_cost();
	probe_end();
	return tap_done();
}
