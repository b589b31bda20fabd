/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is the kernel's log read for what it says: errors of the kernel told from boot banners, from what
 * programs write there, and from what programs get quoted?
 */
#include "base/banned.h"

#include <fcntl.h>
#include <unistd.h>

#include "probe.h"
#include "base/str.h"
#include "tap.h"
#include "sources/kernel/klog.h"

#define KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void parse(struct bytes text, struct sink *sink)
{
	struct klog *log = klog_new();

	klog_add(log, text);
	klog_put(log, sink);
	klog_free(log);
}

static void is(const char *text, const char *key, double expected)
{
	double value = probe_value(parse, text, key);

	if (isnan(expected))
		ok(isnan(value), "%s has no value", key);
	else
		ok(value == expected, "%s is %g (%g)", key, expected, value);
}

/* One line of the kernel's, and the field that it must be counted in. */
static void counts(int level, const char *line, const char *key)
{
	char *text = mem_printf("%d,7,1000000,-;%s\n", level, line);
	double value = probe_value(parse, text, key);

	ok(value == 1, "%s: %s", key, line);
	free(text);
}

static void counts_not(int level, const char *line, const char *key)
{
	char *text = mem_printf("%d,7,1000000,-;%s\n", level, line);
	double value = probe_value(parse, text, key);

	ok(value == 0, "not %s: %s", key, line);
	free(text);
}

