/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a replay the same as the run that was recorded, and can a recording lead out of itself? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/resource.h>
#include <time.h>
#include <signal.h>

#include "capture/age.h"
#include "capture/capture.h"
#include "tap.h"
#include "tree.h"
#include "capture/glob.h"
#include "capture/recording.h"
#include "capture/shortage.h"
#include "capture/list.h"
#include "capture/environment.h"

static bool reads(struct capture *fs, const char *path, const char *expected)
{
	struct bytes bytes;

	return !capture_read(fs, path, &bytes) && bytes.len == strlen(expected) &&
		!memcmp(bytes.data, expected, bytes.len);
}

struct names {
	char text[256];
};

static int add_name(void *arg, const char *name)
{
	struct names *names = arg;
	size_t len = strlen(names->text);

	snprintf(names->text + len, sizeof(names->text) - len, "%s ", name);
	return 0;
}

static bool lists(struct capture *fs, const char *dir, const char *expected)
{
	struct names names = {""};

	return !capture_list(fs, dir, add_name, &names) && !strcmp(names.text, expected);
}

static int add_path(void *arg, const char *path, const char *star)
{
	(void)path;
	return add_name(arg, star);
}

/* Everything that can be asked, on the machine and on its recording. */
static void ask_first(struct capture *fs, const char *who)
{
	struct names stars = {""};
	struct bytes bytes;
	char target[64];
	double age;

	ok(reads(fs, "/proc/vmstat", "pgfault 1\n"), "%s: a file of the first sample", who);
	ok(!capture_read_once(fs, "/proc/1/stat", &bytes) && bytes.len == 2, "%s: a file read once",
		who);
	ok(capture_read(fs, "/proc/absent", &bytes) == -ENOENT, "%s: an absent file", who);
	ok(lists(fs, "/sys/class/net", "eth0 lo "), "%s: the entries of a directory", who);
	ok(!capture_readlink(fs, "/sys/class/net/eth0", target, sizeof(target)) &&
			!strcmp(target, "../../devices/eth0"),
		"%s: the target of a link", who);
	ok(reads(fs, "/sys/class/net/eth0/speed", "100\n"), "%s: a file behind a link", who);
	ok(lists(fs, "/sys/class/net", "eth0 lo "), "%s: the entries again", who);
	ok(!capture_age(fs, "/var/lib/x", &age) && fabs(age - 1000) < 60 &&
			!capture_age(fs, "/var/lib", &age) &&
			capture_age(fs, "/var/lib/none", &age) == -ENOENT &&
			lists(fs, "/var/lib", "x "),
		"%s: how long ago files were changed", who);
	ok(capture_exists(fs, "/sys/block/vda") && !capture_exists(fs, "/sys/block/vda1"),
		"%s: what exists", who);
	ok(!capture_glob(fs, "/sys/block/*/queue/depth", add_path, &stars) &&
			!strcmp(stars.text, "vda "),
		"%s: what a pattern finds", who);
}

static void ask_second(struct capture *fs, const char *who)
{
	ok(reads(fs, "/proc/vmstat", "pgfault 2\n"), "%s: a file of the second sample", who);
	ok(!capture_exists(fs, "/sys/block/vda"), "%s: what ceased to exist", who);
}

static void make_machine(const struct tree *machine)
{
	tree_write(machine, "proc/vmstat", "pgfault 1\n");
	tree_write(machine, "proc/1/stat", "x\n");
	tree_write(machine, "sys/devices/eth0/speed", "100\n");
	tree_write(machine, "sys/devices/eth0/unread", "100\n");
	tree_mkdirs(machine, "sys/class/net/lo");
	if (symlink("../../devices/eth0", tree_path(machine, "sys/class/net/eth0")))
		exit(1);
	tree_write(machine, "sys/block/vda/queue/depth", "1\n");
	tree_write(machine, "sys/block/vdb/size", "1\n");
}

