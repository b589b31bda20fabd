/* SPDX-License-Identifier: GPL-2.0-only */
/* What can a process still do that has entered the sandbox, and what does another open for it?
 * Built optimised: under AddressSanitizer there is no filter. */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/caps.h"
#include "sys/child.h"
#include "sys/opener.h"
#include "sys/read_write.h"
#include "sys/sandbox.h"
#include "sys/write_only.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"

/* Each returns what the kernel does. */
static long try_execve(void)
{
	char *const none[] = {NULL};

	return execve("/bin/true", none, none);
}

static long try_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid;
}

static long try_inet(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static long try_unix(void)
{
	return socket(AF_UNIX, SOCK_DGRAM, 0);
}

static long try_ptrace(void)
{
	return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL);
}

static long try_kill(void)
{
	return kill(getppid(), 0);
}

static long try_mount(void)
{
	return mount("none", "/", "tmpfs", 0, NULL);
}

static long try_bpf(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

static long try_terminal(void)
{
	return ioctl(STDIN_FILENO, TIOCSTI, "x");
}

static long try_code(void)
{
	void *code = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return code == MAP_FAILED ? -1 : 0;
}

static long try_limits_of_others(void)
{
	return syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, NULL, NULL);
}

static const struct {
	const char *what;
	long (*attempt)(void);
} attempts[] = {
	{"starts no program", try_execve},
	{"makes no process", try_fork},
	{"opens no network socket", try_inet},
	{"opens no socket of this machine unless it was said", try_unix},
	{"traces nobody", try_ptrace},
	{"signals nobody", try_kill},
	{"mounts nothing", try_mount},
	{"loads no BPF", try_bpf},
	{"types nothing into a terminal", try_terminal},
	{"makes no memory that can be run", try_code},
	{"sees no limits of others", try_limits_of_others},
};

static int try_all(void *arg, int fd)
{
	char refused[ARRAY_SIZE(attempts)];
	size_t i;

	(void)arg;
	if (sandbox_enter(0))
		return 1;
	for (i = 0; i < ARRAY_SIZE(attempts); i++) {
		errno = 0;
		refused[i] = attempts[i].attempt() == -1 && errno == EPERM;
	}
	return write_all(fd, refused, sizeof(refused)) != 0;
}

/* What work answers in a child. The caller frees. */
static struct str answer_of(int (*work)(void *arg, int fd), void *arg)
{
	struct str answer = STR_INIT;
	struct child child;

	if (child_start(&child, work, arg) ||
		child_collect(&child, 10000, NULL, NULL, &answer, NULL))
		str_clear(&answer);
	return answer;
}

static void test_refused(void)
{
	struct str answer = answer_of(try_all, NULL);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attempts); i++)
		ok(answer.len == ARRAY_SIZE(attempts) && answer.text[i],
			"in the sandbox a process %s", attempts[i].what);
	str_free(&answer);
}

/* What a command on files needs: a file of its own, its own state, memory, time, a journal's
 * socket. */
static int work_on_files(void *arg, int fd)
{
	const char *dir = arg;
	struct timespec moment = {0, 1000};
	char *path = mem_printf("%s/new", dir), *moved = mem_printf("%s/moved", dir), back[4] = "";
	int file, err = sandbox_enter(SANDBOX_TELLS);
	bool fine;

	file = err ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	fine = file >= 0 && write(file, "one", 3) == 3 && !fsync(file) &&
		pread(file, back, 3, 0) == 3 && !strcmp(back, "one") && !rename(path, moved) &&
		!unlink(moved) && !nanosleep(&moment, NULL) && try_unix() >= 0 &&
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
			MAP_FAILED;
	if (file >= 0)
		close(file);
	free(path);
	free(moved);
	return write_all(fd, fine ? "fine" : strerror(errno), 4) != 0;
}

static void *do_nothing(void *arg)
{
	*(bool *)arg = true;
	return NULL;
}

/* What reads very much may begin threads, and nothing else that it could not before. */
static int work_in_threads(void *arg, int fd)
{
	bool begun = false, fine;
	pthread_t thread;

	(void)arg;
	fine = !sandbox_enter(SANDBOX_READS | SANDBOX_WORKS) &&
		!pthread_create(&thread, NULL, do_nothing, &begun) && !pthread_join(thread, NULL) &&
		begun && memfd_create("test", MFD_CLOEXEC) >= 0;
	fine = fine && try_fork() == -1 && errno == EPERM && try_execve() == -1 && errno == EPERM &&
		try_unix() == -1 && errno == EPERM;
	return write_all(fd, fine ? "fine" : "none", 4) != 0;
}

/* Where that was not asked for. */
static int work_without_threads(void *arg, int fd)
{
	bool begun = false;
	pthread_t thread;
	bool refused;

	(void)arg;
	refused = !sandbox_enter(0) && pthread_create(&thread, NULL, do_nothing, &begun) != 0;
	return write_all(fd, refused ? "fine" : "none", 4) != 0;
}

static void test_threads(void)
{
	struct str with = answer_of(work_in_threads, NULL),
		   without = answer_of(work_without_threads, NULL);

	ok(!strcmp(str_text(&with), "fine"), "who asked for it begins threads, and no process");
	ok(!strcmp(str_text(&without), "fine"), "nobody else does");
	str_free(&with);
	str_free(&without);
}

