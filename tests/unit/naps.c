/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are naps found in what clocks show, told apart by how threads stand, and blamed on who fits them
 * and not on who only happened to run?
 */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "naps/blame.h"
#include "naps/cause.h"
#include "naps/cpu_group.h"
#include "naps/finder.h"
#include "naps/log.h"
#include "naps/partial.h"
#include "naps/proc_file.h"
#include "naps/service.h"
#include "naps/suspects.h"
#include "naps/watch.h"
#include "tap.h"

#define MS 1000000ull

/* Looks each 20 ms of a process that uses share of a CPU, but from and until. */
static size_t find_naps(double share, uint64_t from_ms, uint64_t until_ms, struct nap_pause *last)
{
	struct nap_finder finder = {0};
	struct nap_pause pause;
	double cpu_ms = 0;
	size_t naps = 0;
	uint64_t ms;

	for (ms = 1000; ms <= 6000; ms += 20) {
		uint64_t ran_ms = ms > from_ms ? from_ms : ms;

		if (ms > until_ms)
			ran_ms += ms - until_ms;
		cpu_ms = share * (double)ran_ms;
		if (nap_finder_look(&finder, ms * MS, (uint64_t)(cpu_ms * MS), &pause) != NAP_ENDED)
			continue;
		if (pause.end_ns - pause.begin_ns >= 100 * MS) {
			naps++;
			*last = pause;
		}
	}
	return naps;
}

static void test_finder(void)
{
	struct nap_finder finder = {0};
	struct nap_pause pause;
	int i;

	ok(find_naps(1, 9999, 9999, &pause) == 0, "a process that always runs has no nap");
	ok(find_naps(1, 3007, 3117, &pause) == 1, "a pause of 110 ms between two looks is a nap");
	ok(pause.begin_ns == 3007 * MS && pause.end_ns == 3117 * MS,
		"of one that ran on one CPU begin and end are exact (%.0f, %.0f)",
		(double)pause.begin_ns / MS, (double)pause.end_ns / MS);
	ok(find_naps(1, 3007, 3087, &pause) == 0, "a pause of 80 ms is none");
	ok(find_naps(2, 3007, 3207, &pause) == 1 && pause.begin_ns >= 3000 * MS &&
			pause.end_ns <= 3220 * MS && pause.end_ns - pause.begin_ns >= 180 * MS,
		"of one on two CPUs they are within a look");
	nap_finder_look(&finder, 5 * MS, 7, &pause);
	ok(nap_finder_look(&finder, 500 * MS, 3, &pause) == NAP_RUNS && !finder.still_ns,
		"a clock that goes back begins anew");
	finder = (struct nap_finder){0};
	for (i = 0; i <= 300; i++)
		nap_finder_look(&finder, (uint64_t)(i + 1) * 20 * MS, (uint64_t)i * 6 * MS, &pause);
	ok(fabs(nap_finder_busy(&finder) - 0.3) < 0.01, "how busy it was is 30 %% of a CPU");
	for (i = 0; i < 50; i++)
		nap_finder_look(&finder, (uint64_t)(302 + i) * 20 * MS, 1800 * MS, &pause);
	ok(fabs(nap_finder_busy(&finder) - 0.3) < 0.01, "and a nap makes it no less busy");
	nap_finder_pause(&finder, &pause);
	nap_finder_forgive(&finder, &pause);
	for (i = 0; i < 100; i++)
		nap_finder_look(&finder, (uint64_t)(352 + i) * 20 * MS,
			(uint64_t)(i + 1) * 6 * MS + 1800 * MS, &pause);
	ok(fabs(nap_finder_busy(&finder) - 0.3) < 0.02, "nor does a nap that has ended");
	for (i = 0; i < 60; i++)
		nap_finder_look(&finder, (uint64_t)(452 + i) * 20 * MS, 2400 * MS, &pause);
	ok(nap_finder_pause(&finder, &pause) && pause.end_ns - pause.begin_ns >= 1000 * MS,
		"a pause that goes on is told");
}

static enum nap_cause cause_of(char state, const char *wchan, const char *stack, bool throttled)
{
	const struct nap_thread thread = {state, wchan, stack};

	return nap_cause_of_thread(&thread, throttled);
}

