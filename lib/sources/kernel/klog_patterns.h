/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which line of the kernel's log belongs to which field?
 *
 * A line belongs to the first row that it fits: klog_fits.h says what a pattern means. Patterns
 * that begin with a letter cost next to nothing, those that begin with a wildcard are looked for in
 * every line. level is the least severe that counts, 0 (emergency) to 7 (debug): what drivers print
 * when they start ("CPU supports 32 MCE banks") is 6 and no error. A row without a field is for
 * lines that mean nothing here. Words of a pattern are whole: a recording without names keeps them
 * and no other.
 *
 * Anybody can have the kernel write a line that begins with 15 bytes of his own: a program's name
 * ("NAME[PID] bad frame in rt_sigreturn ... in FILE") or an interface's ("NAME: received packet on
 * PORT ..."), and more of them later in the line: a file, a control group, a label. So a row must
 * not be made whole by such bytes:
 *
 * - what a row says of its own is longer than 15 bytes, or holds what no name and no file can
 *   hold there: disks, CPUs and addresses are names, which no blank is in;
 * - what the kernel writes behind a program's name is known (klog_behind_names), and such a line
 *   counts in the rows about programs only, those with '@';
 * - lines that quote after words of the kernel's own come first.
 *
 * tests/unit/klog_spoof.c tries all of it with every row.
 */
#ifndef TUESDAY_SOURCES_KERNEL_KLOG_PATTERNS_H
#define TUESDAY_SOURCES_KERNEL_KLOG_PATTERNS_H

struct klog_row {
	const char *field;
	int level;
	const char *pattern;
};

/* What the kernel writes behind the name of a program that begins a line. */
static const char *const klog_behind_names[] = {
	/* with the number of the process: signals, traps, system calls that are no more */
	"[?] ",
	"[?]: ",
	" (?) ",
	" (?): ",
	"(?): ",
	"/? ",
	"/?: ",
	":? map pfn ",
	":? conflicting memory type",
	":? freeing invalid memtype ",
	":? /dev/mem expected mapping type ",
	/* and without */
	" invoked oom-killer: ",
	": page allocation failure: ",
	": vmalloc",
	": Corrupted page table at ",
	": unhandled page fault ",
	": attempt to access beyond end of device",
	": sending ioctl ",
	": calling unsupported SCSI_IOCTL_SEND_COMMAND",
	": ? output lines suppressed due to ratelimiting",
	": ? callbacks suppressed",
	" calls setitimer() with new_value NULL pointer",
	" uses obsolete (PF_INET,SOCK_PACKET)",
	" uses wireless extensions ",
	" using unsupported default IPA limit",
	" wrote to ",
	/* where the name of the file comes before that of the program */
	"*: potentially unexpected fatal signal ?.",
};

