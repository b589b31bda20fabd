/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do the sources find the right files, on machines that are directories, and on this one:
 * partitions left out, both versions of control groups under one naming, every network namespace,
 * every thread?
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/types.h>
#include <math.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bpf/iter/task.h"
#include "sys/caps.h"
#include "capture/capture.h"
#include "sample/sweep.h"
#include "sample/source.h"
#include "loader/task_iterator.h"
#include "sources/task/task_walk.h"
#include "base/str.h"
#include "tap.h"
#include "tree.h"
#include "sample/instances.h"
#include "base/culprit.h"

/* A machine with one sample taken of some references. */
struct look {
	struct capture *fs;
	struct sweep *sweep;
	int references[16];
};

static void look_open(struct look *look, struct capture *fs, const char *const *names)
{
	int i;

	*look = (struct look){.fs = fs, .sweep = sweep_new()};
	for (i = 0; names[i]; i++) {
		char *source = mem_strdup(names[i]),
		     *key = *source == '/' ? NULL : strchr(source, ':');

		if (key)
			*key++ = 0;
		look->references[i] = sweep_reference(look->sweep, source, key ? key : "");
		free(source);
	}
	sweep_open(look->sweep, fs);
	sweep_take(look->sweep);
}

static void look_root(struct look *look, const struct tree *tree, const char *const *names)
{
	struct capture *fs = NULL;

	if (capture_open(&fs, tree->dir, NULL))
		exit(1);
	look_open(look, fs, names);
}

static void look_close(struct look *look)
{
	sweep_free(look->sweep);
	capture_close(look->fs);
}

static double value(const struct look *look, int i, const char *instance)
{
	const struct instances *set = sweep_instances(look->sweep, look->references[i]);
	long number = set ? instances_find(set, instance) : 0;
	size_t last = sweep_samples(look->sweep) - 1;

	if (number < 0)
		return NAN;
	return sweep_value(look->sweep, look->references[i], last, (size_t)number);
}

static bool is_class(const struct look *look, const char *instance, const char *expected)
{
	const char *class = sweep_class(look->sweep, look->references[0], instance);

	return expected ? class && !strcmp(class, expected) : !class;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void make_disk(const struct tree *tree, const char *name, const char *rotational,
	const char *model, const char *vendor)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/block/%s/queue/rotational", name);
	tree_write(tree, path, rotational);
	snprintf(path, sizeof(path), "sys/block/%s/dev", name);
	tree_write(tree, path, "8:16\n");
	if (model) {
		snprintf(path, sizeof(path), "sys/block/%s/device/model", name);
		tree_write(tree, path, model);
	}
	if (vendor) {
		snprintf(path, sizeof(path), "sys/block/%s/device/vendor", name);
		tree_write(tree, path, vendor);
	}
}

static void test_disks(void)
{
	static const char *const names[] = {"vda", "vda1", "sda", "sdb", "sdc", "nvme0n1",
		"nvme1n1", "loop0", "zram0", "dm-0", "md127", "cciss/c0d0", "zd16"};
	struct tree tree = tree_new();
	struct str text = STR_INIT;
	struct culprit culprit;
	struct look look;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		str_addf(&text, " 8 %zu %s %zu 0 0 0 0 0 0 0 0 0 0\n", i, names[i], i);
	tree_write(&tree, "proc/diskstats", str_text(&text));
	make_disk(&tree, "vda", "1\n", NULL, NULL);
	make_disk(&tree, "sda", "0\n", "SAMSUNG MZ7LH960\n", "ATA     \n");
	make_disk(&tree, "sdb", "1\n", "ST4000NM0035    \n", "ATA     \n");
	make_disk(&tree, "sdc", "1\n", "Virtual disk    \n", "VMware  \n");
	make_disk(&tree, "nvme0n1", "0\n", "INTEL SSDPE2KX040T8\n", NULL);
	make_disk(&tree, "nvme1n1", "0\n", "Amazon Elastic Block Store              \n", NULL);
	make_disk(&tree, "loop0", "0\n", NULL, NULL);
	make_disk(&tree, "zram0", "0\n", NULL, NULL);
	make_disk(&tree, "dm-0", "0\n", NULL, NULL);
	make_disk(&tree, "md127", "0\n", NULL, NULL);
	make_disk(&tree, "cciss!c0d0", "1\n", NULL, NULL);
	make_disk(&tree, "zd16", "0\n", NULL, NULL);
	look_root(&look, &tree, NAMES("diskstats:*.reads"));
	ok(value(&look, 0, "vda") == 0 && value(&look, 0, "sda") == 2, "disks have their numbers");
	ok(isnan(value(&look, 0, "vda1")), "a partition is no disk");
	ok(value(&look, 0, "cciss/c0d0") == 11, "a name with a slash is a directory with '!'");
	ok(is_class(&look, "vda", "virtual"),
		"a virtio disk is virtual although it says it rotates");
	ok(is_class(&look, "sda", "ssd") && is_class(&look, "sdb", "hdd"), "sd by its rotation");
	ok(is_class(&look, "sdc", "virtual"), "a hypervisor's SCSI disk is virtual");
	ok(is_class(&look, "nvme0n1", "nvme"), "an NVMe disk");
	ok(is_class(&look, "nvme1n1", "virtual"), "a cloud's NVMe volume is virtual");
	ok(is_class(&look, "zd16", "zvol"), "a volume of ZFS says that it is an SSD and is none");
	ok(is_class(&look, "loop0", "loop") && is_class(&look, "zram0", "zram") &&
			is_class(&look, "dm-0", "dm") && is_class(&look, "md127", "md"),
		"loop, zram, dm and md");
	ok(sweep_culprit(look.sweep, look.references[0], "sda", &culprit) &&
			!strcmp(culprit.kind, "device") && !strcmp(culprit.id, "8:16"),
		"a disk is a device with a number");
	look_close(&look);
	str_free(&text);
	tree_free(&tree);
}

