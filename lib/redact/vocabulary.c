/* SPDX-License-Identifier: GPL-2.0-only */
/* Which words are no secret? */
#include "base/banned.h"

#include <ctype.h>

#include "base/str.h"
#include "redact/vocabulary.h"

/* Sorted by what they belong to; the order means nothing. */
static const char common[] =
	/* directories and files that are read */
	"proc sys dev etc usr bin sbin lib lib64 run var tmp mnt media srv opt home root boot efi "
	"host "
	"local share log spool cache self thread fs net kernel vm class block devices system cpu "
	"node "
	"bus pci module parameters queue statistics stat device dev virtual net0 pts ptmx shm "
	"mqueue "
	"hugepages hugetlb security tracing debug config fuse connections binfmt misc unified "
	"vmstat "
	"meminfo diskstats interrupts softirqs loadavg uptime mounts mountinfo mountstats mdstat "
	"swaps cmdline version filesystems partitions zoneinfo buddyinfo slabinfo schedstat "
	"pressure "
	"io memory irq some full total avg10 avg60 avg300 netstat snmp snmp6 sockstat sockstat6 "
	"softnet tcp tcp6 udp udp6 unix raw raw6 arp cache ndisc nf conntrack neigh default conf "
	"all "
	"ipv4 ipv6 core netfilter sem msg shm sysvipc key keys users random boot id hostname nfsfs "
	"volumes servers spl kstat zfs arcstats dmu tx txgs state jbd2 info ext4 xfs btrfs bcache "
	"statm cpuinfo cpulist cur base frequency drbd "
	"allocation devinfo error stats commit bonding slave slaves mii status thermal zone hwmon "
	"type "
	"temp "
	"trip point policy label resolv conf netns link error environment time task fd ns wchan "
	"comm "
	"exe cwd cgroup maps status statm attr sched children limits "
	"slice scope session service init ip port range tw reuse present possible isolated failcnt "
	"usage limit bytes control kmem "
	"current high low "
	"min cpuinfo cpulist "
	"events quota period cfs throttle service serviced recursive shares weight effective peak "
	"burst pressure reclaim numa swap oom group threads procs subtree "
	"edac mc dimm rank csrow ue ce noinfo "
	/* tracefs */
	"instances uprobe kprobe profile set per entries overrun read oldest event ts now "
	/* blobs */
	"trace sentinels listen mount task naps nap busy ran by time quota disk reclaim stopped "
	"frozen traced unknown futex oom klog dns qdisc ports soonest wait reserved runs package "
	"labels "
	"plugin "
	"socket owner list missing packet sockets nfnetlink queue connections cut "
	"openfiles inotify audit adjtimex clock process zombies "
	"bpfcost program watch serve ours others traced tracer readtime dma latency holder ebs "
	"ethtool sending "
	/* file systems and their options */
	"ext2 ext3 vfat msdos fat exfat ntfs ntfs3 iso9660 udf squashfs erofs cramfs f2fs nilfs2 "
	"jfs "
	"reiserfs hfs hfsplus overlay overlayfs tmpfs ramfs rootfs devtmpfs devpts sysfs proc "
	"procfs "
	"cgroup cgroup2 bpf pstore efivarfs debugfs tracefs securityfs configfs selinuxfs smackfs "
	"hugetlbfs nsfs sockfs pipefs binfmt fusectl fuseblk gvfsd lxcfs portal autofs nfs nfs4 "
	"nfsd "
	"cifs smb3 ceph glusterfs lustre gfs2 ocfs2 9p virtiofs zfs rpc pipefs rw ro suid nosuid "
	"dev "
	"nodev exec noexec relatime noatime strictatime nodiratime lazytime sync async dirsync "
	"mand "
	"seclabel shared master propagate from private unbindable errors remount continue panic "
	"emergency shutdown data ordered writeback journal discard nodiscard barrier nobarrier "
	"quota "
	"noquota usrquota grpquota prjquota attr2 inode64 inode32 logbufs logbsize swidth sunit "
	"user "
	"xattr acl noacl size nr inodes mode uid gid gids hidepid invisible rw memory "
	"recursiveprot "
	"nsdelegate favordynmods localevents cpuset cpuacct cpu blkio io pids devices freezer perf "
	"event "
	"net cls prio hugetlb rdma misc name systemd upperdir lowerdir workdir redirect dir index "
	"xino "
	"metacopy volatile on off nolock hard soft vers proto timeo retrans sec sys krb5 krb5i "
	"krb5p "
	"addr clientaddr mountaddr rsize wsize namlen acregmin acregmax acdirmin acdirmax local "
	"lock "
	"none fscache nconnect default permissions allow other blksize pgrp timeout minproto "
	"maxproto "
	"direct pipe ino space cache ssd subvol subvolid compress zstd lzo zlib force compr "
	/* block devices: also with numbers, and letters after these */
	"sd vd hd xvd nvme mmcblk boot rpmb dm md loop zram ram sr fd nbd rbd drbd bcache pmem mtd "
	"mtdblock scsi ata usb virtio controller host target QEMU VMware VBOX Msft Google Virt "
	"Virtual "
	"Amazon Elastic Block Store EC2 Instance Storage transport fc platform PersistentDisk card "
	"pd MSFT NVMe Accelerator HARDDISK Disk "
	"disk "
	"partition file Filename Type Size Used Priority zvol "
	/* Fibre Channel, iSCSI and DRBD, of which the states are judged */
	"rport Online Offline Linkdown Blocked Bypassed Diagnostics Marginal Deleted Present "
	"LOGGED FAILED FREE cs ro ds dw dr al bm pe ua ap ep wo oos api StandAlone Disconnecting "
	"Unconnected Timeout BrokenPipe NetworkFailure ProtocolError TearDown WFConnection "
	"WFReportParams Connected StartingSyncS StartingSyncT WFBitMapS WFBitMapT WFSyncUUID "
	"SyncSource SyncTarget PausedSyncS PausedSyncT VerifyS VerifyT Ahead Behind Unconfigured "
	"Primary Secondary Unknown Diskless Attaching Failed Negotiating Inconsistent Outdated "
	"DUnknown Consistent UpToDate "
	/* network interfaces */
	"lo eth wlan wwan bond team br veth docker virbr tun tap wg ppp sit ip6tnl tunl gre gretap "
	"erspan ip6gre ip vti ip6 ifb dummy ens eno enp macvlan macvtap ipvlan vlan vxlan geneve "
	"half "
	"up down unknown dormant duplex speed fq codel pfifo fast bfifo noqueue mq htb hfsc tbf "
	"sfq red "
	"cake netem ingress clsact drr prio fqcodel multiq etf taprio mqprio "
	/* what the kernel calls its threads */
	"kthreadd kworker ksoftirqd migration rcu gp par sched preempt exp tasks kthread trace "
	"rude "
	"kswapd kcompactd khugepaged ksmd kdevtmpfs khungtaskd oom reaper kauditd kblockd md edac "
	"poller "
	"watchdogd watchdog cpuhp idle inject ksoftirq napi threaded irq arc l2arc feed prune "
	"evict "
	"reap txg quiesce spa z wr rd int iss null issue nvme wq reset delete scsi eh tmf jbd2 "
	"xfsaild "
	"xfs buf conv inodegc blockgc cil log btrfs cleaner transaction worker endio loop "
	"kintegrityd "
	"kstrp mld ipv6 addrconf ecryptfs kthrotld writeback flush events highpri unbound mm "
	"percpu "
	"netns inet frag slub flushwq kvfree rcub rcuc rcuog rcuop slub pool workqueue release "
	"deferred "
	/* what files say */
	"always madvise never defer advise inherit performance powersave schedutil ondemand "
	"conservative userspace tsc hpet acpi pm xen kvm hyperv clocksource page refined jiffies "
	"arch sys counter online offline forceoff notsupported notimplemented enabled disabled yes "
	"no Y "
	"ATA vendor rotational runtime power suspended suspending resuming N y n true false max "
	"cubic bbr reno dctcp vegas "
	"westwood htcp bic illinois clean dirty "
	"active "
	"inactive readonly read auto write pending inconsistent resync recover check repair "
	"reshape "
	"frozen raid0 raid1 raid4 raid5 raid6 raid10 linear multipath personalities unused devices "
	"ONLINE DEGRADED FAULTED SUSPENDED UNAVAIL REMOVED OFFLINE integrity confidentiality nop "
	"function graph mitigations nameserver search domain options ndots attempts rotate edns0 "
	"trust ad inet6 single request reopen use tcp txg birth ndirty nread nwritten reads writes "
	"otime qtime wtime stime O Q S C W passive active hot critical x86 pkg acpitz coretemp "
	"k10temp "
	"cs ds oos ns dw dr al bm lo pe ua ap ep wo StandAlone Disconnecting Unconnected Timeout "
	"BrokenPipe "
	"NetworkFailure ProtocolError TearDown WFConnection WFReportParams Connected "
	"StartingSyncS StartingSyncT WFBitMapS WFBitMapT WFSyncUUID SyncSource SyncTarget "
	"PausedSyncS PausedSyncT VerifyS VerifyT Ahead Behind Diskless Attaching Failed "
	"Negotiating Inconsistent Outdated DUnknown Consistent UpToDate Primary Secondary "
	"Unknown Unconfigured "
	"transactions requested each blocks NV SERVER PORT DEV FSID FSC v2 v3 v4 sl local address "
	"remote st rx retrnsmt uid inode ref pointer drops kB bytes packets errs drop fifo frame "
	"compressed multicast colls carrier Inter face Receive Transmit NMI LOC SPU PMI IWI RTR "
	"RES CAL "
	"TLB TRM THR DFR MCE MCP HYP HRE HVS ERR MIS PIN NPI PIW CPU socket anon inode pipe mnt "
	"user "
	"uts ipc pid time eventpoll eventfd timerfd signalfd bpf io uring "
	/* releases of kernels */
	"generic amd64 x86_64 x86 64 arm64 aarch64 cloud lowlatency aws azure gcp virt server lts "
	"el7 "
	"el8 el9 fc deb rt rpi pve smp SMP PREEMPT preempt longterm standard "
	/* what a trace's results are called */
	"tuesday one text device instance who blamed victim process thread cgroup listener remote "
	"reason kworker peer interrupt disk EIO EAGAIN ENOMEM ENFILE EMFILE ENOSPC EROFS "
	"EADDRNOTAVAIL ENOBUFS EDQUOT "
	/* what our own messages say */
	"some processes do not show their network namespace namespaces even to root here other "
	"others "
	"need needs and run as no such file or directory permission denied operation permitted is "
	"not "
	"there are more than read the a of in for it this too few descriptors all raise limit "
	"ulimit "
	"only was were could be asked out exit failed signal ended by did end within s wrote KiB "
	"interrupted host container pid";

