/* SPDX-License-Identifier: GPL-2.0-only */
/* Does what /proc says of threads, sockets and cgroups become the right wait, peer and target? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/str.h"
#include "tests/unit/tap.h"
#include "tools/wait/answer.h"
#include "tools/wait/limits.h"
#include "tools/wait/locks.h"
#include "tools/wait/options.h"
#include "tools/wait/peers.h"
#include "tools/wait/say.h"
#include "tools/wait/seed.h"
#include "tools/wait/sort.h"
#include "tools/wait/text.h"
#include "tools/wait/watch.h"
#include "tools/wait/whom.h"

#define MS UINT64_C(1000000)

static struct waits_thread seeded(char state, int nr, const char *arguments, const char *wchan)
{
	struct waits_thread thread = {0};
	char text[128];

	snprintf(text, sizeof(text), nr < 0 ? "%s" : "%2$d %1$s", arguments, nr);
	wait_seed_thread(&thread, state, text, wchan);
	return thread;
}

static void test_seeds(void)
{
	struct waits_thread thread = seeded('S', SYS_futex, "0x7f00 0x189 0x0 0x0", "");

	ok(thread.part == WAITS_FUTEX && thread.detail == 9,
		"a thread in futex waits for another one, by its operation");
	ok(!wait_futex_is_lock(seeded('S', SYS_futex, "0x7f00 0x80 0x0 0x0", "").detail) &&
			!wait_futex_is_lock(thread.detail),
		"which is no lock where it waits for a sign");
	ok(wait_futex_is_lock(seeded('S', SYS_futex, "0x7f00 0x80 0x2 0x0", "").detail) &&
			wait_futex_is_lock(
				seeded('S', SYS_futex, "0x7f00 0x89 0x2 0x0", "").detail),
		"and is one where others wait for it");
	ok(wait_futex_is_lock(seeded('S', SYS_futex, "0x7f00 0x86 0x0 0x0", "").detail),
		"so is one that inherits priorities");
	thread = seeded('S', SYS_read, "0x5 0x7f00 0x1", "");
	ok(thread.part == WAITS_DATA && thread.detail == (5 | WAITS_FD_KNOWN),
		"one in read for a descriptor");
	thread = seeded('D', SYS_fsync, "0x5", "jbd2_log_wait_commit");
	ok(thread.part == WAITS_DISK, "one in fsync for a disk");
	thread = seeded('D', SYS_mmap, "0x5", "rwsem_down_write_slowpath");
	ok(thread.part == WAITS_LOCK, "one that waits for its memory map for a lock");
	ok(seeded('D', -1, "-1 0x7ffd 0x7f00", "").part == WAITS_MEMORY,
		"in a page fault for memory");
	ok(seeded('D', -1, "-1 0x7ffd 0x7f00", "folio_wait_bit_common").part == WAITS_DISK,
		"or for a page that a disk brings");
	ok(seeded('T', -1, "", "").part == WAITS_STOPPED &&
			seeded('R', -1, "running", "").part == WAITS_RUNS,
		"stopped and running ones are that");
	ok(seeded('S', SYS_wait4, "0xffffffff", "").part == WAITS_FAMILY &&
			seeded('S', SYS_clock_nanosleep, "0x1", "").part == WAITS_SLEEP &&
			seeded('S', SYS_epoll_pwait, "0x7", "").detail == (7 | WAITS_FD_KNOWN),
		"children, sleep and events");
	thread = seeded('S', SYS_ppoll, "0x0 0x0 0x7f00 0x0 0x8", "");
	ok(thread.part == WAITS_SLEEP, "who polls no descriptor for a time sleeps");
	thread = seeded('S', SYS_ppoll, "0x0 0x0 0x0 0x0 0x8", "");
	ok(thread.part == WAITS_EVENTS && !thread.detail, "forever, for a signal");
	thread = seeded('S', SYS_ppoll, "0x7f00 0x2 0x7f10 0x0 0x8", "");
	ok(thread.part == WAITS_EVENTS && thread.detail == WAITS_FD_SEVERAL,
		"who polls some waits for them");
	thread = seeded('S', SYS_pselect6, "0x400 0x0 0x0 0x0 0x7f00", "");
	ok(thread.part == WAITS_SLEEP, "so does select without a set");
	thread = seeded('S', SYS_pselect6, "0x400 0x0 0x7f00 0x0 0x7f10", "");
	ok(thread.part == WAITS_EVENTS && thread.detail == WAITS_FD_SEVERAL, "and not with one");
	ok(seeded('S', SYS_epoll_pwait, "0x7 0x7f00 0x1 0x64", "").detail ==
				(7 | WAITS_FD_KNOWN | WAITS_FD_TIMED) &&
			!(seeded('S', SYS_epoll_pwait, "0x7 0x7f00 0x1 0xffffffff", "").detail &
				WAITS_FD_TIMED),
		"an epoll has a time or not");
	ok(seeded('S', SYS_fcntl, "0x5 0x7 0x7f00", "").part == WAITS_SHARED &&
			seeded('S', SYS_fcntl, "0x5 0x401 0x0", "").part == WAITS_ELSE &&
			seeded('D', SYS_flock, "0x5 0x2", "").part == WAITS_SHARED,
		"fcntl waits for a lock where it was asked for one");
	ok(seeded('S', -1, "99999999999999999999 x", "").nr == WAITS_NO_CALL &&
			seeded('S', -1, "", "").part == WAITS_ELSE,
		"what cannot be read is nothing known");
}

static void test_sockets(void)
{
	static const char tcp[] = "  sl  local_address rem_address   st tx_queue rx_queue tr "
				  "tm->when retrnsmt   uid  timeout inode\n"
				  "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 "
				  "00:00000000 00000000     0        0 11 1 0\n"
				  "   1: 0100007F:1F90 0100007F:D2A4 01 00000000:00000000 "
				  "00:00000000 00000000     0        0 12 1 0\n"
				  "   2: 0100007F:D2A4 0100007F:1F90 01 00000000:00000000 "
				  "00:00000000 00000000     0        0 13 1 0\n"
				  "   3: nonsense\n   4: 0100007F:D2A4\n"
				  "   5: 0100007F:D2A4 0100007F:1F90 01 00000000:00000000 "
				  "00:00000000 00000000     0        0 0 1 0\n";
	static const char tcp6[] = "   0: 00000000000000000000000001000000:0050 "
				   "00000000000000000000000001000000:C001 01 0:0 0:0 0 0 0 21 1\n";
	struct wait_sockets sockets = {0};
	const struct wait_socket *one;

	wait_sockets_add(&sockets, tcp, false);
	wait_sockets_add(&sockets, tcp6, true);
	ok(sockets.n == 4, "sockets are read, and what is none, or has no inode, is passed over");
	one = wait_sockets_find(&sockets, 12);
	ok(one && wait_sockets_is_served(&sockets, one),
		"a connection to a port that is listened at was made by others");
	one = wait_sockets_find(&sockets, 13);
	ok(one && !wait_sockets_is_served(&sockets, one) && !strcmp(one->remote, "127.0.0.1:8080"),
		"the other end has asked, and its peer has an address");
	one = wait_sockets_find(&sockets, 21);
	ok(one && !strcmp(one->remote, "[::1]:49153"), "so has one of IPv6");
	ok(!wait_sockets_find(&sockets, 99), "what is not there is not found");
	wait_sockets_free(&sockets);
}

static void test_locks(void)
{
	static const char locks[] = "1: POSIX  ADVISORY  WRITE 70 fe:00:9 0 EOF\n"
				    "nonsense\n2: FLOCK\n"
				    "3: FLOCK  ADVISORY  WRITE 80 fe:00:7 0 EOF\n"
				    "3: -> FLOCK  ADVISORY  WRITE 81 fe:00:7 0 EOF\n"
				    "4: OFDLCK ADVISORY  WRITE -1 fe:00:8 0 EOF\n"
				    "4: -> OFDLCK ADVISORY  WRITE 82 fe:00:8 0 EOF";

	ok(wait_locks_holder_in(locks, 81) == 80, "a lock is had by who stands above");
	ok(!wait_locks_holder_in(locks, 82), "one of an open file has no process");
	ok(!wait_locks_holder_in(locks, 80) && !wait_locks_holder_in("", 1),
		"who has one waits for none");
}

static void test_groups(void)
{
	ok(wait_targets_group_is("/system.slice/nginx.service", "nginx.service") &&
			wait_targets_group_is("/system.slice/nginx.service/a", "nginx.service") &&
			!wait_targets_group_is("/system.slice/nginx.service-x", "nginx.service"),
		"a unit is a part of a path");
	ok(wait_targets_group_is("/a/b", "/a") && wait_targets_group_is("/a", "/a") &&
			!wait_targets_group_is("/ab", "/a") && wait_targets_group_is("/x", "/"),
		"a path is its beginning");
	ok(wait_targets_group_is("/a/b", "/sys/fs/cgroup/a") &&
			wait_targets_group_is("/a/b", "/sys/fs/cgroup/cpu/a") &&
			!wait_targets_group_is("/c", "/sys/fs/cgroup/cpu/a"),
		"or where it is mounted");
}

static void add_row(struct wait_answer *answer, enum wait_category category, uint64_t ms)
{
	answer->rows[category].ns = ms * MS;
	answer->parts_ns += ms * MS;
	answer->wall_ns += ms * MS;
}

static bool says(struct wait_answer *answer, const struct wait_process *process, const char *words)
{
	struct wait_look look = {.seconds = 1, .sees_calls = true, .calls_seconds = 1};
	struct wait_limits limits;
	bool has;

	wait_limits_default(&limits);
	answer->process = process;
	answer->name = (char *)(uintptr_t) "x";
	wait_answer_say(answer, &look, &limits);
	has = strstr(str_text(&answer->sentence), words) != NULL;
	if (!has)
		printf("# %s\n", str_text(&answer->sentence));
	str_free(&answer->sentence);
	str_free(&answer->more);
	str_free(&answer->advice);
	return has;
}

static void test_says(void)
{
	struct wait_process process = {.pid = 7};
	struct wait_answer answer = {0};

	add_row(&answer, WAIT_WORK, 990);
	add_row(&answer, WAIT_CPU, 10);
	ok(says(&answer, &process, "only waits for work"), "who has nothing to do waits for work");
	answer = (struct wait_answer){0};
	add_row(&answer, WAIT_OWN_LOCK, 980);
	add_row(&answer, WAIT_SLEEP, 1000);
	ok(says(&answer, &process, "a mutex of its own"),
		"a lock is told before the sleep of who holds it");
	answer = (struct wait_answer){0};
	add_row(&answer, WAIT_SLEEP, 900);
	add_row(&answer, WAIT_DISK, 100);
	ok(says(&answer, &process, "sleeps by its own wish"), "a long sleep is told all the same");
	answer = (struct wait_answer){0};
	process.seen.died_ns = 500 * MS;
	process.seen.status = 9;
	add_row(&answer, WAIT_CPU, 500);
	ok(says(&answer, &process, "killed by SIGKILL; until then it computes"),
		"one that was killed has been");
	answer = (struct wait_answer){0};
	ok(says(&answer, &process, "ended before the look began"),
		"one without any time was not there");
}

/* What was taken from who ran 100 ms and counted 60 of them, where the host took a quarter. */
static void test_taken(void)
{
	struct wait_process process = {.pid = 7,
		.wall_ns = 100 * MS,
		.seen = {.part_ns = {[WAITS_RUNS] = 100 * MS}, .exec_ns = 60 * MS}};
	struct wait_answer answer = {.user_share = 0.5, .stolen_share = 0.25};
	const struct wait_row *row = &answer.rows[WAIT_STOLEN];

	wait_answer_sort(&answer, &process);
	ok(row->ns == 40 * MS && row->n == 2 && row->named[0].ns == 30 * MS &&
			!strcmp(row->named[0].text, "interrupts and softirqs") &&
			!strcmp(row->named[1].text, "the host (steal)"),
		"what was taken is told apart, by whom");
	ok(answer.rows[WAIT_USER].ns == 30 * MS && answer.rows[WAIT_KERNEL].ns == 30 * MS,
		"and the rest is the program's and the kernel's");
	free(row->named[0].text);
	free(row->named[1].text);
	free(row->named);
}