static void test_paths(void)
{
	struct tree tree = tree_new();
	struct look look;

	tree_write(&tree, "sys/block/vda/queue/depth", "128\n");
	tree_write(&tree, "sys/block/vdb/queue/depth", "max\n");
	tree_write(&tree, "proc/sys/tcp_mem", "1\t2\t3\n");
	tree_write(&tree, "sys/node/node0/numastat", "numa_hit 5\nnuma_miss 7\n");
	look_root(&look, &tree,
		NAMES("/sys/block/*/queue/depth", "/proc/sys/tcp_mem", "/proc/sys/tcp_mem[2]",
			"/sys/node/node*/numastat[numa_miss]", "/proc/sys/absent"));
	ok(value(&look, 0, "vda") == 128, "what the star matched is the instance");
	ok(isnan(value(&look, 0, "vdb")), "a word is no value");
	ok(value(&look, 1, "") == 1, "the first number of a file");
	ok(value(&look, 2, "") == 3, "the third number of a file");
	ok(value(&look, 3, "0") == 7, "a number by its name");
	ok(isnan(value(&look, 4, "")), "a file that is not there has no value");
	look_close(&look);
	tree_free(&tree);
}

static void test_pressure_missing(void)
{
	struct tree tree = tree_new();
	struct str why = STR_INIT;
	struct look look;

	tree_mkdirs(&tree, "proc");
	look_root(&look, &tree, NAMES("pressure/cpu:some.total"));
	sweep_why_missing(look.sweep, look.references[0], &why);
	ok(strstr(str_text(&why), "CONFIG_PSI"), "a kernel without PSI is said to be one");
	look_close(&look);
	str_free(&why);
	tree_free(&tree);
}

#define V2_MOUNT "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNTS \
	"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" \
	"33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" \
	"40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n" \
	"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"

static const char *const cgroup_names[] = {"cgroup:*.memory.current", "cgroup:*.memory.max",
	"cgroup:*.cpu.stat.nr_throttled", "cgroup:*.cpu.stat.usage_usec",
	"cgroup:*.memory.pressure.full.total", "cgroup:/a.slice/b.service.memory.current", NULL};

