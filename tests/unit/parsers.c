/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are the numbers of /proc read by their names, whatever kernel wrote them, and left out where they
 * are not whole?
 */
#include "base/banned.h"

#include <linux/types.h>

#include "bpf/iter/task.h"
#include "probe.h"
#include "sources/task/cgroup_files.h"
#include "tap.h"
#include "sources/kernel/avc.h"
#include "sources/kernel/vmstat.h"
#include "sources/kernel/meminfo.h"
#include "sources/kernel/stat.h"
#include "sources/kernel/pressure.h"
#include "sources/kernel/interrupts.h"
#include "sources/net/softnet.h"
#include "sources/kernel/loadavg.h"
#include "sources/kernel/uptime.h"
#include "sources/kernel/zoneinfo.h"
#include "sources/block/swaps.h"
#include "sources/block/diskstats.h"
#include "sources/block/drbd.h"
#include "sources/block/stacked.h"
#include "sources/net/net_namespaces.h"
#include "sources/net/netdev.h"
#include "sources/common/value_files.h"
#include "sources/common/mountinfo.h"
#include "sources/block/jbd2.h"
#include "sources/block/nfs.h"
#include "sources/block/zfs_txgs.h"
#include "sources/task/reading.h"
#include "sources/task/task_walk.h"

#define KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void is(probe_parser parse, const char *text, const char *key, double expected,
	const char *sentence)
{
	double value = probe_value(parse, text, key);

	if (isnan(expected))
		ok(isnan(value), "%s: %s has no value", sentence, key);
	else
		ok(value == expected, "%s: %s is %g (%g)", sentence, key, expected, value);
}

static void test_vmstat(void)
{
	static const char text[] = "nr_free_pages 1095838\npgfault 9761177\nallocstall_normal 0\n";

	is(parse_vmstat, text, "pgfault", 9761177, "vmstat");
	is(parse_vmstat, text, "allocstall_normal", 0, "a counter at 0 is 0");
	is(parse_vmstat, text, "oom_kill", NAN, "a missing name is not 0");
	is(parse_vmstat, "pgfault 12", "pgfault", NAN, "a line that is not ended");
	is(parse_vmstat, "pgfault\npgmajfault 3\n", "pgmajfault", 3, "a line without a number");
	is(parse_vmstat, "pgfault 99999999999999999999999\n", "pgfault", NAN, "more than 64 bits");
	is(parse_vmstat, "pgfault 12x\n", "pgfault", NAN, "a number that goes on");
	is(parse_vmstat, "pgfault 0x12\n", "pgfault", NAN, "hexadecimal");
	ok(probe_cuts(parse_vmstat, text, KEYS("nr_free_pages", "pgfault", "allocstall_normal")),
		"vmstat cut anywhere gives whole numbers or none");
}

static void test_meminfo(void)
{
	static const char text[] = "MemTotal:       24684092 kB\nMemFree:         4383892 kB\n"
				   "Active(anon):       1556 kB\nHugePages_Total:       7\n";

	is(parse_meminfo, text, "MemTotal", 24684092.0 * 1024, "kB become bytes");
	is(parse_meminfo, text, "HugePages_Total", 7, "what has no unit stays");
	is(parse_meminfo, text, "Active_anon", 1556 * 1024, "parentheses have an alias");
	is(parse_meminfo, "MemFree: -5 kB\n", "MemFree", NAN, "less than nothing");
	is(parse_meminfo, text, "MemAvailable", NAN, "meminfo of Linux 3.13");
	is(parse_meminfo, "Strange: 5 MB\n", "Strange", NAN, "an unknown unit");
	is(parse_meminfo, "MemFree 5 kB\n", "MemFree", NAN, "a line without a colon");
	ok(probe_cuts(parse_meminfo, text,
		   KEYS("MemTotal", "MemFree", "Active_anon", "HugePages_Total")),
		"meminfo cut anywhere gives whole numbers or none");
}

static void test_swaps(void)
{
	static const char text[] = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
				   "/dev/sda2 partition\t2097148\t\t1024\t\t-2\n"
				   "/swap\\040file file\t100\t\t7\t\t-3\n";

	is(parse_swaps, text, "sda2.size_bytes", 2097148.0 * 1024, "swaps");
	is(parse_swaps, text, "sda2.used_bytes", 1024 * 1024, "swaps");
	is(parse_swaps, text, "sda2.priority", -2, "swaps");
	is(parse_swaps, text, "/swap\\040file.used_bytes", 7 * 1024, "a file has its path");
	is(parse_swaps, text, "Filename.size_bytes", NAN, "the heading is no swap");
	is(parse_swaps, "/dev/ partition 1 1 1\n", ".size_bytes", NAN, "a device without a name");
	is(parse_swaps, "/dev/sda2 partition 12x 1 1\n", "sda2.used_bytes", NAN, "no number");
	is(parse_swaps, "/dev/sda2 partition 12", "sda2.size_bytes", NAN, "a cut line");
	ok(probe_cuts(parse_swaps, text,
		   KEYS("sda2.size_bytes", "sda2.used_bytes", "/swap\\040file.used_bytes")),
		"swaps cut anywhere gives whole numbers or none");
}