struct vocabulary {
	char **list;
	size_t n, room;
	bool sorted;
};

static int vocabulary_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c);
}

/* All runs of letters and digits. */
static void vocabulary_add_words(struct vocabulary *vocabulary, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *start;

		while (text < end && !is_word_char(*text))
			text++;
		start = text;
		while (text < end && is_word_char(*text))
			text++;
		if (text == start)
			continue;
		ARRAY_GROW(vocabulary->list, vocabulary->n, vocabulary->room);
		vocabulary->list[vocabulary->n++] = mem_strndup(start, (size_t)(text - start));
	}
}

static void sort(struct vocabulary *vocabulary)
{
	qsort(vocabulary->list, vocabulary->n, sizeof(*vocabulary->list), vocabulary_compare);
}

static void vocabulary_add_text(void *arg, const char *text)
{
	vocabulary_add_words(arg, text, strlen(text));
}

struct vocabulary *vocabulary_new(const struct word_source *words)
{
	struct vocabulary *vocabulary = mem_zalloc(sizeof(*vocabulary));

	vocabulary_add_text(vocabulary, common);
	words->each(vocabulary_add_text, vocabulary);
	sort(vocabulary);
	return vocabulary;
}

struct vocabulary *vocabulary_of_log(const struct word_source *words)
{
	struct vocabulary *vocabulary = mem_zalloc(sizeof(*vocabulary));

	words->each_of_log(vocabulary_add_text, vocabulary);
	vocabulary_add_text(vocabulary, "now us overwritten lost oldest");
	sort(vocabulary);
	return vocabulary;
}

void vocabulary_free(struct vocabulary *vocabulary)
{
	size_t i;

	if (!vocabulary)
		return;
	for (i = 0; i < vocabulary->n; i++)
		free(vocabulary->list[i]);
	free(vocabulary->list);
	free(vocabulary);
}

bool vocabulary_has(const struct vocabulary *vocabulary, const char *word, size_t len)
{
	size_t low = 0, high = vocabulary->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const char *known = vocabulary->list[middle];
		int order = strncmp(known, word, len);

		if (!order && !known[len])
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
