/* SPDX-License-Identifier: GPL-2.0-only */
/* Are processes and users that are near to a limit found in what the iterators wrote? */
#include "base/banned.h"

#include <linux/types.h>
#include <math.h>
#include <unistd.h>

#include "bpf/iter/inotify.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "sample/sweep.h"
#include "sample/source.h"
#include "sources/task/own_tasks.h"
#include "sys/child.h"
#include "base/str.h"
#include "tap.h"
#include "tree.h"
#include "sample/instances.h"
#include "base/culprit.h"

#define KEYS_MAX 4

struct look {
	struct tree tree;
	struct capture *fs;
	struct sweep *sweep;
	int references[KEYS_MAX];
};

/* One sample of a machine of which only this blob was recorded. */
static void look_at(struct look *look, const char *blob, const struct str *bytes,
	const char *const (*keys)[2], size_t n)
{
	size_t i;

	look->tree = tree_new();
	tree_write(&look->tree, "0/time", "1\n");
	tree_write_bytes(&look->tree, blob, str_text(bytes), bytes->len);
	look->sweep = sweep_new();
	if (capture_open_replay(&look->fs, look->tree.dir))
		exit(1);
	for (i = 0; i < n; i++)
		look->references[i] = sweep_reference(look->sweep, keys[i][0], keys[i][1]);
	sweep_open(look->sweep, look->fs);
	sweep_take(look->sweep);
}

static void look_away(struct look *look)
{
	sweep_free(look->sweep);
	capture_close(look->fs);
	tree_free(&look->tree);
}

static double value(const struct look *look, int key, const char *instance)
{
	long i = instances_find(sweep_instances(look->sweep, look->references[key]), instance);

	return i < 0 ? NAN : sweep_value(look->sweep, look->references[key], 0, (size_t)i);
}

static bool blames(const struct look *look, int key, const char *instance, const char *name)
{
	struct culprit culprit;

	return sweep_culprit(look->sweep, look->references[key], instance, &culprit) &&
		!strcmp(culprit.name, name);
}

static void put_head(struct str *blob, const char *magic, uint16_t version, uint16_t size)
{
	uint16_t words[] = {version, size};

	str_add(blob, magic);
	str_addn(blob, words, sizeof(words));
}

static void put_process(
	struct str *blob, uint32_t pid, uint32_t parent, uint32_t mappings, bool zombie)
{
	struct task_record task = {.tid = pid,
		.tgid = pid,
		.parent = parent,
		.mappings = mappings,
		.zombie = zombie,
		.has = TASK_HAS_PROCESS};

	snprintf((char *)task.comm, sizeof(task.comm), "p%u", pid);
	str_addn(blob, &task, sizeof(task));
}

static void test_processes(void)
{
	static const char *const keys[][2] = {{"process", "*.mappings"}, {"process", "*.zombies"}};
	struct str blob = STR_INIT;
	struct look look;
	uint32_t i;

	put_head(&blob, "task", TASK_RECORD_VERSION, sizeof(struct task_record));
	str_addn(&blob, "\0\0\0\0\0\0\0", 8);
	put_process(&blob, 1, 0, 50, false);
	for (i = 100; i < 200; i++)
		put_process(&blob, i, 7, i, i % 2);
	put_process(&blob, 7, 1, 5, false);
	put_process(&blob, 300, 9, 0, true);
	str_add(&blob, "half a record");
	look_at(&look, "0/@task", &blob, keys, 2);
	ok(blames(&look, 1, "9", "process"), "a parent that nobody knows has a word for a name");
	ok(value(&look, 0, "199") == 199 && value(&look, 0, "184") == 184,
		"the processes with the most mappings are followed");
	ok(isnan(value(&look, 0, "183")), "and no others");
	ok(value(&look, 1, "7") == 50, "zombies are counted by their parent");
	ok(value(&look, 1, "1") == 0, "none at all is a number");
	ok(blames(&look, 1, "7", "p7"), "who does not ask is named");
	ok(!blames(&look, 1, "7000", ""), "who is not there is not");
	look_away(&look);
	str_free(&blob);
}

/* Whoever makes parents of zombies hides none by that, nor does whoever makes threads. */
static void test_many_processes(void)
{
	static const char *const keys[][2] = {{"process", "*.zombies"}, {"blocked", "*.seconds"},
		{"pinned", "*.run_delay_ns"}, {"observer", "*.agent_ns"}};
	struct str blob = STR_INIT;
	struct look look;
	uint32_t i;

	put_head(&blob, "task", TASK_RECORD_VERSION, sizeof(struct task_record));
	str_addn(&blob, "\1\0\0\0\0\0\0", 8);
	for (i = 0; i < 1000; i++)
		put_process(&blob, 10000 + i, 2 + i, 5, true);
	put_process(&blob, 20000, 1001, 5, true);
	look_at(&look, "0/@task", &blob, keys, 4);
	ok(value(&look, 0, "1001") == 2, "the last of a thousand parents of zombies is told");
	for (i = 0; i < 4; i++) {
		const char *said = sweep_partial(look.sweep, look.references[i]);

		/* Who may run on which CPUs nobody has said there. */
		ok(i == 2 || (said && strstr(said, "more threads")),
			"%s says that there are more: %s", keys[i][0], said ? said : "nothing");
	}
	look_away(&look);
	str_free(&blob);
}