static void test_stat(void)
{
	static const char text[] =
		"cpu  1000 200 300 4000 50 60 70 80 90 10\n"
		"cpu0 600 100 200 2000 20 30 40 50 60 5\n"
		"cpu13 400 100 100 2000 30 30 30 30 30 5\n"
		"intr 123456 1 2 3\nctxt 7807264\nbtime 1700000000\nprocesses 21\nprocs_running 2\n"
		"procs_blocked 1\nsoftirq 555 1 2 3\n";

	is(parse_stat, text, "cpu.user", 10, "time is in seconds");
	is(parse_stat, text, "cpu13.user", 4, "each CPU is an instance");
	is(parse_stat, text, "cpu.guest_nice", 0.1, "all ten columns are there");
	is(parse_stat, text, "cpu.busy", 17.1, "guest is not counted twice");
	is(parse_stat, text, "cpu.total", 57.6, "busy, idle and iowait are all the time");
	is(parse_stat, text, "ctxt", 7807264, "stat");
	is(parse_stat, text, "procs_blocked", 1, "stat");
	is(parse_stat, text, "softirq_total", 555, "stat");
	is(parse_stat, text, "intr_total", 123456, "stat");
	is(parse_stat, "cpu 1 2 3 4\n", "cpu.system", 0.03, "four columns");
	is(parse_stat, "cpu 1 2 3 4\n", "cpu.busy", NAN, "four columns do not tell");
	is(parse_stat, "cpu 1 2 3 4\n", "cpu.steal", NAN, "four columns");
	ok(probe_cuts(parse_stat, text,
		   KEYS("cpu.user", "cpu.busy", "cpu0.steal", "cpu13.total", "ctxt", "btime",
			   "processes", "procs_running")),
		"stat cut anywhere gives whole numbers or none");
}

static void test_pressure(void)
{
	static const char text[] = "some avg10=1.50 avg60=0.25 avg300=0.00 total=19906502\n"
				   "full avg10=0.00 avg60=0.00 avg300=0.00 total=77\n";

	is(parse_pressure, text, "some.total", 19906502, "pressure");
	is(parse_pressure, text, "some.avg10", 1.5, "an average has a fraction");
	is(parse_pressure, text, "full.total", 77, "pressure");
	is(parse_pressure, "some avg10=0.00 total=5\n", "full.total", NAN,
		"pressure of cpu before 5.13");
	is(parse_pressure, "some total=-\nsome total=\n", "some.total", NAN, "no digits");
	ok(probe_cuts(parse_pressure, text, KEYS("some.total", "some.avg10", "full.total")),
		"pressure cut anywhere gives whole numbers or none");
}

static void parse_disks(struct bytes text, struct sink *sink)
{
	parse_diskstats(text, sink, NULL, NULL);
}

static bool is_vda(void *arg, const char *device)
{
	(void)arg;
	return !strcmp(device, "vda");
}

static void parse_whole_disks(struct bytes text, struct sink *sink)
{
	parse_diskstats(text, sink, is_vda, NULL);
}

static void test_diskstats(void)
{
	static const char text[] =
		" 254       0 vda 10 1 800 40 20 2 1600 50 3 60 70 5 6 7 8 9 11\n"
		" 254       1 vda1 1 0 8 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
	static const char stacked[] = " 253 0 dm-0 10 1 800 40 20 2 1600 50 3 60 70\n"
				      " 7 0 loop0 10 1 800 40 20 2 1600 50 3 60 70\n"
				      " 252 0 zram0 10 1 800 40 20 2 1600 50 3 60 70\n";
	static const char old[] = " 104 0 cciss/c0d0 10 1 800 40 20 2 1600 50 3 60 70\n";

	is(parse_disks, text, "vda.reads", 10, "diskstats");
	is(parse_disks, text, "vda.write_ms", 50, "diskstats");
	is(parse_disks, text, "vda.in_flight", 3, "diskstats");
	is(parse_disks, text, "vda.weighted_io_ms", 70, "diskstats");
	is(parse_disks, text, "vda.discards", 5, "diskstats");
	is(parse_disks, text, "vda.flush_ms", 11, "diskstats of 5.5 and later");
	is(parse_disks, text, "vda.ios", 30, "ios are reads and writes");
	is(parse_disks, text, "vda.read_bytes", 800 * 512, "a sector is 512 bytes");
	is(parse_disks, text, "vda.lowest_read_bytes", 800 * 512, "what no other disk counts");
	is(parse_disks, stacked, "dm-0.read_bytes", 800 * 512, "dm reads as well");
	is(parse_disks, stacked, "dm-0.lowest_read_bytes", 0, "but the disk below counts it too");
	is(parse_disks, stacked, "loop0.lowest_read_bytes", 0, "so does that of a loop device");
	is(parse_disks, stacked, "zram0.lowest_read_bytes", 800 * 512, "below zram is none");
	is(parse_disks, text, "vda1.reads", 1, "without a filter partitions are there");
	is(parse_whole_disks, text, "vda1.reads", NAN, "with it they are not");
	is(parse_disks, old, "cciss/c0d0.io_ms", 60, "11 columns");
	is(parse_disks, old, "cciss/c0d0.flushes", NAN, "11 columns");
	is(parse_disks, "254 0 vda 1 2\n", "vda.ios", NAN, "2 columns");
	ok(probe_cuts(
		   parse_disks, text, KEYS("vda.reads", "vda.ios", "vda.flush_ms", "vda1.reads")),
		"diskstats cut anywhere gives whole numbers or none");
}

/* dm-0 is made of a partition and of a disk that has no row, dm-1 of nothing, md0p1 of nothing
 * known. */
static bool probe_beneath(void *arg, const char *device, struct bytes *names)
{
	static const char of_first[] = "sda1 sdz cciss/c0d0";

	(void)arg;
	*names = (struct bytes){of_first, strcmp(device, "dm-0") ? 0 : strlen(of_first)};
	return strcmp(device, "md0p1") != 0;
}

static void parse_probe_stacked(struct bytes text, struct sink *sink)
{
	parse_stacked(text, sink, probe_beneath, NULL);
}

