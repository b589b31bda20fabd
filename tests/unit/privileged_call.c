/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a right effective for a call to the kernel, and for nothing that is done with its answer? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/capture.h"
#include "capture/links.h"
#include "capture/list.h"
#include "sample/source.h"
#include "sample/sweep.h"
#include "sys/caps.h"
#include "sys/privileged_call.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"

#define NOBODY 65534

/* A file of another user in a directory of his, both shut. */
static void files_make(const struct tree *tree)
{
	const char *dir = tree_path(tree, "closed"), *file = tree_path(tree, "closed/file");
	int fd = -1;

	if (mkdir(dir, 0700) || (fd = open(file, O_WRONLY | O_CREAT, 0600)) < 0 ||
		write(fd, "text", 4) != 4 || fchown(fd, NOBODY, NOBODY) ||
		chown(dir, NOBODY, NOBODY))
		exit(1);
	close(fd);
}

static void test_files(const struct tree *tree)
{
	const char *file = tree_path(tree, "closed/file");
	char text[8] = "";
	struct stat st;
	int fd;

	ok(open(file, O_RDONLY) < 0 && errno == EACCES, "what another user has shut is shut");
	fd = privileged_openat(AT_FDCWD, file, O_RDONLY | O_CLOEXEC);
	ok(fd >= 0 && privileged_pread(fd, text, 4, 0) == 4 && !strcmp(text, "text"),
		"and is read where it has to be");
	ok(!caps_any_effective(), "no right is left effective by that");
	ok(!privileged_fstatat(AT_FDCWD, file, &st, 0) && st.st_uid == NOBODY &&
			!caps_any_effective(),
		"nor by a look at it");
	close(fd);
	ok(privileged_openat(AT_FDCWD, "/nowhere", O_RDONLY) < 0 && errno == ENOENT,
		"what is not there is not there");
}

/* A process with more rights than we have effective, so that its descriptors take one to see. */
static pid_t start_other(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	pause();
	_exit(0);
}

static int found_raised, found_links;

static int take_link(void *arg, const char *name, const char *target)
{
	(void)name;
	found_raised += caps_any_effective();
	found_links += !strcmp(target, arg);
	return 0;
}

static void test_links(pid_t other)
{
	char *dir = mem_printf("/proc/%d/fd", (int)other), *link = mem_printf("%s/0", dir);
	char plain[64], target[64] = "";
	struct capture *fs = NULL;
	ssize_t n;

	ok(readlink(link, plain, sizeof(plain)) < 0 && errno == EACCES,
		"what a process with more rights has open is hidden");
	n = privileged_readlinkat(AT_FDCWD, link, target, sizeof(target) - 1);
	ok(n > 0 && !caps_any_effective(), "and seen where it has to be: %s", target);
	if (capture_open(&fs, "/", NULL))
		exit(1);
	ok(!capture_list_links(fs, dir, take_link, target) && found_links && !found_raised,
		"all its links are, and are handed on with no right effective");
	capture_close(fs);
	free(link);
	free(dir);
}

/* What a source hands on while it parses. */
static size_t sources_values, sources_raised;
static const char *sources_first;

static void sources_take(void *arg, const char *instance, const char *field, double value)
{
	(void)instance;
	(void)field;
	(void)value;
	sources_values++;
	if (!caps_any_effective())
		return;
	sources_raised++;
	sources_first = sources_first ? sources_first : arg;
}

static void sources_list_one(void *arg, const struct source *source)
{
	char *missing = NULL;

	if (!source->name || *source->name == '/')
		return;
	sweep_list(source, arg, sources_take, (void *)source->name, &missing);
	if (caps_any_effective() && !sources_first) {
		sources_raised++;
		sources_first = source->name;
	}
	free(missing);
}

/* A live machine, by every source that there is. */
static void test_sources(void)
{
	struct capture *fs = NULL;
	uint64_t ns;

	if (capture_open(&fs, "/", NULL) || capture_next_sample(fs, &ns))
		exit(1);
	source_each(sources_list_one, fs);
	capture_close(fs);
	ok(sources_values > 100, "the sources hand on %zu values of this machine", sources_values);
	ok(!sources_raised, "none of them while a right is effective%s%s",
		sources_first ? ": first " : "", sources_first ? sources_first : "");
}

/* A /proc of our own; before Linux 5.8 hiding was everybody's. */
static bool proc_hides(void)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		!mount("proc", "/proc", "proc", 0, "hidepid=ptraceable");
}

struct wanted_name {
	const char *name;
	bool found;
};

static int take_name(void *arg, const char *name)
{
	struct wanted_name *wanted = arg;

	found_raised += caps_any_effective();
	wanted->found |= !strcmp(name, wanted->name);
	return wanted->found;
}

/* Where the kernel says nothing of who may not be traced, as if he were not there. */
static void test_hidden(pid_t other)
{
	char *pid = mem_printf("%d", (int)other), *path = mem_printf("/proc/%d/stat", (int)other);
	struct wanted_name wanted = {pid, false};
	struct capture *fs = NULL;
	struct bytes text;
	struct stat st;

	if (capture_open(&fs, "/", NULL))
		exit(1);
	ok(stat(path, &st) && errno == ENOENT, "a process is hidden as if it were not there");
	found_raised = 0;
	capture_list(fs, "/proc", take_name, &wanted);
	ok(!capture_read_once(fs, path, &text) && text.len, "and is read where it has to be");
	ok(wanted.found && !found_raised && !caps_any_effective(),
		"and listed, with no right left effective");
	capture_close(fs);
	free(path);
	free(pid);
}

static void test_without(const struct tree *tree)
{
	const char *file = tree_path(tree, "closed/file");

	caps_drop(CAPS_ALL);
	ok(privileged_openat(AT_FDCWD, file, O_RDONLY) < 0 && errno == EACCES,
		"without the right there is none to raise");
}

static void test_all(const struct tree *tree, pid_t other, bool hidden)
{
	if (hidden) {
		test_hidden(other);
		return;
	}
	test_files(tree);
	test_links(other);
	test_sources();
	test_without(tree);
}

/* In a child each: what it gives up, and its /proc, are its own. */
static void test_apart(const struct tree *tree, pid_t other, bool hidden)
{
	pid_t child;
	int status = 0;

	fflush(stdout);
	child = fork();
	if (!child) {
		if (hidden && !proc_hides())
			ok(true, "a hidden process is seen # SKIP needs Linux 5.8");
		else if (caps_start(CAPS_ALL))
			exit(1);
		else
			test_all(tree, other, hidden);
		fflush(stdout);
		_exit(tap_failed ? 1 : tap_tests + 1);
	}
	waitpid(child, &status, 0);
	tap_failed += !WIFEXITED(status) || WEXITSTATUS(status) < 2;
	if (WEXITSTATUS(status))
		tap_tests = WEXITSTATUS(status) - 1;
}

int main(void)
{
	bool root = !geteuid() && caps_have(CAPS_ALL & ~CAPS_GPU_ERRORS);
	struct tree tree = tree_new();
	pid_t other = start_other();

	if (root) {
		files_make(&tree);
		test_apart(&tree, other, true);
		test_apart(&tree, other, false);
	} else {
		ok(true, "rights are for calls alone # SKIP needs root");
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	tree_free(&tree);
	return tap_done();
}
