/* SPDX-License-Identifier: GPL-2.0-only */
/* Are files read once a sample, on kept descriptors, and never more of them than the process has?
 */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "capture/capture.h"
#include "tap.h"
#include "tree.h"
#include "capture/glob.h"
#include "capture/list.h"

#define SOCKETS 100

static struct capture *open_tree(const struct tree *tree)
{
	struct capture *fs = NULL;

	if (capture_open(&fs, tree->dir, NULL))
		exit(1);
	return fs;
}

static void next(struct capture *fs)
{
	uint64_t ns;

	if (capture_next_sample(fs, &ns))
		exit(1);
}

static bool reads(struct capture *fs, const char *path, const char *expected)
{
	struct bytes bytes;

	return !capture_read(fs, path, &bytes) && bytes.len == strlen(expected) &&
		!memcmp(bytes.data, expected, bytes.len) && !bytes.data[bytes.len];
}

static void test_samples(void)
{
	struct tree tree = tree_new();
	struct capture *fs = open_tree(&tree);
	struct bytes once, other;
	uint64_t first, second;

	tree_write(&tree, "proc/vmstat", "pgfault 1\n");
	tree_write(&tree, "proc/empty", "");
	capture_next_sample(fs, &first);
	ok(reads(fs, "/proc/vmstat", "pgfault 1\n"), "a file is read below the root");
	ok(reads(fs, "/proc/empty", ""), "an empty file has no bytes");
	tree_write(&tree, "proc/vmstat", "pgfault 22\n");
	ok(reads(fs, "/proc/vmstat", "pgfault 1\n"),
		"a second read in a sample gives the same bytes");
	ok(capture_read(fs, "/proc/late", &other) == -ENOENT, "what is not there is -ENOENT");
	tree_write(&tree, "proc/late", "x\n");
	ok(capture_read(fs, "/proc/late", &other) == -ENOENT, "and stays so for the sample");
	capture_next_sample(fs, &second);
	ok(second >= first, "time does not run backwards");
	ok(reads(fs, "/proc/vmstat", "pgfault 22\n"), "the next sample reads anew");
	ok(reads(fs, "/proc/late", "x\n"), "the next sample finds what is new");
	ok(!capture_read_once(fs, "/proc/late", &once) &&
			!capture_read(fs, "/proc/empty", &other) && once.len == 2 &&
			!memcmp(once.data, "x\n", 2),
		"bytes of procfs_read_once survive another procfs_read");
	ok(!capture_is_live(fs) && !capture_is_replay(fs),
		"a root elsewhere is neither live nor a replay");
	capture_close(fs);
	tree_free(&tree);
}

static void test_paths(void)
{
	struct tree tree = tree_new();
	struct capture *fs = open_tree(&tree);
	struct bytes bytes;
	char target[8];

	tree_write(&tree, "proc/vmstat", "1\n");
	tree_write(&tree, "proc/..data", "1\n");
	next(fs);
	ok(capture_read(fs, "/proc/../proc/vmstat", &bytes) == -EINVAL, "'..' is refused");
	ok(capture_read(fs, "/proc/..", &bytes) == -EINVAL, "'..' at the end is refused");
	ok(capture_read(fs, "/./proc/vmstat", &bytes) == -EINVAL, "'.' is refused");
	ok(capture_read(fs, "proc/vmstat", &bytes) == -EINVAL, "a relative path is refused");
	ok(capture_read(fs, "/proc/..data", &bytes) == 0, "a name that begins with dots is a name");
	ok(capture_read(fs, "/proc", &bytes) == -ENXIO, "a directory is no file to read");
	ok(mkfifo(tree_path(&tree, "proc/fifo"), 0600) == 0 &&
			capture_read(fs, "/proc/fifo", &bytes) == -ENXIO,
		"a FIFO is not waited for");
	ok(!truncate(tree_path(&tree, "proc/vmstat"), (8 << 20) + 1) &&
			capture_read(fs, "/proc/vmstat", &bytes) == -EFBIG,
		"more than 8 MiB is refused");
	ok(!symlink("a-long-target", tree_path(&tree, "proc/link")) &&
			!capture_readlink(fs, "/proc/link", target, sizeof(target)) &&
			!strcmp(target, "a-long-"),
		"a link's target is cut to the buffer");
	ok(capture_exists(fs, "/proc/link") == false && capture_exists(fs, "/proc"),
		"a dangling link does not exist, a directory does");
	capture_close(fs);
	tree_free(&tree);
}