static void test_stacked(void)
{
	static const char text[] = " 253 0 dm-0 10 1 800 400 20 2 1600 500 3 60 70\n"
				   " 253 1 dm-1 30 1 800 40 20 2 1600 50 3 60 70\n"
				   " 104 0 cciss/c0d0 1 0 800 2 3 0 8 4 0 0 0\n"
				   " 8 0 sda 100 1 800 1000 200 2 1600 5000 3 60 70\n"
				   " 8 1 sda1 5 1 800 6 7 2 1600 8 3 60 70\n"
				   " 9 1 md0p1 5 1 800 6 7 2 1600 8 3 60 70\n";

	is(parse_probe_stacked, text, "dm-0.reads", 10, "a disk that is made of others");
	is(parse_probe_stacked, text, "dm-0.write_ms", 500, "a disk that is made of others");
	is(parse_probe_stacked, text, "dm-0.below_reads", 6, "the sum of those that have a row");
	is(parse_probe_stacked, text, "dm-0.below_read_ms", 8, "the sum of those beneath");
	is(parse_probe_stacked, text, "dm-0.below_writes", 10, "a partition and not its disk");
	is(parse_probe_stacked, text, "dm-0.below_write_ms", 12, "the sum of those beneath");
	is(parse_probe_stacked, text, "dm-1.below_reads", 0,
		"0 is beneath what is made of nothing");
	is(parse_probe_stacked, text, "sda.reads", NAN, "a disk that is made of no other");
	is(parse_probe_stacked, text, "md0p1.reads", NAN, "a partition");
	is(parse_probe_stacked, "253 0 dm-0 1 2 3 4 5 6 7\n", "dm-0.reads", NAN, "7 columns");
	ok(probe_cuts(parse_probe_stacked, text, KEYS("dm-0.reads", "dm-0.write_ms")),
		"rows that are cut anywhere give whole numbers or none");
}

static void parse_own_netdev(struct bytes text, struct sink *sink)
{
	parse_netdev(text, sink, "", NULL, NULL);
}

static void parse_other_netdev(struct bytes text, struct sink *sink)
{
	parse_netdev(text, sink, "blue", NULL, NULL);
}

static void test_netdev(void)
{
	static const char text[] =
		"Inter-|   Receive                                                |  Transmit\n"
		" face |bytes    packets errs drop fifo frame compressed multicast|bytes    "
		"packets "
		"errs drop fifo colls carrier compressed\n"
		"    lo:    3267      29    0    0    0     0          0         0     3267      "
		"29    0"
		"    0    0     0       0          0\n"
		"eth0.100:47180793 1182 1 2 3 4 5 6 47946 609 7 8 9 10 11 12\n";

	is(parse_own_netdev, text, "lo.rx_bytes", 3267, "net/dev");
	is(parse_own_netdev, text, "eth0.100.rx_bytes", 47180793, "a name next to its number");
	is(parse_own_netdev, text, "eth0.100.rx_multicast", 6, "net/dev");
	is(parse_own_netdev, text, "eth0.100.tx_packets", 609, "net/dev");
	is(parse_own_netdev, text, "eth0.100.collisions", 10, "net/dev");
	is(parse_own_netdev, text, "eth0.100.tx_compressed", 12, "net/dev");
	is(parse_other_netdev, text, "blue/lo.tx_bytes", 3267, "another namespace is in the name");
	ok(probe_cuts(parse_own_netdev, text, KEYS("lo.rx_bytes", "eth0.100.tx_compressed")),
		"net/dev cut anywhere gives whole numbers or none");
}

static void parse_own_pairs(struct bytes text, struct sink *sink)
{
	parse_net_pairs(text, sink, "");
}

static void parse_own_snmp6(struct bytes text, struct sink *sink)
{
	parse_snmp6(text, sink, "");
}

static void parse_own_sockstat(struct bytes text, struct sink *sink)
{
	parse_sockstat(text, sink, "");
}

static void test_net(void)
{
	static const char pairs[] = "TcpExt: SyncookiesSent ListenOverflows ListenDrops\n"
				    "TcpExt: 0 12 13\n"
				    "Tcp: RtoAlgorithm MaxConn RetransSegs\nTcp: 1 -1 14\n";
	static const char sockstat[] =
		"sockets: used 14\nTCP: inuse 1 orphan 0 tw 2 alloc 1 mem 302\n"
		"FRAG: inuse 0 memory 5\n";

	is(parse_own_pairs, pairs, "TcpExt.ListenOverflows", 12, "net/netstat");
	is(parse_own_pairs, pairs, "Tcp.RetransSegs", 14, "net/snmp");
	is(parse_own_pairs, pairs, "Tcp.MaxConn", NAN, "what stands for no limit is no number");
	is(parse_own_pairs, pairs, "TcpExt.TCPReqQFullDrop", NAN, "an older kernel");
	is(parse_own_pairs, "TcpExt: A B\nIpExt: 1 2\n", "TcpExt.A", NAN,
		"values of something else");
	is(parse_own_pairs, "TcpExt: A B\nIpExt: C\nIpExt: 7\n", "IpExt.C", 7, "a lost line");
	is(parse_own_pairs, "TcpExt: A B C\nTcpExt: 1 2\n", "TcpExt.B", 2,
		"more names than values");
	is(parse_own_pairs, "TcpExt: A B C\nTcpExt: 1 2\n", "TcpExt.C", NAN,
		"more names than values");
	is(parse_own_pairs, "TcpExt: A B C\nTcpExt: 1 x 3\n", "TcpExt.C", NAN,
		"behind what is no number");
	is(parse_own_snmp6, "Ip6InReceives                   \t17\n", "Ip6InReceives", 17,
		"net/snmp6");
	is(parse_own_sockstat, sockstat, "TCP.tw", 2, "net/sockstat");
	is(parse_own_sockstat, sockstat, "TCP.mem", 302, "net/sockstat");
	is(parse_own_sockstat, sockstat, "FRAG.memory", 5, "net/sockstat");
	is(parse_own_sockstat, sockstat, "sockets.used", 14, "net/sockstat");
	ok(probe_cuts(parse_own_pairs, pairs,
		   KEYS("TcpExt.ListenDrops", "Tcp.RtoAlgorithm", "Tcp.RetransSegs")),
		"net/netstat cut anywhere gives whole numbers or none");
	ok(probe_cuts(parse_own_sockstat, sockstat, KEYS("TCP.tw", "FRAG.memory")),
		"net/sockstat cut anywhere gives whole numbers or none");
}