static void test_table(void)
{
	counts(3, "I/O error, dev sda, sector 8 op 0x0:(READ) flags 0x0", "sda.io_errors");
	counts(3, "blk_update_request: I/O error, dev nvme0n1, sector 0", "nvme0n1.io_errors");
	counts(3, "critical medium error, dev sdb, sector 99 op", "sdb.medium_errors");
	counts(3, "critical target error, dev sdb, sector 99 op", "sdb.io_errors");
	counts(3, "blk_update_request: critical medium error, dev sdb, sector 99",
		"sdb.medium_errors");
	counts(3, "Buffer I/O error on dev dm-0, logical block 0", "dm-0.buffer_io_errors");
	counts(4, "nvme nvme0: I/O tag 12 (1005) opcode 0x2 (Read) QID 3 timeout, aborting",
		"nvme0.io_timeouts");
	counts(2, "EXT4-fs error (device sda1): ext4_lookup:1785: inode #2: bad",
		"sda1.ext4_errors");
	counts(2, "BTRFS error (device sdb1 state EA): bdev /dev/sdb1 errs", "sdb1.btrfs_errors");
	counts(1, "XFS (dm-1): Metadata corruption detected at xfs_agf", "dm-1.xfs_errors");
	counts(1, "XFS (dm-1): Filesystem has been shut down due to log error", "xfs_shutdowns");
	counts(1, "XFS (dm-1): Log I/O Error Detected.  Shutting down filesystem", "xfs_shutdowns");
	counts(3, "INFO: task Web Content:812 blocked for more than 120 seconds.",
		"Web Content:812.hung_tasks");
	counts(3, "INFO: task Web Content:812 is blocked on a mutex likely owned by task tar:9:77.",
		"tar:9.lock_holders");
	counts(3,
		"INFO: task a:812 <reader> blocked on an rw-semaphore likely owned by task VLLM:1 "
		"<writer>",
		"VLLM.lock_holders");
	counts(3, "INFO: task a:812 blocked on a semaphore likely last held by task b/c:77",
		"b/c.lock_holders");
	counts(3, "Out of memory: Killed process 12 (a) b) total-vm:1kB", "oom_kills");
	counts(3, "Memory cgroup out of memory: Killed process 12 (stress) total-vm:1kB",
		"stress.cgroup_oom_kills");
	counts(3, "Out of memory: Kill process 12 (java) score 900 or sacrifice child",
		"java.oom_kills");
	counts(0, "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [kworker/3:1:99]",
		"3.soft_lockups");
	counts(3, "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", "rcu_stalls");
	counts(3, "rcu: INFO: rcu_sched self-detected stall on CPU", "rcu_stalls");
	counts(4, "workqueue: drm_fb_helper_damage_work hogged CPU for >10000us 4 times, consider",
		"drm_fb_helper_damage_work.workqueue_hogged");
	counts(4, "sched: RT throttling activated", "rt_throttled");
	counts(4, "nf_conntrack: nf_conntrack: table full, dropping packet", "conntrack_full");
	counts(4,
		"clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable "
		"because the skew is too large:",
		"tsc.clocksource_unstable");
	counts(0, "Disabling IRQ #16", "16.irq_disabled");
	counts(4, "Oops: 0002 [#1] PREEMPT SMP NOPTI", "oopses");
	counts(4, "Oops: general protection fault, maybe for address 0x0: 0000 [#1] SMP PTI",
		"oopses");
	counts(0, "Internal error: Oops: 96000004 [#1] SMP", "oopses");
	counts(1, "BUG: Bad page state in process cc1  pfn:12345", "bugs");
	counts(4, "WARNING: CPU: 1 PID: 99 at kernel/foo.c:12 bar+0x1/0x2",
		"kernel/foo.c:12.warnings");
	counts(4, "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0 (channel:0)",
		"MC0.memory_corrected");
	counts(0, "mce: [Hardware Error]: CPU 4: Machine Check Exception: 5 Bank 1: be00",
		"4.machine_checks");
	counts(4, "pcieport 0000:00:1c.0: PCIe Bus Error: severity=Corrected, type=Physical Layer",
		"0000:00:1c.0.pcie_corrected");
	counts(3, "Memory failure: 0x1234: recovery action for dirty LRU page: Recovered",
		"memory_failures");
	counts(3, "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.",
		"PCI:0000:3b:00.gpu_xid_hardware");
	counts(3, "NVRM: Xid (PCI:0000:3b:00): 31, pid=1, MMU Fault", "PCI:0000:3b:00.gpu_xid");
	counts(6, "foo[123]: segfault at 0 ip 0 sp 0 error 4 in foo", "foo.crashes");
	counts(6, "cgroup: fork rejected by pids controller in /a", "/a.fork_rejected");
	counts(2, "EXT4-fs (sda1): Remounting filesystem read-only", "sda1.remounted_read_only");
	counts(2, "BTRFS error (device sdb1: state EA): bdev /dev/sdb1 errs", "sdb1.btrfs_errors");
	counts(2, "BTRFS: error (device sdb1: state A) in btrfs_sync_log:3161",
		"sdb1.btrfs_aborts");
	counts(3, "Aborting journal on device dm-8-8.", "dm-8.journal_aborts");
	counts(3, "Aborting journal on device sdc1.", "sdc1.journal_aborts");
	counts(4, "JBD2: Detected IO errors while flushing file data on dm-8-8",
		"dm-8.journal_errors");
	counts(4, "JBD2: Detected IO errors while flushing file data on sdc1",
		"sdc1.journal_errors");
	counts(6, "EXT4-fs (sda2): mounted filesystem with ordered data mode.", "sda2.ext4_mounts");
	counts(6, "EXT4-fs (sda2): re-mounted 0-1-2 r/w.", "sda2.ext4_remounts");
	counts(5, "XFS (sda3): Mounting V5 Filesystem", "sda3.xfs_mounts");
	counts(5, "nfs: server filer OK", "filer.nfs_answering");
	counts(6, "loop3: detected capacity change from 0 to 131072", "loop3.media_attached");
	counts(4, "device-mapper: thin: 253:4: reached low water mark for data device",
		"253:4.thin_low");
	counts(0, "unregister_netdevice: waiting for vethb1 to become free. Usage count = 2",
		"vethb1.device_not_freed");
	counts(4, "net2: dropped over-mtu packet: 1528 > 1500", "net2.over_mtu");
	counts(3, "sched_ext: BPF scheduler \"lavd_1.0.4\" disabled (runnable task stall)",
		"lavd_1.0.4.sched_ext_errors");
	counts(6, "sched_ext: BPF scheduler \"simple\" enabled", "simple.sched_ext_enabled");
	counts(6,
		"perf: interrupt took too long (2543 > 2500), lowering "
		"kernel.perf_event_max_sample_rate to 78500",
		"long_interrupts");
	counts(4, "hrtimer: interrupt took 3103210 ns", "long_interrupts");
	counts(6, "INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.2 msecs",
		"perf_event_nmi_handler.long_interrupts");
	counts(3,
		"DMAR: [DMA Read NO_PASID] Request device [00:1e.3] fault addr 0xffffa000 [fault "
		"reason 0x06] PTE Read access is not set",
		"00:1e.3.iommu_faults");
	counts(3, "DMAR: [DMA Write] Request device [03:00.0] PASID ffffffff fault addr 0",
		"03:00.0.iommu_faults");
	counts(3,
		"ahci 0000:28:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0035 "
		"address=0x7fffff00000 flags=0x0000]",
		"0000:28:00.0.iommu_faults");
	counts(3, "AMD-Vi: Event logged [IO_PAGE_FAULT device=07:00.0 domain=0x0007 address=0xff]",
		"07:00.0.iommu_faults");
	counts(6, " connection1:0: detected conn error (1020)", "1:0.iscsi_errors");
	counts(3,
		" rport-2:0-3: blocked FC remote port time out: removing target and saving binding",
		"2:0-3.fc_ports_lost");
	counts(6, "bond0: (slave eth1): link status definitely down, disabling slave",
		"eth1.bond_legs_down");
	counts(6, "bond0: link status definitely down for interface ens4f0, disabling it",
		"ens4f0.bond_legs_down");
	counts(4, "nvme nvme0: I/O 12 QID 3 timeout, reset controller", "nvme0.io_timeouts");
	counts(4, "nvme nvme1: frozen state error detected, reset controller",
		"nvme1.controller_resets");
	counts(4, "nvme nvme0: Disabling device after reset failure: -19", "nvme0.disks_given_up");
	counts(6, "sd 2:0:0:0: Device offlined - not ready after error recovery",
		"2:0:0:0.disks_given_up");
	counts(3, "audit: backlog limit exceeded", "audit_overflows");
	counts(6, " fanotify_handle_event+0x1f4/0x3c0", "fanotify_hangs");
	counts(0, "[Hardware Error]: Uncorrected, software restartable error.", "machine_checks");
	counts(0, "[Hardware Error]: Deferred error, no action required.",
		"machine_checks_deferred");
	counts(6,
		"TCP: request_sock_TCP: Possible SYN flooding on port 443. Sending cookies.  Check",
		"443.syn_floods");
	counts(6,
		"TCP: request_sock_TCP: Possible SYN flooding on port 10.0.0.1:443. Dropping "
		"request.",
		"10.0.0.1:443.syn_floods");
	counts(4, "e1000 0000:00:03.0 eth0: NETDEV WATCHDOG: CPU: 1: transmit queue 0 timed out",
		"transmit_timeouts");
}