static void test_live(void)
{
	struct capture *fs = NULL;
	struct bytes bytes, again;
	char path[64];
	pid_t child;
	int status;

	ok(!capture_open(&fs, "/", NULL) && capture_is_live(fs), "the root / is the live machine");
	next(fs);
	ok(!capture_read(fs, "/proc/sys/kernel/pid_max", &bytes) && bytes.len > 1 && bytes.len < 16,
		"a sysctl is read whole");
	if (capture_read(fs, "/proc/crypto", &bytes) || bytes.len <= 4096)
		ok(true, "a seq file of several pages is read whole # SKIP no long /proc/crypto");
	else
		ok(bytes.data[bytes.len - 1] == '\n' &&
				!capture_read_once(fs, "/proc/crypto", &again) &&
				again.len == bytes.len,
			"a seq file of several pages is read whole");
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	ok(!capture_read(fs, path, &bytes), "a process's file is read");
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	next(fs);
	ok(capture_read(fs, path, &bytes) == -ENOENT,
		"a kept descriptor of what is gone gives an error, not old bytes");
	capture_close(fs);
}

static int count(void *arg, const char *name)
{
	(void)name;
	return ++*(int *)arg < 0;
}

static int open_descriptors(void)
{
	struct capture *fs = NULL;
	int n = 0;

	capture_open(&fs, "/", NULL);
	capture_list(fs, "/proc/self/fd", count, &n);
	capture_close(fs);
	return n;
}

/* How many lines of /proc/net/udp are of the address that test_pieces binds to, which is the same
 * in either byte order. */
static size_t count_sockets(struct bytes text)
{
	size_t i, n = 0;

	for (i = 0; i + 10 <= text.len; i++)
		n += !memcmp(text.data + i, " 7F42427F:", 10);
	return n;
}

/* More lines than a page holds: the kernel gives them in pieces. */
static void test_pieces(void)
{
	const struct sockaddr_in any = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f42427f)};
	struct bytes text = {NULL, 0};
	struct capture *fs = NULL;
	int sockets[SOCKETS];
	size_t i, bound = 0;

	if (capture_open(&fs, "/", NULL))
		exit(1);
	next(fs);
	capture_read(fs, "/proc/net/udp", &text);
	for (i = 0; i < SOCKETS; i++) {
		sockets[i] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		bound += sockets[i] >= 0 &&
			!bind(sockets[i], (const struct sockaddr *)&any, sizeof(any));
	}
	next(fs);
	ok(bound == SOCKETS && !capture_read(fs, "/proc/net/udp", &text) && text.len > 2 * 4096 &&
			count_sockets(text) >= SOCKETS,
		"a table of the network is read to its end");
	for (i = 0; i < SOCKETS; i++)
		if (sockets[i] >= 0)
			close(sockets[i]);
	capture_close(fs);
}

static void test_budget(void)
{
	struct tree tree = tree_new();
	struct rlimit limit, low;
	struct capture *fs;
	char path[64], text[64];
	int i, sample, wrong = 0, most = 0;

	for (i = 0; i < 60; i++) {
		snprintf(path, sizeof(path), "proc/%d", i);
		snprintf(text, sizeof(text), "%*d\n", 1 + i % 40, i);
		tree_write(&tree, path, text);
	}
	getrlimit(RLIMIT_NOFILE, &limit);
	low = (struct rlimit){40, limit.rlim_max};
	setrlimit(RLIMIT_NOFILE, &low);
	fs = open_tree(&tree);
	for (sample = 0; sample < 4; sample++) {
		next(fs);
		for (i = 0; i < 60; i++) {
			snprintf(path, sizeof(path), "/proc/%d", i);
			snprintf(text, sizeof(text), "%*d\n", 1 + i % 40, i);
			wrong += !reads(fs, path, text);
		}
		most = open_descriptors() > most ? open_descriptors() : most;
		/* The limit falls below what is kept already. */
		low.rlim_cur = sample == 1 ? 16 : 24;
		if (sample)
			setrlimit(RLIMIT_NOFILE, &low);
	}
	setrlimit(RLIMIT_NOFILE, &limit);
	ok(!wrong, "60 files are read with 40, 24 and 16 descriptors");
	ok(most <= 30, "no more than half of the descriptors are kept (%d open)", most);
	capture_close(fs);
	tree_free(&tree);
}