static void test_softnet(void)
{
	static const char v5_4[] = "00000030 00000000 00000002 00000000 00000000 00000000 00000000 "
				   "00000000 00000000 00000000 00000000\n"
				   "000004b4 00000001 00000000 00000000 00000000 00000000 00000000 "
				   "00000000 00000000 0000000a 0000000b\n";
	static const char v6_18[] =
		"000004b4 00000001 00000000 00000000 00000000 00000000 00000000 "
		"00000000 00000000 0000000a 0000000b 00000007 00000005 00000008 "
		"00000009\n";

	is(parse_softnet, v5_4, "cpu1.processed", 0x4b4, "softnet_stat of 5.4");
	is(parse_softnet, v5_4, "cpu0.time_squeeze", 2, "softnet_stat of 5.4");
	is(parse_softnet, v5_4, "cpu1.flow_limit", 11, "softnet_stat of 5.4");
	is(parse_softnet, v5_4, "cpu0.backlog_len", NAN, "softnet_stat of 5.4");
	is(parse_softnet, v6_18, "cpu5.dropped", 1, "softnet_stat of 6.18 names its CPU");
	is(parse_softnet, v6_18, "cpu5.backlog_len", 7, "softnet_stat of 6.18");
	is(parse_softnet, v6_18, "cpu5.process_qlen", 9, "softnet_stat of 6.18");
	ok(probe_cuts(parse_softnet, v5_4, KEYS("cpu0.processed", "cpu1.dropped")),
		"softnet_stat cut anywhere gives whole numbers or none");
}

static void test_interrupts(void)
{
	static const char text[] = "           CPU0       CPU2       \n"
				   " 24:          1          2  IO-APIC   5-edge      ACPI:Ged\n"
				   "RES:       5164       3946   Rescheduling interrupts\n"
				   "ERR:          9\n";
	static const char one_cpu[] = "           CPU0       \n 24: 1 IO-APIC 5-edge x\nERR: 9\n";
	static const char softirqs[] = "                    CPU0       CPU2       \n"
				       "      NET_RX:        558        870\n"
				       "         RCU:          1          2\n";

	is(parse_interrupts, text, "RES", 9110, "interrupts");
	is(parse_interrupts, text, "24.total", 3, "a line is an instance");
	is(parse_interrupts, text, "ERR", 9, "a line with one number for all CPUs");
	is(parse_interrupts, text, "cpu0.total", 5165, "which is no CPU's");
	is(parse_interrupts, text, "cpu2.cpu_total", 3948, "a CPU has the number of the header");
	is(parse_interrupts, one_cpu, "cpu0.total", 1, "nor on a machine with one CPU");
	is(parse_interrupts, text, "cpu1.total", NAN, "a CPU that is offline");
	is(parse_softirqs, softirqs, "NET_RX", 1428, "softirqs");
	is(parse_softirqs, softirqs, "cpu2.RCU", 2, "softirqs");
	ok(probe_cuts(parse_interrupts, text, KEYS("RES", "24.total", "ERR")),
		"interrupts cut anywhere give whole numbers or none");
	ok(probe_cuts(parse_softirqs, softirqs, KEYS("NET_RX", "cpu2.RCU")),
		"softirqs cut anywhere give whole numbers or none");
}

static void test_memory_zones(void)
{
	static const char buddy[] = "Node 0, zone      DMA      0      0      1\n"
				    "Node 1, zone   Normal    170    166      2\n";
	static const char zones[] =
		"Node 0, zone      DMA\n  per-node stats\n      nr_free_pages 5\n      high 77\n"
		"  pages free     3840\n        boost    0\n        min      60\n        low      "
		"75\n"
		"        high     90\n        promo    105\n        spanned  4095\n"
		"        present  3998\n        managed  3840\n        protection: (0, 3043, "
		"24013)\n"
		"      nr_free_pages 3840\n  pagesets\n    cpu: 0\n              count: 0\n"
		"              high:  0\n              low 1234\n  node_unreclaimable:  0\n"
		"Node 0, zone    DMA32\n  pages free     772917\n        min      11\n";

	is(parse_buddyinfo, buddy, "node1/Normal.order0", 170, "buddyinfo");
	is(parse_buddyinfo, buddy, "node1/Normal.free_pages", 170 + 332 + 8,
		"pieces add up to pages");
	is(parse_zoneinfo, zones, "node0/DMA.free", 3840, "zoneinfo");
	is(parse_zoneinfo, zones, "node0/DMA.low", 75, "page sets are no watermarks");
	is(parse_zoneinfo, zones, "node0/DMA.high", 90, "nor are statistics of the node");
	is(parse_zoneinfo, zones, "node0/DMA.managed", 3840, "zoneinfo");
	is(parse_zoneinfo, zones, "node0/DMA32.min", 11, "zoneinfo");
	is(parse_zoneinfo, zones, "node0/DMA32.low", NAN, "zoneinfo");
	ok(probe_cuts(parse_buddyinfo, buddy, KEYS("node0/DMA.free_pages", "node1/Normal.order2")),
		"buddyinfo cut anywhere gives whole numbers or none");
	ok(probe_cuts(parse_zoneinfo, zones,
		   KEYS("node0/DMA.free", "node0/DMA.low", "node0/DMA32.min")),
		"zoneinfo cut anywhere gives whole numbers or none");
}