/* The same, as other kernels, processors and drivers say it. */
static void test_dialects(void)
{
	counts(4,
		"pcieport 0000:03:04.0: PCIe Bus Error: severity=Correctable, type=Physical Layer",
		"0000:03:04.0.pcie_corrected");
	counts(3, "alx 0000:05:00.0: AER: PCIe Bus Error: severity=Uncorrected (Fatal), type=Data",
		"0000:05:00.0.pcie_uncorrected");
	counts(3, "nvme 0000:01:00.0: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), type=Tr",
		"0000:01:00.0.pcie_uncorrected");
	counts(3, "NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:00): 94, pid=7194, Contained: CE",
		"PCI:0000:3b:00.gpu_xid_hardware");
	counts(3, "NVRM: Xid (PCI:0000:3b:00): 13, pid=1, name=x): 48, Graphics Exception",
		"PCI:0000:3b:00.gpu_xid");
	counts(0, "mce: [Hardware Error]: CPU 4: Machine Check: 0 Bank 9: 8c00004000010090",
		"4.machine_checks_corrected");
	counts(0, "mce: [Hardware Error]: CPU 4: Machine Check: 0 Bank 9: be00004000010090",
		"4.machine_checks");
	counts(6, "node[12]: unhandled exception: data abort (lower EL), ESR 0x92000006, level 2",
		"node.crashes");
	counts(6,
		"node[12]: unhandled signal 11 code 0x1 at 0x0000000000000000 in node[10000+1000]",
		"node.crashes");
	counts(6, "node[12]: segfault (11) at 0 nip 100 lr 100 code 1 in node[100+2000]",
		"node.crashes");
	counts(6, "traps: a[b] c[12] trap invalid opcode ip:0 sp:0 error:0 in c[0+1]",
		"a[b] c.crashes");
	counts(6, "traps: node[12] general protection fault ip:0 sp:0 error:0", "node.crashes");
	counts(0, "Oops [#1]", "oopses");
	counts(0, "Oops - illegal instruction [#2]", "oopses");
	counts(0, "Oops[#1]:", "oopses");
	counts(0, "Oops: 0004 ilc:2 [#1] SMP", "oopses");
	counts(0, "Oops: Kernel access of bad area, sig: 11 [#1]", "oopses");
	counts(1, "general protection fault, probably for non-canonical address 0x1: 0000 [#1] SMP",
		"oopses");
	counts(3, "BUG: scheduling while atomic: swapper/0/0/0x00000002", "bugs");
	counts(3, "BUG: sleeping function called from invalid context at mm/slab.h:494", "bugs");
	counts(3, "BUG: using smp_processor_id() in preemptible [00000001] code: a/12", "bugs");
	counts(3, "BUG: KASAN: double-free or invalid-free in kfree+0x12/0x90", "bugs");
	counts(3, "BUG: KCSAN: data-race in alloc_pid / copy_process", "bugs");
	counts(4,
		"BUG: Dentry 0000000012345678{i=2a,n=a b} still in use (1) [unmount of ext4 sda1]",
		"bugs");
	counts(0, "BUG: spinlock bad magic on CPU#1, swapper/0/1", "bugs");
	counts(4, "WARNING: fs/inode.c:417 at drop_nlink+0x1/0x2, CPU#1: rm/99",
		"fs/inode.c:417.warnings");
	counts(4, "WARNING: net/mac80211/x.c:7 at ieee80211_x+0x1/0x2 [mac80211], CPU#1: wpa/9",
		"net/mac80211/x.c:7.warnings");
	counts(4, "workqueue: drm_fb_helper_damage_work [drm_kms_helper] hogged CPU for >10000us 4",
		"drm_fb_helper_damage_work [drm_kms_helper].workqueue_hogged");
	counts(4, "nf_conntrack: table full, dropping packet.", "conntrack_full");
	counts(4, "device-mapper: multipath: Failing path 8:16.", "8:16.path_failures");
	counts(5, "CPU0: Temperature above threshold, cpu clock throttled (total events = 1)",
		"0.thermal_throttled");
	counts(2, "eth0: NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out 5000 ms",
		"eth0.transmit_timeouts");
	counts(2, "virtio_net virtio0 eth0: NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out",
		"eth0.transmit_timeouts");
	counts(4,
		"x86/split lock detection: #AC: CPU 0/KVM/12 took a split_lock trap at address: 0",
		"CPU 0/KVM.split_locks");
	counts(3,
		"XFS (sdc): metadata I/O error in \"xfs_read_agi+0x1/0x2 [xfs]\" at daddr 0x2 len "
		"1",
		"sdc.xfs_errors");
	counts(1, "XFS (sdc): log I/O error -5", "sdc.xfs_errors");
	counts(5, "nfs: server fe80::1%eth0 not responding, still trying",
		"fe80::1%eth0.nfs_not_responding");
}

