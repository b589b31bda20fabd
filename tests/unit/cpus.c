/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are CPUs, clocks, temperatures and taints read right, and threads that cannot go on, also from
 * recordings whose records are shorter or longer than ours?
 */
#include "base/banned.h"

#include <linux/types.h>

#include "bpf/iter/task.h"
#include "probe.h"
#include "base/str.h"
#include "tap.h"
#include "tree.h"
#include "sources/kernel/taint.h"
#include "sources/kernel/cpus.h"
#include "sources/task/task_group.h"
#include "base/cpulist.h"
#include "sources/kernel/clock.h"

static void test_cpu_list(void)
{
	static const struct {
		const char *text;
		double count; /* negative: none */
	} lists[] = {{"0-3,8\n", 5}, {"0\n", 1}, {"7\n", 1}, {"0-1", -1}, {"\n", 0}, {"", -1},
		{"3-1\n", -1}, {"0-\n", -1}, {"0-3,\n", 4}, {"none\n", -1}, {"0-99999999\n", -1},
		{"0-3x\n", -1}, {"-1\n", -1}};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		double count = -1;
		bool ok_list = parse_cpu_list(
			(struct bytes){lists[i].text, strlen(lists[i].text)}, &count);

		ok(ok_list ? count == lists[i].count : lists[i].count < 0,
			"the list of CPUs '%.*s'", (int)strcspn(lists[i].text, "\n"),
			lists[i].text);
	}
}

static bool list_has(const char *text, uint64_t number)
{
	return cpulist_has(text, strlen(text), number);
}

static const char *cgroup_in(const char *text)
{
	static struct str path;

	str_clear(&path);
	return parse_task_cgroup((struct bytes){text, strlen(text)}, &path) ? str_text(&path) : "";
}

static const char *part_of(bool (*tell)(const char *path, struct str *out), const char *path)
{
	static struct str name;

	str_clear(&name);
	return tell(path, &name) ? str_text(&name) : "";
}

static void test_groups(void)
{
	static const char uid[] = "0a1b2c3d-0001-0002-0003-0123456789ab";
	char *pod = mem_printf("/kubepods/burstable/pod%s/abc", uid);
	char *slice = mem_printf("/kubepods.slice/kubepods-pod%s.slice/cri-x.scope", uid);

	ok(list_has("0-3,8\n", 3) && list_has("0-3,8\n", 8) && !list_has("0-3,8\n", 4) &&
			!list_has("0-3,8", 8) && !list_has("x\n", 0),
		"a list has the numbers in its ranges, and one that is cut has none");
	ok(!strcmp(cgroup_in("0::/a.slice/b.service\n"), "/a.slice/b.service"), "a path of v2");
	ok(!strcmp(cgroup_in("5:memory:/m\n4:cpu,cpuacct:/c\n0::/two\n"), "/c"),
		"a path of v1, of the hierarchy that shares out CPU time");
	ok(!strcmp(cgroup_in("5:memory:/m\n0::/two\n1:name=systemd:/x\n"), "/two"),
		"and of v2 where v1 does not");
	ok(!*cgroup_in("") && !*cgroup_in("0::/cut") && !*cgroup_in("0::no\n"), "no path");
	ok(!strcmp(part_of(cgroup_unit, "/system.slice/a.service/inner"), "a.service") &&
			!*part_of(cgroup_unit, "/docker/abc") && !*part_of(cgroup_unit, "/"),
		"the innermost unit");
	ok(str_starts(part_of(cgroup_pod, pod), "pod0a1b") &&
			str_starts(part_of(cgroup_pod, slice), "kubepods-pod0a1b") &&
			!*part_of(cgroup_pod, "/podman/x") && !*part_of(cgroup_pod, "/user.slice"),
		"a pod, with its UID");
	free(pod);
	free(slice);
}