/* 1 or 0, or -1 where it cannot be said. */
static void is_word(const char *text, const char *word, int expected, const char *sentence)
{
	bool found = false;
	bool said = parse_chosen_word((struct bytes){text, strlen(text)}, word, &found);

	ok((said ? found : -1) == expected, "%s: whether it is \"%s\"", sentence, word);
}

static void test_small(void)
{
	static const char load[] = "0.20 0.18 12.12 1/80 11206\n";
	double value;

	is(parse_loadavg, load, "load15", 12.12, "loadavg");
	is(parse_loadavg, load, "running", 1, "loadavg");
	is(parse_loadavg, load, "threads", 80, "loadavg");
	is(parse_loadavg, load, "last_pid", 11206, "loadavg");
	is(parse_uptime, "4838.18 9000.00\n", "uptime", 4838.18, "uptime");
	ok(probe_cuts(parse_loadavg, load, KEYS("load1", "load15", "threads")),
		"loadavg cut anywhere gives whole numbers or none");
	ok(parse_value((struct bytes){"128\n", 4}, 0, &value) && value == 128,
		"a file with a number");
	ok(parse_value((struct bytes){"-5\n", 3}, 0, &value) && value == -5, "a negative number");
	ok(parse_value((struct bytes){"0x1f\n", 5}, 0, &value) && value == 31,
		"a hexadecimal number");
	ok(!parse_value((struct bytes){"0x\n", 3}, 0, &value) &&
			!parse_value((struct bytes){"0x1g\n", 5}, 0, &value) &&
			!parse_value((struct bytes){"0x10000000000000000\n", 20}, 0, &value),
		"and what is none");
	ok(!parse_value((struct bytes){"2528\t0\t92", 9}, 2, &value),
		"a number that ends without its line may have been longer");
	ok(parse_value((struct bytes){"4096\t131072\t6291456\n", 20}, 2, &value) &&
			value == 6291456,
		"the third number");
	ok(!parse_value((struct bytes){"4096\t131072\n", 12}, 2, &value),
		"there is no third number");
	ok(!parse_value((struct bytes){"max\n", 4}, 0, &value), "a word is no number");
	ok(!parse_value((struct bytes){"[always] 1\n", 11}, 0, &value), "nor what follows it");
	ok(!parse_value((struct bytes){"0-3\n", 4}, 0, &value), "nor is a range");
	ok(!parse_value((struct bytes){"", 0}, 0, &value), "an empty file has none");
	ok(parse_named_value((struct bytes){"Node 0 MemFree:  12 kB\n", 23}, "MemFree", &value) &&
			value == 12,
		"a number by its name");
	ok(parse_named_value((struct bytes){"misses 4 7\nhits 4 12\n", 21}, "hits", &value) &&
			value == 12,
		"the last number of a line, as in kstat");
	ok(parse_numbered_value(
		   (struct bytes){"log 1 2\npush_ail 3 5 7\n", 23}, "push_ail", 1, &value) &&
			value == 5,
		"the second number behind its name");
	ok(!parse_numbered_value((struct bytes){"log 1 2\npush_ail 3 5 7\n", 23}, "log", 2, &value),
		"no third number where there are two");
	ok(!parse_named_value((struct bytes){"xhits 4 12\n", 11}, "hits", &value),
		"the whole name");
	is_word("always [madvise] never\n", "madvise", 1, "the chosen of three");
	is_word("always [madvise] never\n", "always", 0, "a word in front of the chosen one");
	is_word("always [madvise] never\n", "never", 0, "a word behind it");
	is_word("tsc hpet acpi_pm\n", "hpet", 1, "without brackets any word is there");
	is_word("tsc hpet acpi_pm\n", "acpi", 0, "but only as a whole");
	is_word("[]\n", "", 0, "nothing is chosen");
	is_word("", "tsc", -1, "an empty file");
	is_word("\n", "tsc", -1, "an empty line");
	is_word("no", "nop", -1, "a line that was cut");
	is_word("tsc\nhp", "tsc", -1, "text that was cut behind a line");
	is_word("\x7f"
		"ELF\n",
		"tsc", -1, "what is no text");
}

/* The rows of files by their name, as the source would choose them. */
static const struct cgroup_file *row;

static void parse_row(struct bytes text, struct sink *sink)
{
	row->parse(text, sink, "/a.b");
}

static void in_cgroup(enum cgroup_version version, const char *prefix, const char *text,
	const char *key, double expected)
{
	char full[128];
	size_t i;

	row = NULL;
	for (i = 0; i < cgroup_files_count && !row; i++)
		if (cgroup_files[i].version == version && !strcmp(cgroup_files[i].prefix, prefix))
			row = &cgroup_files[i];
	if (!ok(row != NULL, "v%d has a file for %s", version, prefix))
		return;
	snprintf(full, sizeof(full), "/a.b.%s", key);
	is(parse_row, text, full, expected, row->file);
}

static void test_cgroup_v2(void)
{
	static const char io[] = "254:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=9 dios=9\n"
				 "7:0 \n8:0 rbytes=10 wbytes=20 rios=30 wios=40\n";

	in_cgroup(CGROUP_V2, "cpu.stat.", "usage_usec 7\nnr_throttled 3\n", "cpu.stat.nr_throttled",
		3);
	in_cgroup(CGROUP_V2, "cpu.max.", "max 100000\n", "cpu.max.quota_usec", NAN);
	in_cgroup(CGROUP_V2, "cpu.max.", "max 100000\n", "cpu.max.period_usec", 100000);
	in_cgroup(CGROUP_V2, "cpu.max.", "50000 100000\n", "cpu.max.quota_usec", 50000);
	in_cgroup(CGROUP_V2, "memory.max", "max\n", "memory.max", NAN);
	in_cgroup(CGROUP_V2, "memory.max", "4096\n", "memory.max", 4096);
	in_cgroup(CGROUP_V2, "memory.max", "4096\n", "memory.max.set", 1);
	in_cgroup(CGROUP_V2, "memory.max", "max\n", "memory.max.set", 0);
	in_cgroup(CGROUP_V2, "memory.max", "nonsense\n", "memory.max.set", NAN);
	in_cgroup(CGROUP_V2, "memory.events.", "low 0\nmax 2\noom_kill 1\n",
		"memory.events.oom_kill", 1);
	in_cgroup(CGROUP_V2, "io.stat.", io, "io.stat.wbytes", 22);
	in_cgroup(CGROUP_V2, "io.stat.", io, "io.stat.rios", 33);
	in_cgroup(CGROUP_V2, "io.stat.", "", "io.stat.rios", 0);
	in_cgroup(CGROUP_V2, "io.pressure.",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00 total=4\n",
		"io.pressure.full.total", 4);
	in_cgroup(CGROUP_V2, "pids.max", "max\n", "pids.max", NAN);
}