static void test_not_errors(void)
{
	counts_not(6, "mce: CPU supports 32 MCE banks", "machine_checks");
	counts_not(6, "EDAC MC: Ver: 3.0.0", "memory_corrected");
	counts_not(6, "Btrfs loaded, zoned=yes", "btrfs_errors");
	counts_not(5, "random: 7 urandom warning(s) missed due to ratelimiting", "warnings");
	counts_not(3, "critical temperature of everything, dev sda", "io_errors");
	/* What a disk cannot do is done in another way. */
	counts_not(3, "I/O error, dev sda, sector 8 op 0x3:(DISCARD) flags 0x0", "io_errors");
	counts_not(
		3, "critical target error, dev sda, sector 8 op 0x9:(WRITE_ZEROES)", "io_errors");
	counts_not(6, "EXT4-fs (sda2): re-mounted 0-1-2 ro.", "ext4_remounts");
	/* A scheduler that somebody has taken away, and errors that were corrected. */
	counts_not(6, "sched_ext: BPF scheduler \"simple\" disabled (unregistered from user space)",
		"sched_ext_errors");
	counts_not(0, "[Hardware Error]: Corrected error, no action required.", "machine_checks");
	counts_not(6, "bond0: (slave eth1): link status definitely up, 10000 Mbps full duplex",
		"bond_legs_down");
	/* A program that is called so, and dies. */
	counts_not(6, "I/O error, dev [1]: segfault at 0 ip 0 sp 0 error 4", "io_errors");
	counts_not(6, "cgroup: fork rejected by pids controller in /BUG: soft lockup - CPU#1 stuck",
		"soft_lockups");
	counts_not(5, "audit: type=1400 comm=\"Oops: \" [Hardware Error]: event severity: fatal",
		"firmware_errors");
	/* What somebody wanted to mount is no XFS, and what the firmware tells is no error. */
	counts_not(4, "XFS (sdb): SB validate failed with error -22.", "xfs_errors");
	counts_not(4,
		"XFS (sdb): an I/O error(1) possible memory allocation deadlock size 8 in "
		"kmem_alloc",
		"xfs_errors");
	counts_not(0, "{1}[Hardware Error]: event severity: info", "firmware_errors");
	counts_not(
		3, "traps: vi[7] attempts to use CLI/STI, pretending it's a NOP, ip:1", "crashes");
	is("11,7,1000000,-;I/O error, dev sda, sector 8 op\n", "io_errors", 0);
	is("11,7,1000000,-;I/O error, dev sda, sector 8 op\n", "errors", 0);
	is("6,7,1000000,-;I/O error, dev sda, sector 8 op\n", "io_errors", 0);
	is("4,7,1000000,-;hello\n SUBSYSTEM=pci\n DEVICE=+pci:0000:00:03.0\n", "errors", 0);
}