static void test_adjtimex(void)
{
	static const char nano[] = "status 8193\noffset -62000000\nfreq -6553600\nmaxerror 500000\n"
				   "esterror 200\n";
	static const char micro[] = "status 64\noffset 500000\nfreq 0\nmaxerror 16000000\n";

	ok(probe_value(parse_adjtimex, nano, "offset_seconds") == 0.062,
		"an offset in nanoseconds");
	ok(probe_value(parse_adjtimex, micro, "offset_seconds") == 0.5,
		"an offset in microseconds");
	ok(probe_value(parse_adjtimex, nano, "frequency_ratio") == 1e-4, "100 ppm, without a sign");
	ok(probe_value(parse_adjtimex, nano, "unsynchronized") == 0, "a clock that is kept");
	ok(probe_value(parse_adjtimex, micro, "unsynchronized") == 1, "a clock that is not");
	ok(isnan(probe_value(parse_adjtimex, micro, "estimated_error_seconds")), "a missing line");
	ok(isnan(probe_value(parse_adjtimex, "status -1\noffset 5\n", "offset_seconds")),
		"a status that cannot be");
	ok(isnan(probe_value(parse_adjtimex, "offset 5\n", "offset_seconds")),
		"an offset whose unit is not known");
}

static void test_taint(void)
{
	ok(probe_value(parse_taint, "16896\n", "warned") == 1, "bit W");
	ok(probe_value(parse_taint, "16896\n", "soft_lockup") == 1, "bit L");
	ok(probe_value(parse_taint, "16896\n", "died") == 0, "not D");
	ok(isnan(probe_value(parse_taint, "169x\n", "died")), "no number");
	ok(isnan(probe_value(parse_taint, "16896", "died")), "a file that was cut");
}

/* The value of a reference in the last of the samples of a tree. */
static double value_in(const struct tree *tree, const char *source, const char *key)
{
	struct sweep *sweep = sweep_new();
	struct capture *fs = NULL;
	double value;
	int r = sweep_reference(sweep, source, key);

	if (capture_open_replay(&fs, tree->dir))
		exit(1);
	sweep_open(sweep, fs);
	while (!sweep_take(sweep))
		;
	value = sweep_value(sweep, r, sweep_samples(sweep) - 1, 0);
	sweep_free(sweep);
	capture_close(fs);
	return value;
}

#define ZONE "0/sys/class/thermal/thermal_zone0/"

static void test_thermal(void)
{
	struct tree tree = tree_new();

	tree_write(&tree, "0/time", "1\n");
	tree_write(&tree, ZONE "type", "x86_pkg_temp\n");
	tree_write(&tree, ZONE "temp", "61500\n");
	tree_write(&tree, ZONE "trip_point_0_type", "critical\n");
	tree_write(&tree, ZONE "trip_point_0_temp", "105000\n");
	tree_write(&tree, ZONE "trip_point_1_type", "critical\n");
	tree_write(&tree, ZONE "trip_point_1_temp", "100000\n");
	tree_write(&tree, ZONE "trip_point_2_type", "hot\n");
	tree_write(&tree, ZONE "trip_point_2_temp", "-274000\n");
	tree_write(&tree, "0/sys/class/thermal/thermal_zone1/temp", "N/A\n");
	ok(value_in(&tree, "thermal", "thermal_zone0.celsius") == 61.5, "a temperature");
	ok(value_in(&tree, "thermal", "thermal_zone0.critical_celsius") == 100,
		"the lower of two critical points");
	ok(isnan(value_in(&tree, "thermal", "thermal_zone0.hot_celsius")),
		"a point that was never set is none");
	ok(isnan(value_in(&tree, "thermal", "thermal_zone0.passive_celsius")),
		"a point that is not there");
	ok(isnan(value_in(&tree, "thermal", "thermal_zone1.celsius")), "a sensor that fails");
	tree_free(&tree);
}

/* A blob of threads, their records as long as told. */
static void write_blobs(
	const struct tree *tree, const struct task_record *tasks, size_t n, size_t size)
{
	uint16_t head[] = {TASK_RECORD_VERSION, (uint16_t)size, 0, 0, 0, 0};
	struct str blob = STR_INIT;
	size_t i;

	str_add(&blob, "task");
	str_addn(&blob, head, sizeof(head));
	for (i = 0; i < n; i++) {
		char record[sizeof(*tasks) + 64] = {0};

		memcpy(record, &tasks[i], sizeof(*tasks));
		str_addn(&blob, record, size);
	}
	tree_write_bytes(tree, "0/@task", str_text(&blob), blob.len);
	str_free(&blob);
}

static void write_blob(const struct tree *tree, const struct task_record *task, size_t size)
{
	write_blobs(tree, task, 1, size);
}