static void test_cgroup_v2(void)
{
	struct tree tree = tree_new();
	struct look look;

	tree_write(&tree, "proc/self/mountinfo", V2_MOUNT);
	tree_write(&tree, "sys/fs/cgroup/cpu.stat", "usage_usec 9\n");
	tree_write(&tree, "sys/fs/cgroup/a.slice/memory.current", "8192\n");
	tree_write(&tree, "sys/fs/cgroup/a.slice/b.service/memory.current", "4096\n");
	tree_write(&tree, "sys/fs/cgroup/a.slice/b.service/memory.max", "max\n");
	tree_write(&tree, "sys/fs/cgroup/a.slice/b.service/cpu.stat",
		"usage_usec 5\nnr_throttled 2\n");
	tree_write(&tree, "sys/fs/cgroup/a.slice/b.service/memory.pressure",
		"some total=5\nfull total=3\n");
	look_root(&look, &tree, cgroup_names);
	ok(value(&look, 0, "/a.slice") == 8192 && value(&look, 0, "/a.slice/b.service") == 4096,
		"v2: groups are paths below the hierarchy");
	ok(isnan(value(&look, 1, "/a.slice/b.service")), "v2: no limit is no value");
	ok(value(&look, 2, "/a.slice/b.service") == 2, "v2: throttled");
	ok(value(&look, 3, "/") == 9, "v2: the root is /");
	ok(value(&look, 4, "/a.slice/b.service") == 3, "v2: pressure");
	ok(value(&look, 5, "") == 4096, "v2: one group by its name");
	look_close(&look);
	tree_free(&tree);
}

static void test_cgroup_of_copy(void)
{
	struct tree tree = tree_new();
	struct look look;

	tree_write(&tree, "proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n");
	tree_write(&tree, "sys/fs/cgroup/a.slice/memory.current", "8192\n");
	look_root(&look, &tree, cgroup_names);
	ok(value(&look, 0, "/a.slice") == 8192,
		"of a tree that has only /proc/mounts the hierarchy is found by that");
	look_close(&look);
	tree_free(&tree);
}

static void test_cgroup_limited(void)
{
	struct tree tree = tree_new();
	struct look look;

	tree_write(&tree, "proc/self/mountinfo", V2_MOUNT);
	tree_write(&tree, "sys/fs/cgroup/free/memory.max", "max\n");
	tree_write(&tree, "sys/fs/cgroup/free/memory.high", "max\n");
	tree_write(&tree, "sys/fs/cgroup/free/memory.pressure", "some total=5\nfull total=3\n");
	tree_write(&tree, "sys/fs/cgroup/high/memory.max", "max\n");
	tree_write(&tree, "sys/fs/cgroup/high/memory.high", "4096\n");
	tree_write(&tree, "sys/fs/cgroup/high/memory.pressure", "some total=5\nfull total=4\n");
	look_root(&look, &tree,
		NAMES("cgroup:*.memory.pressure.full.total", "cgroup:*.memory.max.set"));
	ok(isnan(value(&look, 0, "/free")), "v2: the pressure of a group without limit is left");
	ok(value(&look, 1, "/free") == 0, "v2: that it has none is known");
	ok(value(&look, 0, "/high") == 4, "v2: memory.high is a limit as well");
	look_close(&look);
	tree_free(&tree);
}