static void test_round_trip(void)
{
	struct tree machine = tree_new(), recording = tree_new();
	struct capture *fs = NULL;
	struct bytes bytes;
	struct timespec age[2] = {0};
	uint64_t ns, recorded[2];
	char *host;

	make_machine(&machine);
	tree_write(&machine, "var/lib/x", "5\n");
	age[0].tv_sec = age[1].tv_sec = time(NULL) - 1000;
	utimensat(AT_FDCWD, tree_path(&machine, "var/lib/x"), age, 0);
	ok(!capture_open(&fs, machine.dir, recording.dir),
		"a recording is made in an empty directory");
	capture_set_environment(fs, "host", "web7\nnext line");
	capture_set_environment(fs, "kernel", "6.1");
	ok(reads(fs, "/sys/devices/eth0/speed", "100\n"), "a file is read before the first sample");
	capture_next_sample(fs, &recorded[0]);
	ask_first(fs, "live");
	capture_put_blob(fs, "trace/runq", "\0\1", 2);
	capture_next_sample(fs, &recorded[1]);
	tree_write(&machine, "proc/vmstat", "pgfault 2\n");
	remove(tree_path(&machine, "sys/block/vda/queue/depth"));
	remove(tree_path(&machine, "sys/block/vda/queue"));
	remove(tree_path(&machine, "sys/block/vda"));
	ask_second(fs, "live");
	ok(!capture_recording_error(fs), "nothing kept it from being recorded");
	capture_close(fs);
	tree_free(&machine);

	ok(!capture_open_replay(&fs, recording.dir) && capture_is_replay(fs) &&
			!capture_is_live(fs),
		"a recording is opened for replay");
	host = capture_environment(fs, "host");
	ok(host && !strcmp(host, "web7 next line"), "the environment is on a line each");
	free(host);
	capture_set_environment(fs, "kernel", "0");
	host = capture_environment(fs, "kernel");
	ok(host && !strcmp(host, "6.1"), "a replay keeps the recorded environment");
	free(host);
	ok(reads(fs, "/sys/devices/eth0/speed", "100\n"),
		"what was read before the first sample is there");
	ok(!capture_next_sample(fs, &ns) && ns == recorded[0], "the first sample has its time");
	ask_first(fs, "replay");
	ok(capture_read(fs, "/sys/devices/eth0/unread", &bytes) == -ENOENT,
		"what was not read is absent");
	ok(!capture_get_blob(fs, "trace/runq", &bytes) && bytes.len == 2 && bytes.data[1] == 1,
		"a blob is replayed");
	ok(capture_put_blob(fs, "x", "", 0) == -EROFS, "a replay takes no blobs");
	ok(!capture_next_sample(fs, &ns) && ns == recorded[1], "the second sample has its time");
	ask_second(fs, "replay");
	ok(capture_next_sample(fs, &ns) == -ENODATA, "there is no third sample");
	ok(reads(fs, "/proc/vmstat", "pgfault 2\n"), "and the second stays the present one");
	capture_close(fs);
	tree_free(&recording);
}

/* Another name of a file that is to be recorded keeps what it has, and a sample that somebody else
 * has made is none of ours. */
static void test_made_by_others(void)
{
	struct tree tree = tree_new(), machine = tree_new();
	struct capture *fs = NULL;
	struct stat st;
	uint64_t ns;

	make_machine(&machine);
	tree_write(&machine, "elsewhere", "kept\n");
	ok(!capture_open(&fs, machine.dir, tree.dir), "a recording is begun");
	tree_mkdirs(&tree, "0/proc");
	ok(!link(tree_path(&machine, "elsewhere"), tree_path(&tree, "0/proc/vmstat")),
		"a file elsewhere gets a second name in it");
	ok(!capture_next_sample(fs, &ns) && reads(fs, "/proc/vmstat", "pgfault 1\n"),
		"what has that name is read");
	ok(!stat(tree_path(&machine, "elsewhere"), &st) && st.st_size == 5,
		"and recorded beside the file elsewhere");
	ok(!mkdir(tree_path(&tree, "1"), 0777), "a sample is made by somebody else");
	ok(!capture_next_sample(fs, &ns) && reads(fs, "/proc/vmstat", "pgfault 1\n") &&
			capture_recording_error(fs) == -EEXIST &&
			access(tree_path(&tree, "1/proc"), F_OK),
		"nothing is recorded in it, and that is an error");
	capture_close(fs);
	tree_free(&tree);
	tree_free(&machine);
}

static void test_refused(void)
{
	struct tree tree = tree_new();
	struct capture *fs = NULL;
	uint64_t ns;

	ok(capture_open_replay(&fs, tree.dir) == -ENOENT, "an empty directory is no recording");
	tree_write(&tree, "0/time", "noon\n");
	ok(capture_open_replay(&fs, tree.dir) == -ENOENT, "one without a time is none either");
	ok(capture_open(&fs, "/", tree.dir) == -ENOTEMPTY,
		"a recording is not mixed with other files");
	ok(capture_open(&fs, "/", "/proc/no/where") == -ENOENT, "a recording needs a place");
	tree_write(&tree, "0/time", "2000\n");
	tree_write(&tree, "1/time", "1000\n");
	ok(!capture_open_replay(&fs, tree.dir) && !capture_next_sample(fs, &ns) && ns == 2000,
		"a sample with a time is replayed");
	ok(capture_next_sample(fs, &ns) == -EINVAL, "a time that runs backwards is refused");
	capture_close(fs);
	tree_free(&tree);
}