struct found {
	char text[512];
};

static int add_found(void *arg, const char *path, const char *star)
{
	struct found *found = arg;
	size_t len = strlen(found->text);

	snprintf(found->text + len, sizeof(found->text) - len, "%s=%s ", star, path);
	return 0;
}

static bool globs(struct capture *fs, const char *pattern, const char *expected)
{
	struct found found = {""};

	return !capture_glob(fs, pattern, add_found, &found) && !strcmp(found.text, expected);
}

static void test_glob(void)
{
	struct tree tree = tree_new();
	struct capture *fs = open_tree(&tree);

	tree_write(&tree, "sys/block/vda/queue/rotational", "1\n");
	tree_write(&tree, "sys/block/vdb/queue/rotational", "1\n");
	tree_write(&tree, "sys/block/loop0/size", "1\n");
	tree_write(&tree, "sys/cpu/cpu0/x", "1\n");
	tree_write(&tree, "sys/cpu/cpu12/x", "1\n");
	tree_write(&tree, "sys/cpu/cpufreq/x", "1\n");
	tree_write(&tree, "sys/a/rx-0-irq/n1", "1\n");
	next(fs);
	ok(globs(fs, "/sys/block/*/queue/rotational",
		   "vda=/sys/block/vda/queue/rotational vdb=/sys/block/vdb/queue/rotational "),
		"a star stands for each entry that leads to a file");
	ok(globs(fs, "/sys/cpu/cpu*/x",
		   "0=/sys/cpu/cpu0/x 12=/sys/cpu/cpu12/x freq=/sys/cpu/cpufreq/x "),
		"a star can be part of a name");
	ok(globs(fs, "/sys/a/rx-*-*/n*", "0/irq/1=/sys/a/rx-0-irq/n1 "),
		"several stars are joined by slashes");
	ok(globs(fs, "/sys/block/v*a/size", ""), "what does not exist is not found");
	ok(globs(fs, "/sys/block/loop0/size", "=/sys/block/loop0/size "),
		"a pattern without a star is a path");
	ok(globs(fs, "/sys/cpu/cpu12cpu*/x", "") && globs(fs, "/nowhere/*/x", ""),
		"a pattern that matches nothing finds nothing");
	capture_close(fs);
	tree_free(&tree);
}

static void note_release(void *object)
{
	++*(int *)object;
}

static void test_shared(void)
{
	struct tree tree = tree_new();
	struct capture *fs = open_tree(&tree);
	struct bytes bytes;
	int released = 0, fd;

	tree_write(&tree, "other", "far\n");
	capture_attach(fs, "thing", &released, note_release);
	ok(capture_attached(fs, "thing") == &released && !capture_attached(fs, "nothing"),
		"a shared object is found by its key");
	fd = open(tree_path(&tree, "other"), O_RDONLY);
	ok(!capture_adopt(fs, "@netns/a/net/dev", fd) && reads(fs, "@netns/a/net/dev", "far\n"),
		"an adopted descriptor is read under its name");
	next(fs);
	ok(reads(fs, "@netns/a/net/dev", "far\n"), "and again in the next sample");
	ok(capture_read(fs, "@netns/b/net/dev", &bytes) == -ENOENT,
		"a name that nobody gave is not there");
	ok(!capture_put_blob(fs, "answer", "42", 2) && !capture_get_blob(fs, "answer", &bytes) &&
			bytes.len == 2,
		"a blob is there for the rest of the sample");
	next(fs);
	ok(capture_get_blob(fs, "answer", &bytes) == -ENOENT, "and not in the next");
	ok(capture_put_blob(fs, "a/../../b", "42", 2) == -EINVAL,
		"a blob's name leads nowhere else");
	capture_close(fs);
	ok(released == 1, "a shared object is released at the end");
	tree_free(&tree);
}

int main(void)
{
	test_samples();
	test_paths();
	test_live();
	test_pieces();
	test_budget();
	test_glob();
	test_shared();
	return tap_done();
}