static void test_unprivileged(void)
{
	static const char *const keys[][2] = {{"process", "*.mappings"}, {"process", "*.zombies"}};
	struct str blob = STR_INIT, why = STR_INIT;
	struct look look;

	put_head(&blob, "task", TASK_RECORD_VERSION, sizeof(struct task_record));
	str_addn(&blob, "\0\0\0\0\0\0\0", 8);
	put_process(&blob, 1, 0, 0, false);
	look_at(&look, "0/@task", &blob, keys, 2);
	sweep_why_missing(look.sweep, look.references[0], &why);
	ok(strstr(str_text(&why), "CAP_BPF"), "without the iterator mappings are not known: %s",
		str_text(&why));
	ok(value(&look, 1, "1") == 0, "zombies are");
	look_away(&look);
	str_free(&blob);
	str_free(&why);
}

/* What is missing where so many threads sleep in state D, since long ago or since just now. */
static void expect_blocked(uint32_t n, bool long_ago, const char *missing, const char *sentence)
{
	static const char *const keys[][2] = {{"blocked", "*.seconds"}};
	struct str blob = STR_INIT;
	const char *said;
	struct look look;
	uint32_t i;

	put_head(&blob, "task", TASK_RECORD_VERSION, sizeof(struct task_record));
	str_addn(&blob, "\0\0\0\0\0\0\0", 8);
	for (i = 0; i < n; i++) {
		struct task_record task = {.tid = 1000 + i,
			.tgid = 1000 + i,
			.blocked = 1,
			.has = TASK_HAS_WAIT,
			.wait_ns = long_ago ? 10000000000u : 0};

		str_addn(&blob, &task, sizeof(task));
	}
	look_at(&look, "0/@task", &blob, keys, 1);
	said = sweep_partial(look.sweep, look.references[0]);
	ok(missing ? said && strstr(said, missing) : !said || !strstr(said, "more threads"),
		"%s (%s)", sentence, said ? said : "nothing was left out");
	look_away(&look);
	str_free(&blob);
}

static void test_blocked(void)
{
	expect_blocked(64, true, NULL, "of 64 threads that sleep for long each is looked at");
	expect_blocked(65, true, "more threads are in state D than are looked at, 64",
		"of 65 one is not, and it is said");
	expect_blocked(4096, false, NULL, "4096 threads that sleep at the moment are known");
	expect_blocked(4097, false, "more threads are in state D than are looked at, 4096",
		"of 4097 one is not, and it is said");
}

static int wait_for_end(void *arg, int fd)
{
	(void)arg;
	(void)fd;
	pause();
	return 0;
}

static bool has_record_of(const struct str *blob, uint32_t pid)
{
	struct task_record task;
	size_t at;

	for (at = 0; at + sizeof(task) <= blob->len; at += sizeof(task)) {
		memcpy(&task, blob->text + at, sizeof(task));
		if (task.tgid == pid)
			return true;
	}
	return false;
}

/* A child that looks for us, and what it starts, against one that is watched. */
static void test_own(void)
{
	struct task_record self = {.tid = (uint32_t)getpid(),
		.tgid = (uint32_t)getpid(),
		.has = TASK_HAS_PROCESS | TASK_HAS_READ_THIS};
	struct str blob = STR_INIT;
	struct child child;

	if (child_start(&child, wait_for_end, NULL))
		exit(1);
	put_process(&blob, 4000001, (uint32_t)child.pid, 0, false);
	put_process(&blob, 4000002, self.tgid, 0, false);
	put_process(&blob, (uint32_t)child.pid, self.tgid, 0, false);
	str_addn(&blob, &self, sizeof(self));
	own_tasks_leave_out(&blob, 0);
	ok(!has_record_of(&blob, self.tgid), "this process is left out");
	ok(!has_record_of(&blob, (uint32_t)child.pid) && !has_record_of(&blob, 4000001),
		"so are a child that looks for it and what that has started");
	ok(has_record_of(&blob, 4000002), "a command that is watched is not");
	child_abandon(&child);
	ok(!child_is_ours(child.pid) && !child_any_is_ours(), "who has ended is no child any more");
	str_clear(&blob);
	self.tgid = self.tid = 17;
	str_addn(&blob, &self, sizeof(self));
	put_process(&blob, (uint32_t)getpid(), 1, 0, false);
	own_tasks_leave_out(&blob, 0);
	ok(!has_record_of(&blob, 17) && has_record_of(&blob, (uint32_t)getpid()),
		"in another pid namespace it is known by who reads, not by its number");
	str_free(&blob);
}