static void test_waiter(void)
{
	struct task_record task = {.tid = 7, .tgid = 7, .start = 9, .blocked = 1, .stuck = 1};
	struct tree tree = tree_new();

	task.has = TASK_HAS_WAIT;
	task.wait_ns = 12500000000;
	tree_write(&tree, "0/time", "1\n");
	write_blob(&tree, &task, sizeof(task));
	ok(value_in(&tree, "waiter", "7@9.stuck_seconds") == 12.5, "a stuck task");
	ok(value_in(&tree, "waiter", "none.stuck_seconds") == 0, "none is always there");
	write_blob(&tree, &task, sizeof(task) + 16);
	ok(value_in(&tree, "waiter", "7@9.stuck_seconds") == 12.5, "a longer record");
	task.stuck = 0;
	write_blob(&tree, &task, sizeof(task));
	ok(isnan(value_in(&tree, "waiter", "7@9.stuck_seconds")), "a task that can be killed");
	task.queued = 1;
	write_blob(&tree, &task, sizeof(task));
	ok(value_in(&tree, "waiter", "7@9.queued_seconds") == 12.5, "a task in line");
	task.nice = 19;
	write_blob(&tree, &task, sizeof(task));
	ok(isnan(value_in(&tree, "waiter", "7@9.queued_seconds")), "a nice one may wait");
	task.nice = 0;
	task.idle_group = 1;
	write_blob(&tree, &task, sizeof(task));
	ok(isnan(value_in(&tree, "waiter", "7@9.queued_seconds")), "so may one of an idle cgroup");
	task.queued = 0;
	task.sleeps_for_io = 1;
	write_blob(&tree, &task, sizeof(task));
	ok(value_in(&tree, "waiter", "7@9.io_seconds") == 12.5, "a task that sleeps for I/O");
	task.has = 0;
	write_blob(&tree, &task, TASK_RECORD_SIZE_MIN);
	ok(isnan(value_in(&tree, "waiter", "none.queued_seconds")) &&
			value_in(&tree, "task", "7@9.state_d") == 1,
		"an older record knows of no waiting, and all else");
	write_blob(&tree, &task, TASK_RECORD_SIZE_MIN - 1);
	ok(isnan(value_in(&tree, "task", "7@9.state_d")), "a record that is too short");
	tree_free(&tree);
}

#define CPU "/sys/devices/system/cpu/"

/* In ten seconds cpu0 is busy for a twentieth of the time, and cpu1 for half of it. */
static void write_two_cpus(const struct tree *tree)
{
	tree_write(tree, "0/time", "1000000000\n");
	tree_write(tree, "1/time", "11000000000\n");
	tree_write(tree, "0/proc/stat",
		"cpu 10 0 0 10 0 0 0 0 0 0\ncpu0 5 0 0 5 0 0 0 0 0 0\ncpu1 5 0 0 5 0 0 0 0 0 0\n");
	tree_write(tree, "1/proc/stat",
		"cpu 560 0 0 1460 0 0 0 0 0 0\ncpu0 55 0 0 955 0 0 0 0 0 0\n"
		"cpu1 505 0 0 505 0 0 0 0 0 0\n");
}

static void test_speed(void)
{
	struct tree tree = tree_new();
	int cpu;

	write_two_cpus(&tree);
	ok(isnan(value_in(&tree, "cpufreq", "cpu1.khz")), "a CPU without a speed");
	for (cpu = 0; cpu < 2; cpu++) {
		char path[96];

		snprintf(path, sizeof(path), "1" CPU "cpu%d/cpufreq/scaling_cur_freq", cpu);
		tree_write(&tree, path, "800000\n");
		snprintf(path, sizeof(path), "1" CPU "cpu%d/cpufreq/scaling_governor", cpu);
		tree_write(&tree, path, "schedutil\n");
	}
	ok(value_in(&tree, "cpufreq", "cpu1.khz") == 800000, "the speed of a busy CPU");
	ok(isnan(value_in(&tree, "cpufreq", "cpu0.khz")), "an idle one is not asked");
	ok(value_in(&tree, "cpufreq", "cpu1.governor_schedutil") == 1 &&
			value_in(&tree, "cpufreq", "cpu1.governor_performance") == 0,
		"its governor");
	ok(isnan(value_in(&tree, "cpufreq", "cpu1.preference_power")), "no preference");
	tree_free(&tree);
}