#define IO "I/O error, dev sda, sector 8 op 0x0:(READ) flags 0x0\n"

static void test_counting(void)
{
	static const char text[] = "now_us 5000000\noverwritten 12\nlost 3\noldest_us 1000000\n"
				   "3,12,2000000,-;" IO "3,13,3500000,-,caller=T1;" IO
				   "3,14,4000000,-;something else\n";

	is(text, "io_errors", 2);
	is(text, "sda.io_errors", 2);
	is(text, "kernel.io_errors", 0);
	is(text, "io_errors_age_seconds", 1.5);
	is(text, "sda.io_errors_age_seconds", 1.5);
	is(text, "oopses", 0);
	is(text, "oopses_age_seconds", NAN);
	/* Where there was none, there was none for as long as the log reaches back. */
	is(text, "kernel.oopses_age_seconds", 4);
	is(text, "errors_age_seconds", 1);
	is("now_us 5000000\noldest_us 1000000\n", "errors_age_seconds", 4);
	is("now_us 5000000\n", "errors_age_seconds", NAN);
	is(text, "errors", 3);
	is(text, "overwritten", 12);
	is(text, "lost", 3);
	is(text, "oldest_age_seconds", 4);
	is("3,12,2000000,-;" IO "3,12,2000000,-;" IO "3,11,2000000,-;" IO, "io_errors", 1);
	is("3,12,2000000,-;" IO, "io_errors_age_seconds", NAN);
	is("now_us 1\n3,12,2000000,-;" IO, "io_errors_age_seconds", 0);
	is("now_us x\n3,99999999999999999999999,2,-;" IO, "io_errors", 0);
	is("3,12,2000000,-;I/O error, dev sda, sector ", "io_errors", 0);
	is("3,12;" IO, "io_errors", 0);
	ok(probe_cuts(parse, "3,12,2000000,-;" IO, KEYS("overwritten")),
		"a log cut anywhere is read");
}