static void test_cgroup_v1(void)
{
	static const char stat[] = "nr_periods 9\nnr_throttled 3\nthrottled_time 5000\n";
	static const char memory[] = "cache 1\nrss 2\nhierarchical_memory_limit 9\ntotal_cache 10\n"
				     "total_rss 20\ntotal_inactive_file 30\ntotal_swap 40\n";
	static const char io[] =
		"254:0 Read 1\n254:0 Write 2\n254:0 Total 3\n8:0 Read 10\nTotal 13\n";

	in_cgroup(CGROUP_V1, "cpu.stat.throttled_", stat, "cpu.stat.throttled_usec", 5);
	in_cgroup(CGROUP_V1, "cpu.stat.nr_", stat, "cpu.stat.nr_periods", 9);
	in_cgroup(CGROUP_V1, "cpu.stat.usage_", "7000\n", "cpu.stat.usage_usec", 7);
	in_cgroup(CGROUP_V1, "cpu.max.quota_", "-1\n", "cpu.max.quota_usec", NAN);
	in_cgroup(CGROUP_V1, "memory.max", "hierarchical_memory_limit 9223372036854771712\n",
		"memory.max", NAN);
	in_cgroup(CGROUP_V1, "memory.max", "hierarchical_memory_limit 9223372036854771712\n",
		"memory.max.set", 0);
	in_cgroup(CGROUP_V1, "memory.max", "hierarchical_memory_limit 4096\n", "memory.max", 4096);
	in_cgroup(CGROUP_V1, "memory.oom_control.", "oom_kill_disable 1\nunder_oom 1\n",
		"memory.oom_control.under_oom", 1);
	in_cgroup(CGROUP_V1, "memory.stat.", memory, "memory.stat.anon", 20);
	in_cgroup(CGROUP_V1, "memory.stat.", memory, "memory.stat.inactive_file", 30);
	in_cgroup(CGROUP_V1, "memory.stat.", memory, "memory.stat.rss", NAN);
	in_cgroup(CGROUP_V1, "memory.swap.current", memory, "memory.swap.current", 40);
	in_cgroup(CGROUP_V1, "memory.events.oom_kill",
		"oom_kill_disable 0\nunder_oom 0\noom_kill 6\n", "memory.events.oom_kill", 6);
	in_cgroup(CGROUP_V1, "io.stat.rbytes", io, "io.stat.rbytes", 11);
	in_cgroup(CGROUP_V1, "io.stat.wbytes", io, "io.stat.wbytes", 2);
}

static const char mountstats[] =
	"device proc mounted on /proc with fstype proc\n"
	"device filer:/home mounted on /home\\040two with fstype nfs4 statvers=1.1\n"
	"\topts:\trw,vers=4.2\n\tage:\t23\n\tevents:\t1 2 3\n"
	"\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
	"\txprt:\ttcp 0 0 2 0 17 120 118 0 120 0 2 0 0\n"
	"\txprt:\ttcp 0 0 2 0 17 10 10 0 120 0 2 0 0\n"
	"\tper-op statistics\n"
	"\t        NULL: 1 1 0 44 24 0 0 0 0\n"
	"\t        READ: 100 103 1 1000 5000 40 300 350 0\n"
	"\t       WRITE: 10 10 0 9000 500 60 200 270\n"
	"\t      COMMIT: 10 10 0 3000 500 0 300 300 0\n\n"
	"device old:/x mounted on /old with fstype nfs\n"
	"device tmpfs mounted on /tmp with fstype tmpfs\n"
	"\tper-op statistics\n\t READ: 5 5 5 5 5 5 5 5\n";

static void test_mountstats(void)
{
	static const char *const keys[] = {"/home two.ops", "/home two.transmissions",
		"/home two.major_timeouts", "/home two.queue_ms", "/home two.rtt_ms",
		"/home two.execute_ms", "/home two.write_ops", "/home two.write_sent_bytes",
		"/home two.write_execute_ms", "/home two.sends", "/home two.receives", "/old.ops",
		"/tmp.ops", NULL};
	static const double expected[] = {
		121, 124, 1, 100, 800, 920, 20, 12000, 570, 130, 128, NAN, NAN};
	double values[PROBE_KEYS];
	int i;

	probe_bytes(parse_mountstats, mountstats, strlen(mountstats), keys, values);
	for (i = 0; keys[i]; i++)
		ok(isnan(expected[i]) ? isnan(values[i]) : values[i] == expected[i],
			"mountstats: %s", keys[i]);
	ok(isnan(probe_value(parse_mountstats,
		   "device a:/ mounted on /a with fstype nfs\n\txprt: tcp 1 2 3\n\tper-op "
		   "statistics\n"
		   "\tREAD: 1 2 x\n\tWRITE: -1 1 1 1 1 1 1 1\n",
		   "/a.ops")),
		"mountstats: what is no number is left out");
}