static void test_swaps(void)
{
	struct tree tree = tree_new();
	struct look look;

	tree_write(&tree, "proc/swaps",
		"Filename Type Size Used Priority\n/dev/sda2 partition 100 5 -2\n"
		"/dev/sdb1 file 100 5 -2\n");
	tree_write(&tree, "proc/diskstats",
		"   8       0 sda 500 0 4000 900 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		"   8       2 sda2 50 0 400 70 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		"   8      17 sdb1 50 0 400 70 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	look_root(&look, &tree, NAMES("swaps:*.read_ms", "swaps:*.used_bytes"));
	ok(value(&look, 0, "sda2") == 70, "swap: the reads of a partition are its own");
	ok(isnan(value(&look, 0, "sda")) && isnan(value(&look, 0, "sdb1")),
		"swap: what else a disk does is not swap");
	ok(value(&look, 1, "sda2") == 5 * 1024, "swap: how much is used");
	look_close(&look);
	tree_free(&tree);
}

static void test_cgroup_hybrid(void)
{
	struct tree tree = tree_new();
	struct look look;

	tree_write(&tree, "proc/self/mountinfo", V1_MOUNTS);
	tree_write(&tree, "sys/fs/cgroup/memory/a.slice/b.service/memory.usage_in_bytes", "4096\n");
	tree_write(&tree, "sys/fs/cgroup/memory/a.slice/b.service/memory.stat",
		"hierarchical_memory_limit 5000\n");
	tree_write(&tree, "sys/fs/cgroup/cpu,cpuacct/a.slice/b.service/cpu.stat",
		"nr_periods 5\nnr_throttled 2\nthrottled_time 3000\n");
	tree_write(&tree, "sys/fs/cgroup/cpu,cpuacct/a.slice/b.service/cpuacct.usage", "7000\n");
	tree_write(&tree, "sys/fs/cgroup/unified/a.slice/b.service/memory.pressure",
		"some total=5\nfull total=3\n");
	tree_write(&tree, "sys/fs/cgroup/unified/a.slice/b.service/cpu.stat", "usage_usec 1\n");
	look_root(&look, &tree, cgroup_names);
	ok(value(&look, 0, "/a.slice/b.service") == 4096, "v1: memory.current");
	ok(value(&look, 1, "/a.slice/b.service") == 5000, "v1: memory.max");
	ok(value(&look, 2, "/a.slice/b.service") == 2,
		"v1: throttled, of a hierarchy with two controllers");
	ok(value(&look, 3, "/a.slice/b.service") == 7,
		"v1 has the CPU, so v2 is not asked about it");
	ok(value(&look, 4, "/a.slice/b.service") == 3, "hybrid: pressure is of v2");
	look_close(&look);
	tree_free(&tree);
}

static void test_cgroup_depth(void)
{
	struct tree tree = tree_new();
	struct str path = STR_INIT, why = STR_INIT;
	struct look look;
	int i;

	str_add(&path, "sys/fs/cgroup");
	for (i = 0; i < 40; i++)
		str_add(&path, "/d");
	tree_write(&tree, "proc/self/mountinfo", V2_MOUNT);
	tree_mkdirs(&tree, str_text(&path));
	look_root(&look, &tree, NAMES("cgroup:*.memory.current"));
	sweep_why_missing(look.sweep, look.references[0], &why);
	ok(strstr(str_text(&why), "deeper"), "groups that are too deep are said not to be read");
	look_close(&look);
	str_free(&path);
	str_free(&why);
	tree_free(&tree);
}

static bool has_disk(const struct look *look)
{
	return value(look, 0, "/") > 0 && value(look, 1, "/") >= 0;
}

static void test_mount(void)
{
	struct tree tree = tree_new();
	struct capture *fs = NULL;
	struct culprit culprit;
	struct look look;
	double size;

	if (capture_open(&fs, "/", tree.dir))
		exit(1);
	look_open(
		&look, fs, NAMES("mount:*.size_bytes", "mount:*.avail_bytes", "mount:*.read_only"));
	if (isnan(value(&look, 0, "/"))) {
		ok(true, "the root file system has a size # SKIP it has none here");
		look_close(&look);
		tree_free(&tree);
		return;
	}
	size = value(&look, 0, "/");
	ok(has_disk(&look) && value(&look, 2, "/") <= 1, "the root file system has a size");
	ok(isnan(value(&look, 0, "/proc")), "/proc has none");
	ok(sweep_culprit(look.sweep, look.references[0], "/", &culprit) && *culprit.name,
		"a mount belongs to a device");
	look_close(&look);
	if (capture_open_replay(&fs, tree.dir))
		exit(1);
	look_open(
		&look, fs, NAMES("mount:*.size_bytes", "mount:*.avail_bytes", "mount:*.read_only"));
	ok(has_disk(&look) && value(&look, 0, "/") == size, "and has it in a replay");
	look_close(&look);
	tree_free(&tree);
}

static const char read_only_mounts[] =
	"1 0 8:1 / /asked ro,relatime - ext4 /dev/a ro\n"
	"2 0 8:2 / /failed rw,relatime - ext4 /dev/b ro,errors=remount-ro\n"
	"3 0 8:3 / /emergency rw,relatime - ext4 /dev/c rw,emergency_ro\n"
	"4 0 8:4 / /shutdown rw - ext4 /dev/d rw,shutdown,x\n"
	"5 0 8:5 / /well rw,root - ext4 /dev/e rw,no_emergency_ro,errors=remount-ro\n"
	"6 0 0:6 / / rw - overlay o ro,lowerdir=/a\n"
	"7 0 8:7 / /garbled rw - ext4 /dev/f rw\n"
	"8 0 8:8 / /view ro,relatime - ext4 /dev/g rw\n";

static void test_forced_read_only(void)
{
	struct tree tree = tree_new();
	struct capture *fs = NULL;
	struct look look;

	tree_write(&tree, "environment", "host test\n");
	tree_write(&tree, "0/time", "1000000000\n");
	tree_write(&tree, "0/proc/self/mountinfo", read_only_mounts);
	tree_write(&tree, "0/@mount",
		"0 9 9 9 9 9 1\n1 9 9 9 9 9 1\n2 9 9 9 9 9 0\n3 9 9 9 9 9 0\n4 9 9 9 9 9 0\n"
		"5 9 9 9 9 9 1\n6 9 9\n7 9 9 9 9 9 1\n99 9 9 9 9 9 1\n-1 9 9 9 9 9 1\nx\n");
	if (capture_open_replay(&fs, tree.dir))
		exit(1);
	look_open(&look, fs, NAMES("mount:*.forced_read_only", "mount:*.read_only"));
	ok(value(&look, 0, "/asked") == 0 && value(&look, 1, "/asked") == 1,
		"who asks for a read-only mount has it");
	ok(value(&look, 0, "/failed") == 1, "a file system that turned read-only was forced");
	ok(value(&look, 0, "/emergency") == 1 && value(&look, 0, "/shutdown") == 1,
		"so was one that says that it has stopped");
	ok(value(&look, 0, "/well") == 0, "an option that only looks like it is none");
	ok(isnan(value(&look, 0, "/")) && value(&look, 1, "/") == 1,
		"an overlay can be read-only by nature");
	ok(isnan(value(&look, 0, "/garbled")), "half an answer is none");
	ok(value(&look, 0, "/view") == 0 && value(&look, 1, "/view") == 0,
		"what is read-only only here may still be filled by others");
	look_close(&look);
	tree_free(&tree);
}

/* 1025 file systems, of which the last one is not asked; with another name for the last but one. */
static void test_too_many_mounts(void)
{
	struct tree tree = tree_new();
	struct capture *fs = NULL;
	struct str text = STR_INIT;
	const char *partial;
	struct look look;
	int i;

	for (i = 0; i < 1025; i++)
		str_addf(&text, "%d 0 9:%d / /m%d rw - ext4 /dev/a rw\n", i + 1, i, i);
	tree_write(&tree, "environment", "host test\n");
	tree_write(&tree, "0/time", "1000000000\n");
	tree_write(&tree, "0/proc/self/mountinfo", str_text(&text));
	tree_write(&tree, "0/@mount", "0 9 9 9 9 9 0\n1023 9 9 9 9 9 0\n1024 9 9 9 9 9 0\n");
	if (capture_open_replay(&fs, tree.dir))
		exit(1);
	look_open(&look, fs, NAMES("mount:*.size_bytes"));
	partial = sweep_partial(look.sweep, look.references[0]);
	ok(value(&look, 0, "/m1023") == 9 && isnan(value(&look, 0, "/m1024")) && partial &&
			!strcmp(partial, "only the first 1024 file systems are asked, 1 are not"),
		"that there are more file systems than are asked is said");
	look_close(&look);
	tree_free(&tree);
	str_free(&text);
}

/* In a child: a network namespace in which 23 datagrams were sent that nobody wanted. Says so, and
 * stays until it is killed. */
static void live_elsewhere(int ready)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd, i;

	if (unshare(CLONE_NEWNET))
		_exit(1);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo))
		_exit(1);
	for (i = 0; i < 23; i++)
		sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to));
	if (write(ready, "", 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

static pid_t start_elsewhere(void)
{
	int fds[2], status;
	char byte;
	pid_t child;

	if (pipe(fds))
		exit(1);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		live_elsewhere(fds[1]);
	}
	close(fds[1]);
	if (read(fds[0], &byte, 1) != 1) {
		waitpid(child, &status, 0);
		child = 0;
	}
	close(fds[0]);
	return child;
}

/* The instance whose label names a process. */
static const char *labelled(const struct look *look, pid_t pid)
{
	const struct instances *set = sweep_instances(look->sweep, look->references[0]);
	char end[32];
	size_t i;

	snprintf(end, sizeof(end), "(pid %d)", (int)pid);
	for (i = 0; i < instances_count(set); i++)
		if (str_ends(instances_label(set, i), end))
			return instances_name(set, i);
	return "";
}

static const char *const net_names[] = {
	"net/snmp:*.Udp.OutDatagrams", "net/snmp:Udp.OutDatagrams", "net/dev:*.tx_packets", NULL};

static void ask_elsewhere(const struct look *look, pid_t child, const char *who)
{
	const char *name = labelled(look, child);
	char *interface = mem_printf("%s/lo", name);

	ok(*name, "%s: a network namespace without a name is known by a process in it", who);
	ok(value(look, 0, name) == 23, "%s: the 23 datagrams that were sent there are seen", who);
	/* Each is answered by an error message. */
	ok(value(look, 2, interface) >= 46, "%s: its interfaces are named after it", who);
	ok(value(look, 0, "host") == value(look, 1, ""), "%s: our own is called host", who);
	free(interface);
}

/* One file that is parsed once says what is ours, with and without our name. */
static void test_own_namespace(void)
{
	struct tree tree = tree_new();
	struct look look;

	tree_write(&tree, "proc/net/netstat", "TcpExt: A B\nTcpExt: 3 4\n");
	tree_write(&tree, "proc/net/sockstat", "TCP: inuse 7 orphan 8\n");
	look_root(&look, &tree,
		NAMES("net/netstat:TcpExt.A", "net/netstat:host.TcpExt.B", "net/netstat:*.TcpExt.B",
			"net/sockstat:*.TCP.inuse", "net/netstat:host.TcpExt.C"));
	ok(value(&look, 0, "") == 3 && value(&look, 1, "") == 4,
		"a counter of ours has its value, by our name too");
	ok(value(&look, 2, "host") == 4 && value(&look, 3, "host") == 7,
		"and is one of those of all namespaces");
	ok(isnan(value(&look, 4, "")), "what the file does not say has none");
	look_close(&look);
	look_root(&look, &tree, NAMES("net/netstat:TcpExt.A"));
	ok(value(&look, 0, "") == 3, "whoever asks for no other gets ours alone");
	look_close(&look);
	tree_free(&tree);
}

static void test_namespaces(void)
{
	struct tree tree = tree_new();
	struct capture *fs = NULL;
	struct look look;
	pid_t child = caps_have(CAPS_NAMESPACE | CAPS_PTRACE) ? start_elsewhere() : 0;
	int status;

	if (child <= 0) {
		ok(true, "other network namespaces are read # SKIP needs CAP_SYS_ADMIN");
		tree_free(&tree);
		return;
	}
	if (capture_open(&fs, "/", tree.dir))
		exit(1);
	look_open(&look, fs, net_names);
	ask_elsewhere(&look, child, "live");
	look_close(&look);
	if (capture_open_replay(&fs, tree.dir))
		exit(1);
	look_open(&look, fs, net_names);
	ask_elsewhere(&look, child, "replay");
	look_close(&look);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	tree_free(&tree);
}

static bool find_task(const struct str *records, pid_t tid, struct task_record *out)
{
	size_t i;

	for (i = 0; i + sizeof(*out) <= records->len; i += sizeof(*out)) {
		memcpy(out, records->text + i, sizeof(*out));
		if ((pid_t)out->tid == tid)
			return true;
	}
	return false;
}

static void test_threads(void)
{
	struct str walked = STR_INIT, iterated = STR_INIT;
	struct task_record mine, same;
	struct task_iter *iter = NULL;
	struct capture *fs = NULL;
	uint64_t ns;
	int err;

	if (capture_open(&fs, "/", NULL))
		exit(1);
	capture_next_sample(fs, &ns);
	prctl(PR_SET_NAME, "a) R 1 (b");
	setpriority(PRIO_PROCESS, 0, 5);
	err = task_walk(fs, &walked);
	ok((!err || err == -E2BIG) && find_task(&walked, getpid(), &mine),
		"a walk finds this process");
	ok(!strcmp((char *)mine.comm, "a) R 1 (b") && mine.nice == 5 &&
			(pid_t)mine.tgid == getpid() && !mine.blocked && mine.cpu_ns > 0,
		"with its name, its priority and its time");
	err = caps_have(CAPS_BPF) ? task_iter_open(&iter) : -EPERM;
	if (err) {
		ok(true, "BPF finds this process too # SKIP %s", strerror(-err));
	} else {
		ok(!task_iter_read(iter, &iterated) && find_task(&iterated, getpid(), &same),
			"BPF finds this process too");
		ok(!strcmp((char *)same.comm, (char *)mine.comm) && same.nice == 5 &&
				same.tgid == mine.tgid && same.policy == mine.policy &&
				same.cpu_ns >= mine.cpu_ns &&
				(same.has & TASK_HAS_DELAY) == (mine.has & TASK_HAS_DELAY) &&
				same.timeslices >= mine.timeslices,
			"and says the same of it");
		str_clear(&iterated);
		ok(!task_iter_read(iter, &iterated) && iterated.len > 0, "and does so again");
		task_iter_close(iter);
	}
	setpriority(PRIO_PROCESS, 0, 0);
	str_free(&walked);
	str_free(&iterated);
	capture_close(fs);
}

static void put_thread(struct str *blob, unsigned int tid, unsigned int start, int nice,
	const char *comm, bool kernel)
{
	struct task_record task = {.tid = tid, .tgid = tid, .start = start, .nice = nice};

	task.cpu_ns = 1000 + start;
	task.run_delay_ns = 10 + start;
	task.timeslices = 1;
	task.has = TASK_HAS_DELAY;
	task.flags = kernel ? 0x00200000 : 0;
	memcpy(task.comm, comm, strlen(comm));
	str_addn(blob, &task, sizeof(task));
}

/* The head of a blob, as lib/sources/task/task.c writes it. */
static void put_head(struct str *blob, uint16_t version)
{
	uint16_t head[] = {version, sizeof(struct task_record), 0, 0, 0, 0};

	str_add(blob, "task");
	str_addn(blob, head, sizeof(head));
}

static void look_blob(struct look *look, struct tree *tree, const struct str *blob)
{
	struct capture *fs = NULL;

	*tree = tree_new();
	tree_write(tree, "0/time", "1\n");
	tree_write_bytes(tree, "0/@task", str_text(blob), blob->len);
	if (capture_open_replay(&fs, tree->dir))
		exit(1);
	look_open(look, fs,
		NAMES("task:*.run_delay_ns", "task:*.nice_run_delay_ns", "kthread:*.cpu_ns",
			"kthread:*.ksoftirqd.cpu_ns"));
}

static void test_task_blob(void)
{
	struct str blob = STR_INIT, why = STR_INIT;
	struct culprit culprit;
	struct tree tree;
	struct look look;

	put_head(&blob, TASK_RECORD_VERSION);
	put_thread(&blob, 7, 100, 0, "puma", false);
	put_thread(&blob, 8, 200, 10, "backup", false);
	put_thread(&blob, 9, 300, 0, "ksoftirqd/12", true);
	put_thread(&blob, 10, 400, 0, "kswapd0", false);
	str_add(&blob, "half a record");
	look_blob(&look, &tree, &blob);
	ok(value(&look, 0, "7@100") == 110, "a thread waits for a CPU");
	ok(isnan(value(&look, 0, "8@200")) && value(&look, 1, "8@200") == 210,
		"one that is nice waits by its own wish");
	ok(value(&look, 2, "ksoftirqd/12") == 1300 && value(&look, 3, "ksoftirqd/12") == 1300,
		"a kernel thread is known by its name and its family");
	ok(isnan(value(&look, 2, "kswapd0")), "a process that calls itself kswapd0 is none");
	ok(sweep_culprit(look.sweep, look.references[0], "7@100", &culprit) &&
			!strcmp(culprit.name, "puma") && !strcmp(culprit.id, "7"),
		"a thread belongs to a process");
	ok(!sweep_culprit(look.sweep, look.references[0], "7@101", &culprit),
		"one that has the number of another does not stand for it");
	look_close(&look);
	tree_free(&tree);
	str_clear(&blob);
	put_head(&blob, 999);
	put_thread(&blob, 7, 100, 0, "puma", false);
	look_blob(&look, &tree, &blob);
	sweep_why_missing(look.sweep, look.references[0], &why);
	ok(isnan(value(&look, 0, "7@100")) && strstr(str_text(&why), "another version"),
		"records of another version are not read");
	look_close(&look);
	tree_free(&tree);
	str_free(&blob);
	str_free(&why);
}

static void count_source(void *arg, const struct source *source)
{
	int *wrong = arg;

	*wrong += !source->name || !source->what || !source->read ||
		source_find(source->name) != source;
}

int main(void)
{
	int wrong = 0;

	source_each(count_source, &wrong);
	ok(!wrong, "every source has a name, a description, and is found by its name");
	ok(!source_find("vmsat") && source_find("/any/path") == source_find("path"),
		"what begins with a slash is a file");
	test_disks();
	test_paths();
	test_pressure_missing();
	test_cgroup_v2();
	test_cgroup_of_copy();
	test_cgroup_limited();
	test_swaps();
	test_cgroup_hybrid();
	test_cgroup_depth();
	test_mount();
	test_forced_read_only();
	test_too_many_mounts();
	test_own_namespace();
	test_namespaces();
	test_threads();
	test_task_blob();
	return tap_done();
}
