/* SPDX-License-Identifier: GPL-2.0-only */
/* Does all of it get through, with signals in between, and is a file the old or the new one? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/atomic_file.h"
#include "sys/read_write.h"
#include "tests/unit/tap.h"

/* More than a pipe holds, so that who writes waits and is interrupted. */
#define LARGE ((size_t)1 << 20)

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
}

/* A signal each two milliseconds, and calls that it interrupts do not go on by themselves. */
static void ring(bool on)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	const struct itimerval often = {{0, on ? 2000 : 0}, {0, on ? 2000 : 0}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

/* Reads slowly in another process; its exit status says whether it was what was written. */
static pid_t start_reader(int from, int close_first)
{
	pid_t pid = fork();
	struct str text = STR_INIT;
	size_t i, wrong = 0;

	if (pid)
		return pid;
	close(close_first);
	usleep(20000);
	if (read_all(from, LARGE, &text) || text.len != LARGE)
		_exit(2);
	for (i = 0; i < text.len; i++)
		wrong += text.text[i] != (char)('a' + i % 26);
	_exit(wrong != 0);
}

static void goes_through(void)
{
	char *large = mem_alloc(LARGE);
	int fds[2], status = -1, err;
	size_t i;
	pid_t pid;

	for (i = 0; i < LARGE; i++)
		large[i] = (char)('a' + i % 26);
	if (pipe(fds))
		return;
	pid = start_reader(fds[0], fds[1]);
	close(fds[0]);
	ring(true);
	err = write_all(fds[1], large, LARGE);
	ring(false);
	close(fds[1]);
	waitpid(pid, &status, 0);
	ok(!err && alarms > 0 && !status, "a mebibyte goes through a pipe while signals interrupt");
	free(large);
}

/* Reading waits for a byte that comes late, and is interrupted meanwhile. */
static void reads_on(void)
{
	struct str text = STR_INIT;
	int fds[2], err;
	pid_t pid;

	if (pipe(fds))
		return;
	alarms = 0;
	pid = fork();
	if (!pid) {
		usleep(20000);
		_exit(write_all(fds[1], "late", 4) != 0);
	}
	close(fds[1]);
	ring(true);
	err = read_all(fds[0], 4, &text);
	ring(false);
	ok(!err && alarms > 0 && !strcmp(str_text(&text), "late"),
		"reading goes on after a signal, and takes as much as it may");
	close(fds[0]);
	waitpid(pid, NULL, 0);
	str_free(&text);
}

static void refuses(void)
{
	struct str text = STR_INIT;
	int zeros = open("/dev/zero", O_RDONLY), full = open("/dev/full", O_WRONLY);

	str_add(&text, "before");
	ok(read_all(zeros, 100, &text) == -EFBIG && text.len == 6,
		"what is beyond the bound is refused, and what was there stays");
	ok(read_all(-1, 100, &text) == -EBADF, "an error of reading is said");
	ok(write_all(full, "x", 1) == -ENOSPC, "one of writing, too");
	ok(!write_all(-1, "x", 0), "to write nothing cannot fail");
	close(zeros);
	close(full);
	str_free(&text);
}

static bool holds(int dir, const char *name, const char *expected, mode_t mode)
{
	int fd = openat(dir, name, O_RDONLY);
	struct str text = STR_INIT;
	struct stat st = {0};
	bool same;

	same = fd >= 0 && !read_all(fd, 4096, &text) && !strcmp(str_text(&text), expected) &&
		!fstat(fd, &st) && (st.st_mode & 07777) == mode;
	if (fd >= 0)
		close(fd);
	str_free(&text);
	return same;
}

static void is_old_or_new(void)
{
	char path[] = "/tmp/tuesday-unit-XXXXXX";
	int dir = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY) : -1;

	ok(!directory_write(dir, "note", 0640, "one\n", 4) && holds(dir, "note", "one\n", 0640),
		"a file is made in a directory, with its mode whatever the mask is");
	close(openat(dir, ".note.new", O_CREAT | O_WRONLY, 0644));
	ok(!directory_write(dir, "note", 0600, "two\n", 4) && holds(dir, "note", "two\n", 0600) &&
			faccessat(dir, ".note.new", F_OK, 0),
		"it is replaced, and what somebody left half written is no obstacle");
	mkdirat(dir, ".note.new", 0755);
	ok(directory_write(dir, "note", 0600, "three\n", 6) == -EEXIST &&
			holds(dir, "note", "two\n", 0600),
		"where no new one can be made the old one stays");
	unlinkat(dir, ".note.new", AT_REMOVEDIR);
	mkdirat(dir, "place", 0755);
	ok(directory_write(dir, "place", 0600, "x", 1) == -EISDIR &&
			faccessat(dir, ".place.new", F_OK, 0),
		"where it cannot take its place nothing is left beside");
	unlinkat(dir, "place", AT_REMOVEDIR);
	unlinkat(dir, "note", 0);
	close(dir);
	rmdir(path);
}

int main(void)
{
	umask(077);
	goes_through();
	reads_on();
	refuses();
	is_old_or_new();
	return tap_done();
}