#define CRASH "foo[1]: segfault at 0 ip 0 sp 0 error 4\n"

/* A minute apart, and the last three minutes ago. */
static void test_within(void)
{
	static const char text[] = "now_us 900000000\nrecords 40\n"
				   "6,1,540000000,-;" CRASH "6,2,600000000,-;" CRASH
				   "6,3,660000000,-;" CRASH "6,4,720000000,-;" CRASH;
	struct str many = STR_INIT;
	int i;

	is(text, "foo.crashes_in_10min", 4);
	is(text, "foo.crashes_in_4min", 2);
	is(text, "foo.crashes_in_1s", 0);
	is(text, "foo.crashes_in_365d", 4);
	is(text, "crashes_in_4min", 2);
	is(text, "kernel.crashes_in_10min", 0);
	is(text, "kernel.io_errors_in_1d", 0);
	is(text, "foo.crashes_in_fortnight", NAN);
	is(text, "foo.crashes_in_1dd", NAN);
	is(text, "foo.crash_in_1d", NAN);
	is("6,1,540000000,-;" CRASH, "foo.crashes_in_1d", NAN);
	is(text, "records", 40);
	is("now_us 5\n", "records", NAN);
	str_addf(&many, "now_us 9000000000\n");
	for (i = 0; i < 3000; i++)
		str_addf(&many, "6,%d,%d000000,-;" CRASH, i, 6000 + i);
	is(str_text(&many), "foo.crashes_in_60s", 60);
	is(str_text(&many), "foo.crashes_in_1d", 1024);
	is(str_text(&many), "foo.crashes", 3000);
	str_free(&many);
}

/* Who has a hundred names hides nobody: what comes when no more are told apart is the kernel's. */
static void test_many_names(void)
{
	struct str text = STR_INIT;
	int i;

	for (i = 0; i < 200; i++)
		str_addf(&text, "3,%d,%d,-;I/O error, dev sd%d, sector 8\n", i, i, i);
	is(str_text(&text), "io_errors", 200);
	is(str_text(&text), "sd5.io_errors", 1);
	is(str_text(&text), "sd150.io_errors", NAN);
	is(str_text(&text), "kernel.io_errors", 200 - 63);
	str_free(&text);
}

/* What a program writes to the log of this machine is no error of its kernel. */
static void test_live(void)
{
	static const char line[] = "<0>Disabling IRQ #231 I/O error, dev tuesday, sector 1";
	struct sweep *sweep = sweep_new();
	struct capture *fs = NULL;
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC), reference, mine;

	if (capture_open(&fs, "/", NULL))
		exit(1);
	reference = sweep_reference(sweep, "klog", "irq_disabled");
	mine = sweep_reference(sweep, "klog", "231.irq_disabled");
	sweep_open(sweep, fs);
	sweep_take(sweep);
	if (fd < 0 || write(fd, line, sizeof(line) - 1) < 0 ||
		isnan(sweep_value(sweep, reference, 0, 0))) {
		ok(true, "the log of this machine is read # SKIP not allowed here");
	} else {
		sweep_take(sweep);
		ok(sweep_value(sweep, reference, 1, 0) == sweep_value(sweep, reference, 0, 0) &&
				isnan(sweep_value(sweep, mine, 1, 0)),
			"a program that writes to the log is not the kernel");
	}
	if (fd >= 0)
		close(fd);
	sweep_free(sweep);
	capture_close(fs);
}

int main(void)
{
	test_table();
	test_dialects();
	test_not_errors();
	test_counting();
	test_within();
	test_many_names();
	test_live();
	probe_end();
	return tap_done();
}