static void test_throttle(void)
{
	struct tree tree = tree_new();
	int cpu, sample;

	write_two_cpus(&tree);
	ok(isnan(value_in(&tree, "cputhrottle", "cpu1.core_count")), "CPUs that count nothing");
	for (cpu = 0; cpu < 2; cpu++)
		for (sample = 0; sample < 2; sample++) {
			static const char *const counts[] = {"7\n", "9\n"};
			char path[96];

			snprintf(path, sizeof(path),
				"%d" CPU "cpu%d/thermal_throttle/core_throttle_count", sample, cpu);
			tree_write(&tree, path, counts[sample]);
			snprintf(path, sizeof(path),
				"%d" CPU "cpu%d/thermal_throttle/package_throttle_count", sample,
				cpu);
			tree_write(&tree, path, counts[sample]);
		}
	tree_write(&tree, "0/sys/devices/system/node/node0/cpulist", "0\n");
	tree_write(&tree, "0/sys/devices/system/node/node1/cpulist", "\n");
	ok(value_in(&tree, "cputhrottle", "cpu1.core_count") == 9, "the core of a busy CPU");
	ok(value_in(&tree, "cputhrottle", "cpu0.core_count") == 7,
		"that of an idle one is not asked again");
	ok(value_in(&tree, "cputhrottle", "cpu0.package_count") == 9, "a package always is");
	ok(isnan(value_in(&tree, "cputhrottle", "cpu1.package_count")), "and once for each node");
	tree_free(&tree);
}

static void test_pinned(void)
{
	struct task_record tasks[] = {{.tid = 1, .tgid = 1, .start = 2, .allowed_cpus = 8},
		{.tid = 7, .tgid = 7, .start = 9, .allowed_cpus = 2}};
	struct tree tree = tree_new();

	tasks[1].run_delay_ns = 5;
	tasks[0].has = tasks[1].has = TASK_HAS_DELAY;
	tree_write(&tree, "0/time", "1\n");
	write_blobs(&tree, tasks, 2, sizeof(*tasks));
	ok(value_in(&tree, "pinned", "none.run_delay_ns") == 0 &&
			isnan(value_in(&tree, "pinned", "1@2.run_delay_ns")),
		"a thread that may run everywhere is not pinned");
	ok(value_in(&tree, "pinned", "7@9.run_delay_ns") == 5 &&
			value_in(&tree, "pinned", "7@9.allowed_cpus") == 2,
		"one that may run on two of eight CPUs is");
	tasks[1].nice = 5;
	write_blobs(&tree, tasks, 2, sizeof(*tasks));
	ok(isnan(value_in(&tree, "pinned", "7@9.run_delay_ns")), "a nice one may wait");
	tasks[1].nice = 0;
	tasks[1].flags = 0x00200000;
	write_blobs(&tree, tasks, 2, sizeof(*tasks));
	ok(isnan(value_in(&tree, "pinned", "7@9.run_delay_ns")), "the kernel's own have to be");
	tasks[0].allowed_cpus = tasks[1].allowed_cpus = 0;
	write_blobs(&tree, tasks, 2, sizeof(*tasks));
	ok(isnan(value_in(&tree, "pinned", "none.run_delay_ns")),
		"and where that is not known, nothing is said");
	tree_free(&tree);
}

/* The clock of this machine, in the blob that a live run makes. */
static void test_clock(void)
{
	struct tree tree = tree_new();
	struct sweep *sweep = sweep_new();
	struct capture *fs = NULL;
	int r = sweep_reference(sweep, "clock", "read_ns");
	double live;

	if (capture_open(&fs, "/", tree.dir))
		exit(1);
	sweep_open(sweep, fs);
	sweep_take(sweep);
	live = sweep_value(sweep, r, 0, 0);
	ok(live > 1 && live < 1e6, "reading the clock takes %g ns", live);
	sweep_free(sweep);
	capture_close(fs);
	ok(value_in(&tree, "clock", "read_ns") == live, "and as long in a replay");
	tree_free(&tree);
}

int main(void)
{
	test_cpu_list();
	test_groups();
	test_adjtimex();
	test_taint();
	test_thermal();
	test_waiter();
	test_speed();
	test_throttle();
	test_pinned();
	test_clock();
	probe_end();
	return tap_done();
}