static void put_watcher(struct str *blob, uint32_t pid, uint32_t uid, uint32_t namespace,
	uint64_t instances, uint64_t watches, uint32_t added)
{
	struct inotify_record record = {.instances = instances,
		.instances_max = 128,
		.watches = watches,
		.watches_max = 8192,
		.uid = uid,
		.namespace = namespace,
		.pid = pid,
		.added = added};

	snprintf((char *)record.comm, sizeof(record.comm), "p%u", pid);
	str_addn(blob, &record, sizeof(record));
}

static const char *const inotify_keys[][2] = {
	{"inotify", "*.instances"}, {"inotify", "*.watches_max"}};

static void test_inotify(void)
{
	struct str blob = STR_INIT;
	struct look look;

	put_head(&blob, "inot", INOTIFY_RECORD_VERSION, sizeof(struct inotify_record));
	put_watcher(&blob, 10, 1000, 0xEFFFFFFD, 120, 50, 40);
	put_watcher(&blob, 11, 1000, 0xEFFFFFFD, 120, 50, 2);
	put_watcher(&blob, 11, 1000, 0xEFFFFFFD, 120, 50, 2);
	put_watcher(&blob, 12, 0, 77, 2, 8000, 7000);
	put_watcher(&blob, 13, 0, 77, 2, 8000, 1000);
	str_add(&blob, "half a record");
	look_at(&look, "0/@inotify", &blob, inotify_keys, 2);
	ok(value(&look, 0, "1000") == 120, "the kernel's count of a user");
	ok(value(&look, 1, "0@77") == 8192, "a user of a namespace is another one");
	ok(blames(&look, 0, "1000", "p11"), "who holds the most instances is named");
	ok(blames(&look, 0, "0@77", "p12"), "who added the most watches is, where they run out");
	look_away(&look);
	str_free(&blob);
}

/* Records of one user's descriptors, as many as are kept: others may be missing. */
static void test_inotify_many(void)
{
	struct str blob = STR_INIT;
	const char *said;
	struct look look;
	uint32_t i;

	put_head(&blob, "inot", INOTIFY_RECORD_VERSION, sizeof(struct inotify_record));
	for (i = 0; i < 65535; i++)
		put_watcher(&blob, 10 + i % 1000, 1000, 0xEFFFFFFD, 120, 50, 40);
	put_watcher(&blob, 10, 1000, 0xEFFFFFFD, 120, 50, 40);
	look_at(&look, "0/@inotify", &blob, inotify_keys, 2);
	said = sweep_partial(look.sweep, look.references[0]);
	ok(said && strstr(said, "more inotify descriptors"), "that there may be more is told");
	ok(blames(&look, 0, "1000", "p10"), "and who holds the most of those");
	look_away(&look);
	str_free(&blob);
}

static void refuses(const char *magic, uint16_t version, uint16_t size, const char *phrase)
{
	struct str blob = STR_INIT, why = STR_INIT;
	struct look look;

	put_head(&blob, magic, version, size);
	put_watcher(&blob, 10, 1000, 7, 120, 50, 40);
	look_at(&look, "0/@inotify", &blob, inotify_keys, 2);
	sweep_why_missing(look.sweep, look.references[0], &why);
	ok(strstr(str_text(&why), phrase), "%s %u %u: %s", magic, version, size, str_text(&why));
	look_away(&look);
	str_free(&blob);
	str_free(&why);
}

static void test_inotify_refused(void)
{
	refuses("inot", INOTIFY_RECORD_VERSION + 1, sizeof(struct inotify_record), "version");
	refuses("inot", INOTIFY_RECORD_VERSION, 1, "version");
	refuses("task", INOTIFY_RECORD_VERSION, sizeof(struct inotify_record), "version");
}

static void test_nobody(void)
{
	struct str blob = STR_INIT;
	struct look look;

	put_head(&blob, "inot", INOTIFY_RECORD_VERSION, sizeof(struct inotify_record));
	look_at(&look, "0/@inotify", &blob, inotify_keys, 2);
	ok(sweep_none(look.sweep, look.references[0]), "nobody uses inotify");
	look_away(&look);
	str_free(&blob);
}

int main(void)
{
	test_processes();
	test_many_processes();
	test_unprivileged();
	test_blocked();
	test_own();
	test_inotify();
	test_inotify_many();
	test_inotify_refused();
	test_nobody();
	return tap_done();
}