static const struct klog_row klog_rows[] = {
	/* What quotes programs, files, labels and names of devices after words of the kernel's own.
	 */
	{"fork_rejected", 6, "cgroup: fork rejected by pids controller in &"},
	{"audit_overflows", 4, "audit: backlog limit exceeded"},
	{NULL, 7, "audit: "},
	{NULL, 7, "process '"},
	{NULL, 7, "process `"},
	{NULL, 7, "warning: `"},
	{NULL, 7, "oom-kill:"},
	{NULL, 7, "oom_reaper: "},
	{NULL, 7, "Tasks in "},
	{NULL, 7, "Memory cgroup stats for "},
	{NULL, 7, "overlayfs: "},
	{NULL, 7, "coredump: "},
	{NULL, 7, "ptrace "},
	{NULL, 7, "request_module: "},
	{NULL, 7, "[*/?] FS: "},
	{NULL, 7, "kernel ~ not supported for file "},
	{NULL, 7, "Direct I/O collision with buffered writes! File: "},
	{NULL, 7, "BTRFS: device "},
	{NULL, 7, "UDF-fs: "},
	{NULL, 7, "input: "},
	{NULL, 7, "usb ~: "},
	{NULL, 7, "scsi ~: "},
	{NULL, 7, "hid-generic ~: "},
	{NULL, 7, "XFS (~): *) possible memory allocation deadlock "},
	/* Somebody has tried to mount what is no XFS. */
	{NULL, 7, "XFS (~): SB validate failed with error -22"},

	/* Programs. */
	{NULL, 7, "traps: @[?] attempts to use CLI/STI, "},
	{"crashes", 6, "traps: @[?] trap "},
	{"crashes", 6, "traps: @[?] general protection "},
	{"crashes", 6, "traps: @[?] control protection "},
	{"crashes", 6, "@[?]: segfault at "},
	{"crashes", 6, "@[?]: segfault (?) at "},
	{"crashes", 6, "@[?]: unhandled exception: "},
	{"crashes", 6, "@[?]: unhandled signal ? "},
	{"allocation_failures", 4, "@: page allocation failure"},
	{"cgroup_oom_kills", 4, "Memory cgroup out of memory: Killed process ? (@)"},
	{"cgroup_oom_kills", 4, "Memory cgroup out of memory: Kill process ? (@)"},
	{"oom_kills", 4, "Out of memory: Killed process ? (@)"},
	{"oom_kills", 4, "Out of memory: Kill process ? (@)"},
	{"hung_tasks", 4, "INFO: task & blocked for more than "},
	/* Of the locks that name their owner, since Linux 6.16. No '@': what is quoted behind a
	 * program's name could make up the rest. So an owner with blanks in its name is not seen.
	 */
	{"lock_holders", 4, "INFO: task *:? is blocked on a mutex likely owned by task %:?."},
	{"lock_holders", 4, "INFO: task *:? blocked on a semaphore likely last held by task %:?$"},
	{"lock_holders", 4,
		"INFO: task *:? <~> blocked on an rw-semaphore likely owned by task %:? <~>"},
	{"split_locks", 4, "x86/split lock detection: #AC: @/? took a split_lock trap"},
	/* Of the stack trace of a task that hangs: it waits for a program that watches files. */
	{"fanotify_hangs", 6, " fanotify_handle_event+0x"},
	{"fanotify_hangs", 6, " fanotify_get_response+0x"},

	/* The kernel itself. */
	{"soft_lockups", 4, "watchdog: BUG: soft lockup - CPU#% stuck"},
	{"soft_lockups", 4, "NMI watchdog: BUG: soft lockup - CPU#% stuck"},
	{"soft_lockups", 4, "BUG: soft lockup - CPU#% stuck"},
	{"hard_lockups", 4, "watchdog: Watchdog detected hard LOCKUP on cpu %"},
	{"hard_lockups", 4, "watchdog: CPU%: Watchdog detected hard LOCKUP"},
	{"hard_lockups", 4, "NMI watchdog: Watchdog detected hard LOCKUP on cpu %"},
	{"rcu_stalls", 4, "rcu: INFO: rcu_~ detected stalls"},
	{"rcu_stalls", 4, "rcu: INFO: rcu_~ detected expedited stalls"},
	{"rcu_stalls", 4, "rcu: INFO: rcu_~ self-detected stall"},
	{"rcu_stalls", 4, "INFO: rcu_~ detected stalls"},
	{"rcu_stalls", 4, "INFO: rcu_~ detected expedited stalls"},
	{"rcu_stalls", 4, "INFO: rcu_~ self-detected stall"},
	{"workqueue_lockups", 4, "BUG: workqueue lockup - "},
	{"workqueue_hogged", 4, "workqueue: & hogged CPU for >"},
	{"rt_throttled", 4, "sched: RT throttling activated"},
	{"sched_ext_errors", 4, "sched_ext: BPF scheduler \"%\" disabled ("},
	{"sched_ext_enabled", 6, "sched_ext: BPF scheduler \"%\" enabled"},
	{"long_interrupts", 6, "perf: interrupt took too long ("},
	{"long_interrupts", 4, "hrtimer: interrupt took ? ns"},
	{"long_interrupts", 6, "INFO: NMI handler (%) took too long to run: "},
	{"clocksource_unstable", 4, "clocksource: *Marking clocksource '%' as unstable"},
	{"clocksource_unstable", 6, "tsc: Marking TSC unstable"},
	{"irq_disabled", 4, "Disabling IRQ #%$"},
	/* "Oops: 0002 [#1]", "Oops: general protection fault, ...: 0000 [#1]", "Oops[#1]:". */
	{"oopses", 4, "Oops: ~ [#?]$"},
	{"oopses", 4, "Oops: ~ [#?] SMP"},
	{"oopses", 4, "Oops: ~ [#?] PREEMPT"},
	{"oopses", 4, "Oops: ~ [#?] NOPTI"},
	{"oopses", 4, "Oops: ~ ilc:? [#?]"},
	{"oopses", 4, "Oops: *: ~ [#?]$"},
	{"oopses", 4, "Oops: *: ~ [#?] SMP"},
	{"oopses", 4, "Oops: *: ~ [#?] PREEMPT"},
	{"oopses", 4, "Oops: *: ~ [#?] NOPTI"},
	{"oopses", 4, "Oops [#?]$"},
	{"oopses", 4, "Oops - * [#?]$"},
	{"oopses", 4, "Oops[#?]:$"},
	{"oopses", 4, "Internal error: * [#?]"},
	{"oopses", 4, "general protection fault: ~ [#?]"},
	{"oopses", 4, "general protection fault, *: ~ [#?]"},
	{"oopses", 4, "invalid opcode: ~ [#?]"},
	{"oopses", 4, "divide error: ~ [#?]"},
	{"oopses", 4, "stack segment: ~ [#?]"},
	{NULL, 7, "BUG: unable to handle "},
	{NULL, 7, "BUG: kernel NULL pointer dereference"},
	{NULL, 7, "kernel BUG at "},
	{"bugs", 4, "BUG: scheduling while atomic: "},
	{"bugs", 4, "BUG: scheduling in a non-blocking section: "},
	{"bugs", 4, "BUG: sleeping function called from "},
	{"bugs", 4, "BUG: assuming atomic context at "},
	{"bugs", 4, "BUG: assuming non migratable context at "},
	{"bugs", 4, "BUG: using smp_processor_id() in "},
	{"bugs", 4, "BUG: using __this_cpu_"},
	{"bugs", 4, "BUG: workqueue leaked "},
	{"bugs", 4, "BUG: KASAN: * in ~+0x"},
	{"bugs", 4, "BUG: KASAN: invalid-access"},
	{"bugs", 4, "BUG: KFENCE: * in ~+0x"},
	{"bugs", 4, "BUG: KFENCE: memory corruption"},
	{"bugs", 4, "BUG: KMSAN: * in ~+0x"},
	{"bugs", 4, "BUG: KCSAN: data-race in "},
	{"bugs", 4, "BUG: KCSAN: assert: race in "},
	{"bugs", 4, "BUG: Dentry ~{i="},
	{"bugs", 4, "BUG: mempool element poison mismatch"},
	{"bugs", 4, "BUG: MAX_~ too low!"},
	{"bugs", 4, "BUG: arch topology borken"},
	/* No name of a program that an ordinary user starts begins a line as grave as this. */
	{"bugs", 2, "BUG: "},
	{"warnings", 4, "WARNING: CPU: ? PID: ? at % "},
	{"warnings", 4, "WARNING: % at ~, CPU#"},
	{"warnings", 4, "WARNING: % at ~ [~], CPU#"},

	/* Hardware. Of a machine check, bit 61 of the status says that it could not be corrected.
	 */
	{"machine_checks_corrected", 4, "mce: [Hardware Error]: CPU %: Machine Check: ~ Bank ?: 8"},
	{"machine_checks_corrected", 4, "mce: [Hardware Error]: CPU %: Machine Check: ~ Bank ?: 9"},
	{"machine_checks_corrected", 4, "mce: [Hardware Error]: CPU %: Machine Check: ~ Bank ?: c"},
	{"machine_checks_corrected", 4, "mce: [Hardware Error]: CPU %: Machine Check: ~ Bank ?: d"},
	{"machine_checks", 4, "mce: [Hardware Error]: CPU %: Machine Check"},
	{"machine_checks_corrected", 6, "mce: [Hardware Error]: Machine check events logged"},
	{"machine_checks", 4, "[Hardware Error]: System Fatal error."},
	{"machine_checks", 4, "[Hardware Error]: Uncorrected, software "},
	{"machine_checks_deferred", 4, "[Hardware Error]: Deferred error"},
	{"firmware_errors_corrected", 6, "{~}[Hardware Error]: event severity: corrected"},
	{NULL, 7, "{~}[Hardware Error]: event severity: info"},
	{"firmware_errors", 6, "{~}[Hardware Error]: event severity: "},
	{"memory_corrected", 4, "EDAC %: ? CE ^on ^ ("},
	{"memory_uncorrected", 4, "EDAC %: ? UE ^on ^ ("},
	{"memory_failures", 4, "Memory failure: ~: recovery action for "},
	/* "Corrected", and "Correctable" since Linux 6.8; some kernels say "AER: " before. */
	{"pcie_corrected", 4, "~ %: PCIe Bus Error: severity=Corrected"},
	{"pcie_corrected", 4, "~ %: AER: PCIe Bus Error: severity=Corrected"},
	{"pcie_corrected", 4, "~ %: PCIe Bus Error: severity=Correctable"},
	{"pcie_corrected", 4, "~ %: AER: PCIe Bus Error: severity=Correctable"},
	{"pcie_uncorrected", 4, "~ %: PCIe Bus Error: severity=Uncorrected"},
	{"pcie_uncorrected", 4, "~ %: AER: PCIe Bus Error: severity=Uncorrected"},
	{"pcie_uncorrected", 4, "~ %: PCIe Bus Error: severity=Uncorrectable"},
	{"pcie_uncorrected", 4, "~ %: AER: PCIe Bus Error: severity=Uncorrectable"},
	{"iommu_faults", 4, "DMAR: [* Request device [%] "},
	{"iommu_faults", 4, "AMD-Vi: Event logged [IO_PAGE_FAULT device=% "},
	{"iommu_faults", 4, "~ %: AMD-Vi: Event logged [IO_PAGE_FAULT"},
	{"thermal_throttled", 5, "CPU%: Temperature above threshold"},
	{"thermal_throttled", 5, "CPU%: ~ temperature above threshold"},
	{"thermal_throttled", 5, "CPU%: ~ temperature is above threshold"},
	{"thermal_throttled", 5, "mce: CPU%: Temperature above threshold"},
	{"thermal_throttled", 5, "mce: CPU%: ~ temperature above threshold"},
	{"thermal_throttled", 5, "mce: CPU%: ~ temperature is above threshold"},
	{"thermal_critical", 4, "thermal %: *critical temperature reached"},
	{"thermal_critical", 4, "critical temperature reached"},
	/* "(PCI:0000:3b:00)", and of a part of a GPU "(PCI:0000:3b:00 GPU-I:05 GPU-CI:00)". */
	{"gpu_xid_hardware", 6, "NVRM: Xid (%): 48,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (%): 63,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (%): 64,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (%): 74,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (%): 79,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (%): 94,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (%): 95,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (%): 119,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (%): 120,"},
	{"gpu_xid", 6, "NVRM: Xid (%): ?, "},
	{"gpu_xid_hardware", 6, "NVRM: Xid (% GPU-^): 48,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (% GPU-^): 63,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (% GPU-^): 64,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (% GPU-^): 74,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (% GPU-^): 79,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (% GPU-^): 94,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (% GPU-^): 95,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (% GPU-^): 119,"},
	{"gpu_xid_hardware", 6, "NVRM: Xid (% GPU-^): 120,"},
	{"gpu_xid", 6, "NVRM: Xid (% GPU-^): ?, "},

	/* Disks. A discard or a write of zeroes that a disk refuses is done in another way. */
	{NULL, 7, "I/O error, dev ~, sector ~ op 0x3:(DISCARD)"},
	{NULL, 7, "I/O error, dev ~, sector ~ op 0x9:(WRITE_ZEROES)"},
	{NULL, 7, "critical target error, dev ~, sector ~ op 0x3:(DISCARD)"},
	{NULL, 7, "critical target error, dev ~, sector ~ op 0x9:(WRITE_ZEROES)"},
	{NULL, 7, "blk_update_request: * error, dev ~, sector ~ op 0x3:(DISCARD)"},
	{NULL, 7, "blk_update_request: * error, dev ~, sector ~ op 0x9:(WRITE_ZEROES)"},
	{"media_attached", 6, "%: detected capacity change from 0 to "},
	{"buffer_io_errors", 4, "Buffer I/O error on dev %,"},
	{"medium_errors", 4, "critical medium error, dev %, sector "},
	{"medium_errors", 4, "blk_update_request: critical medium error, dev %, sector "},
	{"medium_errors", 4, "print_req_error: critical medium error, dev %, sector "},
	{"io_errors", 4, "I/O error, dev %, sector "},
	{"io_errors", 4, "critical * error, dev %, sector "},
	{"io_errors", 4, "timeout error, dev %, sector "},
	{"io_errors", 4, "protection error, dev %, sector "},
	{"io_errors", 4, "recoverable transport error, dev %, sector "},
	{"io_errors", 4, "device offline error, dev %, sector "},
	{"io_errors", 4, "blk_update_request: * error, dev %, sector "},
	{"io_errors", 4, "print_req_error: * error, dev %, sector "},
	{"io_errors", 4, "end_request: * error, dev %, sector "},
	{"io_timeouts", 4, "nvme %: I/O * timeout"},
	{"io_timeouts", 4, "nvme %: controller is down"},
	{"io_timeouts", 4, "ata%: exception Emask * timeout"},
	{"disks_given_up", 4, "nvme %: Disabling device after reset failure"},
	{"disks_given_up", 4, "nvme %: Removing after probe failure"},
	{"disks_given_up", 6, "sd %: Device offlined - not ready after error recovery"},
	{"controller_resets", 4, "nvme %: * reset controller"},
	{"controller_resets", 4, "nvme %: resetting controller"},
	{"controller_resets", 4, "nvme %: starting error recovery"},
	{"iscsi_errors", 6, " connection%: detected conn error ("},
	{"fc_ports_lost", 4, " rport-%: blocked FC remote port time out"},
	{"ata_exceptions", 4, "ata%: exception Emask"},
	{"raid_failures", 4, "md/raid~: Disk failure on %,"},
	{"path_failures", 4, "device-mapper: multipath: *Failing path %."},
	{"thin_low", 4, "device-mapper: thin: %: reached low water mark"},
	{"thin_full", 4, "device-mapper: thin: %: switching pool to out-of-data-space"},

	/* File systems. */
	{"ext4_errors", 4, "EXT4-fs error (device %)"},
	{"ext4_warnings", 4, "EXT4-fs warning (device %)"},
	{"journal_aborts", 4, "Aborting journal on device %-8."},
	{"journal_aborts", 4, "Aborting journal on device %."},
	{"journal_errors", 4, "JBD2: Detected IO errors while flushing file data on %-8$"},
	{"journal_errors", 4, "JBD2: Detected IO errors while flushing file data on %"},
	{"remounted_read_only", 4, "EXT4-fs (%): Remounting filesystem read-only"},
	{"ext4_mounts", 6, "EXT4-fs (%): mounted filesystem"},
	{"ext4_remounts", 6, "EXT4-fs (%): re-mounted * r/w"},
	{"xfs_mounts", 5, "XFS (%): Mounting V"},
	{"xfs_shutdowns", 4, "XFS (%): * Shutting down filesystem"},
	{"xfs_shutdowns", 4, "XFS (%): * shutting down filesystem"},
	{"xfs_shutdowns", 4, "XFS (%): * been shut down"},
	{"xfs_errors", 4, "XFS (%): Internal error"},
	{"xfs_errors", 4, "XFS (%): * I/O error"},
	{"xfs_errors", 4, "XFS (%): writeback error"},
	{"xfs_errors", 4, "XFS (%): * error -"},
	{"xfs_errors", 4, "XFS (%): Metadata corruption"},
	{"xfs_errors", 4, "XFS (%): Corruption"},
	{"btrfs_errors", 4, "BTRFS error (device %: state "},
	{"btrfs_errors", 4, "BTRFS error (device % state"},
	{"btrfs_errors", 4, "BTRFS error (device %)"},
	{"btrfs_errors", 4, "BTRFS critical (device %: state "},
	{"btrfs_errors", 4, "BTRFS critical (device % state"},
	{"btrfs_errors", 4, "BTRFS critical (device %)"},
	{"btrfs_aborts", 4, "BTRFS: error (device %: state "},
	{"btrfs_aborts", 4, "BTRFS: error (device % state "},
	{"btrfs_aborts", 4, "BTRFS: error (device %)"},
	{"btrfs_checksum_errors", 4, "BTRFS warning (device %): csum failed"},
	{"nfs_not_responding", 5, "nfs: server % not responding"},
	{"nfs_answering", 5, "nfs: server % OK"},

	/* Network. */
	{"conntrack_full", 4, "nf_conntrack: table full"},
	{"conntrack_full", 4, "nf_conntrack: ~: table full"},
	{"neighbour_overflow", 6, "neighbour: %: neighbor table overflow"},
	{"tcp_out_of_memory", 6, "TCP: out of memory"},
	{"tcp_orphans", 6, "TCP: too many orphaned sockets"},
	{"syn_floods", 6, "TCP: request_sock_~: Possible SYN flooding on port &. Sending cookies"},
	{"syn_floods", 6, "TCP: request_sock_~: Possible SYN flooding on port &. Dropping request"},
	{"device_not_freed", 4, "unregister_netdevice: waiting for % to become free"},
	{"over_mtu", 4, "%: dropped over-mtu packet: "},
	{"over_mtu", 4, "dropped over-mtu packet: "},
	{"bond_legs_down", 6, "~: (slave %): link status definitely down"},
	{"bond_legs_down", 6, "~: link status definitely down for interface %,"},
	{"transmit_timeouts", 4, "NETDEV WATCHDOG: % (*transmit queue"},
	{"transmit_timeouts", 4, "NETDEV WATCHDOG: CPU: ?: % (*transmit queue"},
	{"transmit_timeouts", 4, "~ ~ %: NETDEV WATCHDOG: *transmit queue"},
	{"transmit_timeouts", 4, "%: NETDEV WATCHDOG: *transmit queue"},

	/* Limits. */
	{"file_max_reached", 6, "VFS: file-max limit "},
};

#endif