/* What a person reads of a look in which so many of a thousand events were lost. */
static bool doubts(uint64_t lost, const char *words)
{
	struct wait_process process = {.pid = 7, .seen.switches = 1000 - lost};
	struct wait_look look = {.processes = &process,
		.n = 1,
		.seconds = 1,
		.sees_locks = true,
		.lost.sums = lost,
		.disks.looked = true};
	struct wait_limits limits;
	const struct wait_options asked = {.top = 1};
	const struct wait_answers answers = {.look = &look, .asked = &asked, .limits = &limits};
	struct str out = STR_INIT;
	bool has;

	wait_limits_default(&limits);
	wait_text(&out, &answers);
	has = strstr(str_text(&out), words) != NULL;
	str_free(&out);
	return has;
}

static void test_doubts(void)
{
	ok(doubts(200, "that is 20.0 % of all that was seen; believe no part to more than that"),
		"events that were lost are doubts, by their share");
	ok(doubts(1, "1 event had no room") && !doubts(1, "believe no part"),
		"few of them are said, and doubted no further");
	ok(!doubts(0, "However"), "without any there is no doubt");
}

int main(void)
{
	test_seeds();
	test_sockets();
	test_locks();
	test_groups();
	test_says();
	test_taken();
	test_doubts();
	return tap_done();
}