static void test_causes(void)
{
	enum nap_cause cause;

	ok(cause_of('D', "vm_mmap_pgoff", "", false) == NAP_MEMORY_MAP,
		"mmap that waits is a wait for the memory map");
	ok(cause_of('D', "0", "[<0>] do_user_addr_fault+0x1/0x2\n[<0>] exc_page_fault+0x1/0x2\n",
		   false) == NAP_MEMORY_MAP,
		"a page fault that got no lock, too, by its stack");
	ok(cause_of('D', "folio_wait_bit_common",
		   "[<0>] folio_wait_bit_common+0x1/0x2\n[<0>] do_user_addr_fault+0x1/0x2\n",
		   false) == NAP_SWAP,
		"a page fault that waits for a page is none");
	ok(cause_of('D', "folio_wait_bit_common",
		   "[<0>] folio_wait_bit_common+0x1/0x2\n[<0>] filemap_read+0x1/0x2\n"
		   "[<0>] ext4_file_read_iter+0x1/0x2\n",
		   false) == NAP_DISK,
		"a read that waits for a page waits for the disk");
	ok(cause_of('T', "do_signal_stop", "", false) == NAP_STOPPED, "SIGSTOP is told");
	ok(cause_of('t', "ptrace_stop", "", false) == NAP_TRACED, "a debugger is told");
	ok(cause_of('D', "__refrigerator", "", false) == NAP_FROZEN, "a frozen cgroup is told");
	ok(cause_of('S', "get_signal", "", false) == NAP_FROZEN &&
			cause_of('S', "do_freezer_trap", "", false) == NAP_FROZEN &&
			cause_of('T', "get_signal", "", false) == NAP_STOPPED &&
			cause_of('t', "get_signal", "", false) == NAP_TRACED,
		"and one of v2, from signals and debuggers");
	ok(nap_cause_is_imposed(NAP_MEMORY_MAP) && nap_cause_is_imposed(NAP_STOPPED) &&
			!nap_cause_is_imposed(NAP_DISK) && !nap_cause_is_imposed(NAP_RUN_QUEUE),
		"who is held is told from who waits for a disk");
	ok(!strcmp(nap_cause_controller(NAP_FROZEN, "__refrigerator"), "freezer") &&
			!nap_cause_controller(NAP_FROZEN, "get_signal") &&
			!strcmp(nap_cause_controller(NAP_OOM, "x"), "memory") &&
			!nap_cause_controller(NAP_MEMORY_LIMIT, "x") &&
			!strcmp(nap_cause_controller(NAP_QUOTA, "x"), "cpu"),
		"each has its controller of v1, or is of v2");
	ok(cause_of('D', "mem_cgroup_oom_synchronize", "", false) == NAP_OOM,
		"a cgroup without memory is told");
	ok(cause_of('R', "0", "[<0>] task_work_run+0x1/0x2\n", false) == NAP_QUOTA &&
			cause_of('R', "0", "", true) == NAP_QUOTA,
		"a quota is told by the stack of Linux 6.18, or by cpu.stat");
	ok(cause_of('R', "0", "", false) == NAP_RUN_QUEUE, "who could run waits for a CPU");
	ok(cause_of('S', "futex_wait_queue", "", false) == NAP_USER_LOCK &&
			!nap_cause_counts(nap_cause_with_work(NAP_USER_LOCK, false)) &&
			nap_cause_with_work(NAP_USER_LOCK, true) == NAP_USER_LOCK,
		"threads that wait for each other nap only while work waits");
	ok(!nap_cause_counts(nap_cause_with_work(cause_of('S', "ep_poll", "", false), false)) &&
			nap_cause_with_work(NAP_IDLE, true) == NAP_UNKNOWN,
		"who sleeps in epoll is idle, but for a connection that waits");
	ok(!nap_cause_counts(cause_of('Z', "", "", false)), "who ends does not nap");
	ok(nap_cause_join(NAP_IDLE, NAP_MEMORY_MAP) == NAP_MEMORY_MAP,
		"one thread that cannot go on says more than those that sleep");
	for (cause = 0; cause < NAP_CAUSES; cause++)
		if (nap_cause_find(nap_cause_name(cause)) != cause || !*nap_cause_phrase(cause))
			break;
	ok(cause == NAP_CAUSES && nap_cause_find("nonsense") == NAP_CAUSES,
		"each cause has a name and a phrase");
}

static double ran_of(const void *arg, pid_t pid)
{
	const double *seconds = arg;

	return seconds[pid];
}

/* Naps of the process 1, of 110 ms, in which 2 and 3 ran. */
static size_t make_naps(struct nap_event *events, size_t n, const char *file)
{
	size_t i;

	for (i = 0; i < n; i++) {
		events[i] = (struct nap_event){.pid = 1,
			.begin_ns = (i + 1) * 1000 * MS,
			.end_ns = ((i + 1) * 1000 + 110) * MS,
			.cause = NAP_MEMORY_MAP,
			.suspects = {{.pid = 2, .comm = "busy", .overlap = 1},
				{.pid = 3, .comm = "reader", .overlap = 0.95}},
			.n_suspects = 2};
		snprintf(events[i].suspects[1].holds, NAP_HOLDS, "%s", file);
	}
	return n;
}