static void parse_journal(struct bytes text, struct sink *sink)
{
	parse_jbd2(text, sink, "sda1");
}

static void test_jbd2(void)
{
	static const char text[] =
		"23 transactions (20 requested), each up to 8192 blocks\naverage: \n"
		"  0ms waiting for transaction\n  5000ms running transaction\n"
		"  12345us average transaction commit time\n  7 handles per transaction\n";
	static const char *const keys[] = {"sda1.transactions", "sda1.average_commit_us", NULL};
	double values[PROBE_KEYS];

	probe_bytes(parse_journal, text, strlen(text), keys, values);
	ok(values[0] == 23 && values[1] == 12345, "jbd2: transactions and the time of a commit");
	ok(probe_cuts(parse_journal, text, keys), "jbd2: a text that is cut gives no wrong number");
	ok(isnan(probe_value(parse_journal, "xus average\nus average\n-us average\n",
		   "sda1.average_commit_us")),
		"jbd2: what is no number is left out");
}

#define TXGS \
	"39 0 0x01 3 336 7 8\n" \
	"txg      birth  state ndirty nread nwritten reads writes otime qtime wtime stime\n" \
	"21 100 C 0 0 0 0 0 5 6 7 1000\n"

static void sum_txgs(struct txg_sum *sum, const char *text)
{
	parse_txgs((struct bytes){text, strlen(text)}, sum);
}

static void test_txgs(void)
{
	struct txg_sum sum = {0}, other = {0};

	sum_txgs(&sum, TXGS "22 105 S 0 0 0 0 0 5 6 7 0\n23 110 O 0 0 0 0 0 0 0 0 0\n");
	ok(sum.known && sum.count == 0 && sum.newest == 21, "txgs: what is there is the beginning");
	sum_txgs(&sum,
		TXGS "22 105 C 0 0 0 0 0 5 6 7 2000\n23 110 C 0 0 0 0 0 0 0 0 500\n24 115 O "
		     "0 0 0 0 0 0 0 0 0\n");
	ok(sum.count == 2 && sum.sync_ns == 2500 && sum.newest == 23,
		"txgs: the two that were finished since are added");
	sum_txgs(&sum, TXGS);
	ok(sum.count == 2, "txgs: none counts twice");
	sum_txgs(&sum,
		TXGS "30 1 C\n31 1 C 0 0 0 0 0 0 0 0 x\n-32 1 C 0 0 0 0 0 0 0 0 1\n33 1 C 0 0 0 0 "
		     "0 0 0 0 -1\n34 1 C 0 0 0 0 0 0 0 0 1");
	ok(sum.count == 2 && sum.newest == 23, "txgs: what is cut or no number is left out");
	sum_txgs(&other, "39 0 0x01\ntxg birth state\n21 100 C\n");
	sum_txgs(&other, "");
	ok(!other.known, "txgs: without its columns nothing is known");
}

struct mounts_seen {
	char text[512];
};

static void note_mount(void *arg, const struct mount_line *mount)
{
	struct mounts_seen *seen = arg;
	size_t len = strlen(seen->text);

	snprintf(seen->text + len, sizeof(seen->text) - len, "%u:%u %s on %s type %s (%s);",
		mount->major, mount->minor, mount->device, mount->point, mount->type,
		mount->super_options);
}

static bool mounts(const char *text, const char *expected)
{
	struct mounts_seen seen = {""};

	parse_mountinfo((struct bytes){text, strlen(text)}, note_mount, &seen);
	return !strcmp(seen.text, expected);
}

static bool older_mounts(const char *text, const char *expected)
{
	struct mounts_seen seen = {""};

	parse_mounts((struct bytes){text, strlen(text)}, note_mount, &seen);
	return !strcmp(seen.text, expected);
}

static void test_mounts(void)
{
	ok(older_mounts("/dev/root /mnt ext3 rw,noatime 0 0\nnone /a\\040b tmpfs rw 0 0\n",
		   "0:0 /dev/root on /mnt type ext3 (rw,noatime);0:0 none on /a b type tmpfs "
		   "(rw);"),
		"the older list of mounts has no device numbers");
	ok(older_mounts("none /a tmpfs\n\n/dev/root\n/dev/root / ext3 rw", ""),
		"lines of it that are wrong or cut are left out");
}

static void test_mountinfo(void)
{
	ok(mounts("36 35 98:0 / /mnt rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=x\n",
		   "98:0 /dev/root on /mnt type ext3 (rw,errors=x);"),
		"mountinfo with optional fields");
	ok(mounts("36 35 0:6 / /a\\040b\\012c\\134 rw - tmpfs none rw\n",
		   "0:6 none on /a b\nc\\ type tmpfs (rw);"),
		"octal escapes are decoded");
	ok(mounts("36 35 0:6 / /a\\04 rw - tmpfs none rw\n", "0:6 none on /a\\04 type tmpfs (rw);"),
		"half an escape is a text");
	ok(mounts("36 35 0:6 / /a\\000b rw - tmpfs none rw\n", ""),
		"a path with a 0 inside is none");
	ok(mounts("36 35 0:6 / /a rw tmpfs none rw\n36 35 0x6 / /a rw - t n rw\n36 35\n\n", ""),
		"lines that are wrong are left out");
}

static bool stat_line(const char *text, struct task_record *task)
{
	memset(task, 0, sizeof(*task));
	return parse_task_stat((struct bytes){text, strlen(text)}, task);
}