static int tell_status(void *arg, int fd)
{
	struct str status = STR_INIT;
	int from, err;

	(void)arg;
	if (sandbox_enter(0) || sandbox_enter(SANDBOX_TELLS))
		return 1;
	from = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	err = from < 0 ? -errno : read_all(from, 1 << 16, &status);
	if (!err)
		err = write_all(fd, status.text, status.len);
	str_free(&status);
	return err != 0;
}

static void test_allowed(struct tree *tree)
{
	struct str answer = answer_of(work_on_files, tree->dir),
		   status = answer_of(tell_status, NULL);

	ok(!strcmp(str_text(&answer), "fine"),
		"files are written, renamed and removed there, and the journal is reached");
	ok(strstr(str_text(&status), "\nCapPrm:\t0000000000000000\n") &&
			strstr(str_text(&status), "\nCapEff:\t0000000000000000\n"),
		"no capability is permitted");
	ok(strstr(str_text(&status), "\nNoNewPrivs:\t1\n") &&
			strstr(str_text(&status), "\nSeccomp:\t2\n"),
		"a filter holds, and no program that is started gets more; once in, one stays in");
	str_free(&answer);
	str_free(&status);
}

/* A file of somebody that only he may read, below a directory into which only he may go. */
static void make_closed(const struct tree *tree)
{
	tree_write(tree, "closed/file", "closed");
	if (chmod(tree_path(tree, "closed/file"), 0600) ||
		chown(tree_path(tree, "closed/file"), 65534, 65534) ||
		chown(tree_path(tree, "closed"), 65534, 65534))
		abort();
}

/* Word by word: what is opened, what is not. */
static int ask_opener(void *arg, int fd)
{
	char *path = mem_printf("%s/closed/file", (const char *)arg), text[8] = "";
	struct str said = STR_INIT;
	int dir = open(arg, O_PATH | O_DIRECTORY | O_CLOEXEC), file, err;

	caps_start(CAPS_ALL);
	if (sandbox_enter(SANDBOX_READS))
		return 1;
	file = open(path, O_RDONLY | O_CLOEXEC);
	str_addf(&said, "%s ", file < 0 ? strerror(errno) : "open");
	file = opener_open(AT_FDCWD, path, O_RDONLY);
	str_addf(&said, "%s ", read(file, text, 6) == 6 ? text : "nothing");
	file = opener_open_beneath(dir, "closed/file", O_RDONLY);
	str_addf(&said, "%s ", file >= 0 ? "beneath" : strerror(-file));
	file = opener_open(AT_FDCWD, path, O_RDWR);
	str_addf(&said, "%s ", file == -EINVAL ? "unwritten" : "written");
	file = opener_open(AT_FDCWD, path, O_RDONLY | O_TRUNC);
	str_addf(&said, "%s", file == -EINVAL ? "kept" : "cut");
	err = write_all(fd, said.text, said.len);
	str_free(&said);
	free(path);
	return err != 0;
}

static void test_opener(struct tree *tree)
{
	struct str said;

	if (geteuid()) {
		ok(true, "what others have closed is opened for root # SKIP needs root");
		return;
	}
	make_closed(tree);
	said = answer_of(ask_opener, tree->dir);
	ok(!strcmp(str_text(&said), "Permission denied closed beneath unwritten kept"),
		"what others have closed is opened for root by a process that only reads: %s",
		str_text(&said));
	str_free(&said);
}

/* Word by word: what of a file system that was told what is written there can be written. */
static int write_where(void *arg, int fd)
{
	const struct tree *tree = arg;
	const char *out = tree_path(tree, "out/report.json");
	const char *const written[] = {NULL, out};
	int in_folder, beside, kept = open(tree_path(tree, "kept"), O_WRONLY | O_CLOEXEC);
	struct str said = STR_INIT;
	int err;

	if (sandbox_enter(0))
		return 1;
	write_only(written, ARRAY_SIZE(written));
	in_folder = open(tree_path(tree, "out/new"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	beside = open(tree_path(tree, "kept"), O_WRONLY | O_CLOEXEC);
	str_addf(&said, "%s %s ", in_folder < 0 ? "lost" : "written",
		beside < 0 ? strerror(errno) : "opened");
	str_addf(&said, "%s %s %s", unlink(tree_path(tree, "kept")) ? "there" : "gone",
		write(kept, "x", 1) == 1 ? "open" : "shut",
		access(tree_path(tree, "kept"), R_OK) ? "hidden" : "read");
	err = write_all(fd, said.text, said.len);
	str_free(&said);
	return err != 0;
}

static void test_write_only(struct tree *tree)
{
	struct str said;

	if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1) {
		ok(true, "only what is said is written # SKIP the kernel has no Landlock");
		return;
	}
	tree_write(tree, "kept", "");
	tree_mkdirs(tree, "out");
	said = answer_of(write_where, tree);
	ok(!strcmp(str_text(&said), "written Permission denied there open read"),
		"only what is said is written, and what is open stays so: %s", str_text(&said));
	str_free(&said);
}

int main(void)
{
	struct tree tree = tree_new();

	test_threads();
	test_refused();
	test_allowed(&tree);
	test_opener(&tree);
	test_write_only(&tree);
	tree_free(&tree);
	return tap_done();
}