static void test_blame(void)
{
	const double ran[4] = {0, 0, 20, 2.1};
	struct nap_event events[20];
	struct nap_blame blame;

	nap_blame_find(&blame, events, make_naps(events, 20, ""), 1, ran_of, ran);
	ok(blame.named && blame.by == NAP_BY_OVERLAP && blame.suspects[0].pid == 3 &&
			blame.suspects[0].fits == 20 && blame.naps == 20,
		"who ran in all naps, and never else, is blamed");
	ok(blame.n == 2 && nap_blamed_is_cleared(&blame.suspects[1]) &&
			fabs(blame.suspects[1].without - 161.8) < 1,
		"who runs all the time is cleared: it ran %.0f times without one",
		blame.suspects[1].without);
	nap_blame_find(&blame, events, make_naps(events, 1, ""), 1, ran_of, ran);
	ok(!blame.named, "one nap is no proof by overlap");
	nap_blame_find(&blame, events, make_naps(events, 1, "smaps"), 1, ran_of, ran);
	ok(blame.named && blame.by == NAP_BY_FILE && blame.suspects[0].pid == 3,
		"but a file of the sleeper, open meanwhile, is");
	make_naps(events, 3, "");
	events[0].cause = events[1].cause = NAP_STOPPED;
	nap_blame_find(&blame, events, 3, 1, ran_of, ran);
	ok(blame.cause == NAP_STOPPED && blame.naps == 2 && !blame.named &&
			blame.by == NAP_BY_SIGNAL,
		"nobody is blamed for a signal because of having run");
	nap_blame_find(&blame, events, 3, 9, ran_of, ran);
	ok(!blame.naps && !blame.named, "who had no nap has no culprit");
}

static void test_log(void)
{
	static const char text[] =
		"time 1000 5000000000 240 1 30000000 30000000\n"
		"busy 12 we\\x20b 4000000000 3 1\n"
		"nap 12 we\\x20b 100 200000000 1 0 memory-map vm_mmap_pgoff / "
		"0.5 3 7 0\n"
		"by 13 reader 0.9 smaps 0\n"
		"nap 12 we\\x20b 100 300000000 0 0 memory-map vm_mmap_pgoff - "
		"0.5 3 7 0\n"
		"by 13 reader 0.8 - 0\n"
		"ran 13 2.5\nran 13 3.5\n"
		"nap 14 x 9 1 0 0 memory-map - - 0 0 0 0\nnap 15\nby\n\nbusy 0 x 1\n"
		"nap 16 x 1 9 0 0 nonsense - - 0 0 0 0\nnonsense\nrest without end";
	struct nap_log log = {0};
	size_t i;

	nap_log_take(&log, text, strlen(text));
	ok(log.n_busy == 1 && !strcmp(log.busy[0].comm, "we b") && log.busy[0].pauses == 3 &&
			log.late_count == 1,
		"a log is read, its names decoded");
	ok(log.n_events == 1 && !log.events[0].goes_on && log.events[0].end_ns == 300000000 &&
			log.events[0].n_suspects == 1 && log.events[0].suspects[0].overlap < 0.81,
		"a nap that went on and has ended is one");
	ok(nap_log_ran(&log, 13) == 3.5 && nap_log_ran(&log, 99) < 0,
		"what a suspect ran is what was said last");
	nap_log_free(&log);
	for (i = 0; i < strlen(text); i++) {
		nap_log_take(&log, text, i);
		nap_log_take(&log, text + i, strlen(text) - i);
	}
	ok(log.n_busy >= 1, "a log that was cut anywhere is read as far as it goes");
	nap_log_free(&log);
}

static uint64_t queue_of[4];

static void take_listener(void *arg, uint64_t inode, uint64_t queue)
{
	(void)arg;
	if (inode < 4)
		queue_of[inode] = queue;
}