static void test_task(void)
{
	static const char stat[] = "42 (a) S 1) D 1 42 42 0 -1 4194560 1 2 3 4 150 250 0 0 39 19 1 "
				   "0 777 1 2 3 4 5 6 7 8 "
				   "0 0 0 0 0 0 0 17 1 0 5 0 0 0 0 0\n";
	struct task_record task;
	size_t n, whole = 0;

	ok(stat_line(stat, &task) && task.tid == 42 && !strcmp((char *)task.comm, "a) S 1"),
		"a name can hold what ends a name");
	ok(task.blocked && task.nice == 19 && task.policy == 5 && task.start == 777 &&
			task.flags == 4194560,
		"state, nice, policy, start and flags of a thread");
	ok(task.cpu_ns == 4000000000, "ticks become nanoseconds");
	ok(parse_task_schedstat((struct bytes){"561942 8 1\n", 11}, &task) &&
			task.cpu_ns == 561942 && task.run_delay_ns == 8 && task.timeslices == 1 &&
			(task.has & TASK_HAS_DELAY),
		"schedstat is more exact");
	task.has = 0;
	ok(!parse_task_schedstat((struct bytes){"0 0 0\n", 6}, &task) && !task.has,
		"a kernel without CONFIG_SCHED_INFO says nothing");
	ok(!stat_line("42 (x S 1 1 1\n", &task) && !stat_line("", &task) &&
			!stat_line("42 ()\n", &task),
		"what is no stat file is none");
	for (n = 0; n < strlen(stat); n++) {
		char *copy = strndup(stat, n);

		whole += stat_line(copy, &task);
		free(copy);
	}
	ok(!whole, "a stat file that is cut anywhere is none");
}

static void parse_drbd_devices(struct bytes text, struct sink *sink)
{
	parse_drbd(text, sink);
}

static void test_drbd(void)
{
	static const char text[] =
		"version: 8.4.11 (api:1/proto:86-101)\n"
		" 0: cs:WFConnection ro:Primary/Unknown ds:UpToDate/DUnknown C r---\n"
		"    ns:0 nr:0 dw:8 dr:664 al:8 pe:2 ua:0 ap:1 ep:1 wo:f oos:12\n"
		" 1: cs:Unconfigured\n"
		"    ns:9 pe:9 oos:9\n";

	is(parse_drbd_devices, text, "drbd0.disconnected", 1, "a lost connection");
	is(parse_drbd_devices, text, "drbd0.up_to_date", 1, "the disk here");
	is(parse_drbd_devices, text, "drbd0.peer_up_to_date", 0, "the disk there");
	is(parse_drbd_devices, text, "drbd0.out_of_sync", 12288, "KiB become bytes");
	is(parse_drbd_devices, text, "drbd0.waiting", 2, "requests that wait");
	is(parse_drbd_devices, text, "drbd1.waiting", NAN, "a device that is not set up");
	ok(probe_cuts(parse_drbd_devices, text, KEYS("drbd0.disconnected", "drbd0.out_of_sync")),
		"/proc/drbd cut anywhere gives whole numbers or none");
}

static void test_avc(void)
{
	static const char text[] = "lookups hits misses allocations reclaims frees\n"
				   "1000 900 100 100 5 7\n20 19 1 1 0 0\n";

	is(parse_avc, text, "lookups", 1020, "all CPUs together");
	is(parse_avc, text, "misses", 101, "all CPUs together");
	is(parse_avc, "lookups misses\n5 x\n", "lookups", NAN, "a line that is none");
	is(parse_avc, "lookups misses\n5 1\n6 2", "lookups", NAN, "a line that was cut");
}

/* No value that comes of it matters, only that nothing breaks. */
static struct bytes reading_text(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static void test_reading(void)
{
	struct reading reading = {0};

	ok(parse_process_io(reading_text("rchar: 700\nwchar: 1\nsyscr: 2\nsyscw: 3\n"
					 "read_bytes: 4096\nwrite_bytes: 5\n"),
		   &reading) &&
			reading.by_calls == 700 && reading.from_disk == 4096,
		"what a process read by its calls, and what came from a disk for that");
	ok(!parse_process_io(reading_text("rchar: 700\nread_bytes: 40"), &reading),
		"a line that was cut has no number");
	ok(!parse_process_io(reading_text(""), &reading), "nothing has none");
}

static void test_absurd(void)
{
	static const probe_parser all[] = {parse_vmstat, parse_meminfo, parse_stat, parse_pressure,
		parse_interrupts, parse_softirqs, parse_softnet, parse_loadavg, parse_uptime,
		parse_buddyinfo, parse_zoneinfo, parse_disks, parse_own_netdev, parse_own_pairs,
		parse_own_snmp6, parse_own_sockstat, parse_drbd_devices, parse_avc};
	static const char heads[][16] = {
		"cpu", "Node 0, zone ", "a:", "1 2 ", "  CPU0 CPU1\n", "some x="};
	char text[4096];
	double value;
	size_t i, k, c;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (k = 0; k < sizeof(heads) / sizeof(heads[0]); k++) {
			for (c = 0; c < 256; c += 5) {
				memset(text, (int)c, sizeof(text));
				memcpy(text, heads[k], strlen(heads[k]));
				text[2000] = ' ';
				text[2001] = '7';
				text[2002] = '\n';
				text[sizeof(text) - 1] = '\n';
				probe_bytes(all[i], text, sizeof(text), KEYS("x"), &value);
			}
		}
	}
	ok(true, "absurd bytes break nothing");
	is(parse_vmstat, "a\xff\xfe 5\npgfault 6\n", "pgfault", 6, "names that are no UTF-8");
}

int main(void)
{
	test_vmstat();
	test_drbd();
	test_avc();
	test_reading();
	test_meminfo();
	test_swaps();
	test_stat();
	test_pressure();
	test_diskstats();
	test_stacked();
	test_netdev();
	test_net();
	test_softnet();
	test_interrupts();
	test_memory_zones();
	test_small();
	test_cgroup_v2();
	test_cgroup_v1();
	test_mountinfo();
	test_mounts();
	test_txgs();
	test_jbd2();
	test_mountstats();
	test_task();
	test_absurd();
	probe_end();
	return tap_done();
}