/* A recording that was made to reach outside. */
static void test_hostile(void)
{
	struct tree tree = tree_new(), outside = tree_new();
	struct capture *fs = NULL;
	struct bytes bytes;
	char target[64];
	uint64_t ns;
	int links;

	tree_write(&outside, "secret", "secret\n");
	tree_write(&tree, "0/time", "1\n");
	tree_mkdirs(&tree, "0/proc");
	links = symlink(tree_path(&outside, "secret"), tree_path(&tree, "0/proc/vmstat"));
	links |= symlink(outside.dir, tree_path(&tree, "0/sys"));
	links |= symlink(tree_path(&outside, "secret"), tree_path(&tree, "environment"));
	links |= symlink(tree_path(&tree, "0"), tree_path(&tree, "1"));
	links |= symlink(tree_path(&outside, "secret"), tree_path(&tree, "0/@task"));
	links |= symlink("/etc", tree_path(&tree, "0/proc/self"));
	links |= mkfifo(tree_path(&tree, "0/proc/stat"), 0600);
	if (links)
		exit(1);
	alarm(10);
	ok(!capture_open_replay(&fs, tree.dir) && !capture_next_sample(fs, &ns), "it opens");
	ok(capture_read(fs, "/proc/vmstat", &bytes) < 0,
		"a link in place of a file is not followed");
	ok(capture_read(fs, "/sys/secret", &bytes) < 0,
		"a link in place of a directory is not followed");
	ok(capture_read_once(fs, "/sys/secret", &bytes) < 0, "nor when read once");
	ok(capture_get_blob(fs, "task", &bytes) < 0, "a link in place of a blob is not followed");
	ok(!capture_exists(fs, "/sys/secret") && !capture_exists(fs, "/sys"), "links do not exist");
	ok(capture_list(fs, "/sys", add_name, &(struct names){""}) < 0, "a link is not listed");
	ok(capture_readlink(fs, "/proc/self", target, sizeof(target)) < 0,
		"a link tells its target by a file only");
	ok(!capture_environment(fs, "secret"),
		"a link in place of the environment is not followed");
	ok(capture_read(fs, "/proc/stat", &bytes) == -ENXIO, "a FIFO does not hang");
	ok(capture_read(fs, "/../../etc/passwd", &bytes) == -EINVAL, "a path cannot climb");
	ok(capture_next_sample(fs, &ns) < 0, "a link in place of a sample is not followed");
	capture_close(fs);
	tree_free(&tree);
	tree_free(&outside);
}

static void test_full(void)
{
	struct tree machine = tree_new(), recording = tree_new();
	struct capture *fs = NULL;
	struct bytes bytes;
	uint64_t ns;

	tree_write(&machine, "proc/vmstat", "1\n");
	capture_open(&fs, machine.dir, recording.dir);
	capture_next_sample(fs, &ns);
	/* Somebody puts a link where the recording is going to write. */
	ok(!symlink(machine.dir, tree_path(&recording, "0/proc")) &&
			!capture_read(fs, "/proc/vmstat", &bytes),
		"a read succeeds although it cannot be recorded");
	ok(capture_recording_error(fs) < 0, "and the recording is known not to be whole");
	ok(access(tree_path(&machine, "vmstat"), F_OK) != 0,
		"a recording does not write through a link");
	capture_close(fs);
	tree_free(&machine);
	tree_free(&recording);
}

/* Whoever has no descriptor left has not seen that a file is not there. */
static void test_no_descriptor(void)
{
	struct tree machine = tree_new(), recording = tree_new();
	struct capture *fs = NULL, *replay = NULL;
	struct rlimit limit, none;
	struct bytes bytes;
	int err, next;
	uint64_t ns;

	tree_write(&machine, "proc/vmstat", "1\n");
	capture_open(&fs, machine.dir, recording.dir);
	capture_next_sample(fs, &ns);
	capture_open_replay(&replay, recording.dir);
	next = dup(fileno(stdin));
	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	none = (struct rlimit){(rlim_t)next, limit.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	err = capture_read(fs, "/proc/vmstat", &bytes);
	capture_exists(replay, "/proc/vmstat");
	setrlimit(RLIMIT_NOFILE, &limit);
	ok(err == -EMFILE && capture_recording_error(fs) < 0,
		"a recording in which a file could not be opened is known not to be whole");
	ok(shortage_error(replay) == -EMFILE && shortage_error(fs) == -EMFILE,
		"that a file could not be looked at is known");
	capture_close(replay);
	capture_close(fs);
	tree_free(&machine);
	tree_free(&recording);
}

int main(void)
{
	test_no_descriptor();
	test_round_trip();
	test_made_by_others();
	test_refused();
	test_hostile();
	test_full();
	return tap_done();
}