static void test_texts(void)
{
	static const char tcp[] =
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n"
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000081 00:00000000 00000000 0 0 3 "
		"1\n"
		"   1: 00000000000000000000000001000000:1F91 00000000000000000000000000000000:0000 "
		"0A "
		"00000000:00000002 00:00000000 00000000     0        0 2 1\n"
		"   2: 0100007F:1F90 0100007F:9999 01 00000000:00000000 00:00000000 00000000 0 0 1 "
		"1\n"
		"   3: 0100007F:1F90 00000000:0000 0A 00000000:00000081 00:00000000 00000000 0 0 1 "
		"1\n";
	char path[64];
	uint64_t drops = 0;
	struct proc_stat stat;
	pid_t number;

	nap_listeners_parse(tcp, take_listener, NULL);
	ok(queue_of[3] == 129 && queue_of[2] == 2 && queue_of[1] == 0,
		"queues of listeners are read, and the list ends where they end");
	ok(nap_drops_parse("TcpExt: SyncookiesSent ListenOverflows ListenDrops X\n"
			   "TcpExt: 1 22 333 4\nIpExt: A\nIpExt: 1\n",
		   &drops) &&
			drops == 333,
		"ListenDrops is found by its name");
	ok(!nap_drops_parse("TcpExt: A\nTcpExt: 1\n", &drops) && !nap_drops_parse("", &drops),
		"and is not known where the kernel has none");
	ok(cpu_group_parse_stat("nr_periods 3\nnr_throttled 2\nthrottled_time 5000\n") == 5000 &&
			cpu_group_parse_stat("usage_usec 3\nthrottled_usec 7\n") == 7000 &&
			cpu_group_parse_stat("") == 0,
		"throttled time is read of both versions of cgroups");
	ok(cpu_group_parse_path(
		   "2:cpuset:/a\n1:cpu,cpuacct:/web/x\n0::/\n", "cpu", path, sizeof(path)) &&
			!strcmp(path, "/web/x"),
		"the group of cgroup v1 is found");
	ok(cpu_group_parse_path("0::/b\n", NULL, path, sizeof(path)) && !strcmp(path, "/b") &&
			!cpu_group_parse_path("0::/b\n", "cpu", path, sizeof(path)),
		"and of v2");
	ok(cpu_group_parse_path(
		   "5:freezer:/cold\n1:cpu:/web\n0::/b\n", "freezer", path, sizeof(path)) &&
			!strcmp(path, "/cold"),
		"and of another controller");
	ok(!proc_stat_parse(
		   "12 (a) R (b) D 7 1 1 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 4711 1 1", &stat) &&
			stat.state == 'D' && stat.parent == 7 && stat.start_ticks == 4711 &&
			!stat.kernel && !strcmp(stat.comm, "a) R (b"),
		"stat of a process with a spiteful name is read");
	ok(proc_stat_parse("12 (a", &stat) && proc_stat_parse("", &stat), "half a stat is none");
	ok(!strcmp(nap_file_that_locks("/proc/12/smaps", &number), "smaps") && number == 12 &&
			!nap_file_that_locks("/proc/12/status", &number) &&
			!nap_file_that_locks("/home/x/smaps", &number),
		"a file that takes the lock is known");
	ok(nap_status_has_number("Name:\tx\nNSpid:\t77\t3\nNSpgid:\t9\n", 3) &&
			!nap_status_has_number("Name:\tx\nNSpid:\t77\t3\nNSpgid:\t9\n", 9) &&
			!nap_status_has_number("", 9),
		"and whose it is, also in a container");
}

static void test_partial(void)
{
	struct nap_partial now = {.n = 0}, before = {.n = 0};

	nap_partial_begin(&before, 1000 * MS);
	nap_partial_add(&before, &now, 7, 55);
	nap_partial_add(&before, &now, 8, 66);
	ok(nap_partial_since(&before) == 1000 * MS, "a thread waits since it was first seen to");
	nap_partial_begin(&now, 1020 * MS);
	nap_partial_add(&now, &before, 7, 56);
	nap_partial_add(&now, &before, 8, 66);
	ok(now.list[0].since_ns == 1020 * MS && now.list[1].since_ns == 1000 * MS,
		"one that ran in between waits anew, the other goes on");
	nap_partial_begin(&before, 1040 * MS);
	ok(!nap_partial_since(&before), "and none waits where none was seen");
}

/* This process, which runs while it looks at itself, has no nap. */
static void test_watch(void)
{
	struct nap_watch watch = {0};
	int i;

	ok(!nap_watch_open(&watch) && watch.processes.n > 0, "a watch finds processes");
	for (i = 0; i < 10; i++)
		nap_watch_next(&watch);
	nap_watch_end(&watch);
	ok(watch.looks == 10 && !watch.n_events, "nobody naps within a fifth of a second");
	nap_watch_close(&watch);
}

int main(void)
{
	test_finder();
	test_causes();
	test_blame();
	test_log();
	test_texts();
	test_partial();
	test_watch();
	return tap_done();
}
