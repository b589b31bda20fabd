/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a command run whose processes become spans? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "spans/read.h"
#include "spans/spans.h"
#include "sys/place.h"
#include "tools/span/meanwhile.h"
#include "tools/span/options.h"
#include "tools/span/processes_file.h"
#include "tools/span/processes_poll.h"
#include "tools/span/processes_probe.h"
#include "tools/span/while.h"
#include "tools/span/while_locks.h"

#define WHILE "--while"
#define POLL_MS 10
#define LOCKS_MS 50 /* between two looks at the kernel's list of locks */
/* An interrupted command is waited for; then it is asked to end, then it is made to. */
#define ASK_AFTER_MS 2000
#define KILL_AFTER_MS 7000

/* The command, from the beginning of this process, when it had all its rights: it waits until it is
 * told to go on. */
static struct {
	pid_t pid;
	int go;	    /* a byte lets it go on, the end of the pipe ends it */
	int failed; /* the errno of its exec comes here */
} while_launcher = {.pid = -1, .go = -1, .failed = -1};

static void while_launch(int argc, char **argv);
EARLY(while_launch);

int span_while_at(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], WHILE))
			return i;
	return argc;
}

/* What it prints goes to standard error where standard output is for a program. */
static void while_become(char **words, int go, int failed)
{
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(0);
	if (byte == 'e')
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(words[0], words);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

static bool while_is_ours(int argc, char **argv)
{
	static const char name[] = "spandiagnose";
	const char *slash = strrchr(argv[0], '/');

	return !strcmp(slash ? slash + 1 : argv[0], name) || (argc > 1 && !strcmp(argv[1], name));
}

void while_launch(int argc, char **argv)
{
	int at, go[2], failed[2];

	if (!while_is_ours(argc, argv))
		return;
	at = span_while_at(argc, argv) + 1;
	if (at < argc && !strcmp(argv[at], "--"))
		at++;
	if (at >= argc || pipe2(go, O_CLOEXEC))
		return;
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return;
	}
	while_launcher.pid = fork();
	if (!while_launcher.pid) {
		close(go[1]);
		close(failed[0]);
		while_become(argv + at, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	while_launcher.go = go[1];
	while_launcher.failed = failed[0];
}

/* What watches: the kernel's probe, or a look at /proc again and again. */
struct while_watch {
	struct span_while *run;
	struct processes_probe *probe;
	struct processes_poll *poll;
	struct meanwhile_checks checks;
	int64_t locks_ms; /* of the last look at locks */
};

static void while_look(struct while_watch *watch)
{
	const int64_t now_ms = monotonic_ms();

	if (watch->probe)
		processes_probe_take(watch->probe);
	else
		processes_poll_look(watch->poll);
	processes_flush(&watch->run->processes, monotonic_ns());
	meanwhile_look(&watch->checks, &watch->run->meanwhile);
	if (now_ms - watch->locks_ms < LOCKS_MS)
		return;
	while_locks_look(watch->run, (double)(now_ms - watch->locks_ms) / 1000);
	watch->locks_ms = now_ms;
}

/* To its end. After Ctrl-C the command has had the signal too, from its terminal. */
static void while_wait(struct while_watch *watch)
{
	int64_t told_ms = 0, asked = 0;
	siginfo_t end = {0};

	while (waitid(P_PID, (id_t)while_launcher.pid, &end, WEXITED | WNOHANG | WNOWAIT) ||
		!end.si_pid) {
		while_look(watch);
		if (progress_interrupted() && !told_ms)
			told_ms = monotonic_ms();
		if (told_ms && asked < 1 && monotonic_ms() - told_ms > ASK_AFTER_MS) {
			kill(while_launcher.pid, SIGTERM);
			asked = 1;
		}
		if (told_ms && asked < 2 && monotonic_ms() - told_ms > KILL_AFTER_MS) {
			kill(while_launcher.pid, SIGKILL);
			asked = 2;
		}
		poll(NULL, 0, POLL_MS);
		end.si_pid = 0;
	}
	while_look(watch);
	waitpid(while_launcher.pid, &watch->run->status, 0);
}

/* Returns 0, or -errno after a message: the command did not begin. */
static int while_go(const struct span_options *asked)
{
	const char to = asked->format || asked->to ? 'e' : 'o';
	char *name;
	int err = 0;

	if (while_launcher.pid < 0 || write(while_launcher.go, &to, 1) != 1)
		err = EAGAIN;
	else if (read(while_launcher.failed, &err, sizeof(err)) != sizeof(err))
		return 0;
	name = escape_path(asked->command[0]);
	fprintf(stderr, "%s: %s: %s\n", asked->program, name, strerror(err));
	free(name);
	return -err;
}

static void while_watch_open(struct while_watch *watch, const struct span_options *asked)
{
	struct processes *to = &watch->run->processes;
	struct str why = STR_INIT;

	if (processes_probe_open(&watch->probe, while_launcher.pid, to, &why)) {
		fprintf(stderr,
			"%s: processes are looked for in /proc every %d ms, so that short ones may "
			"be "
			"missing and times are no more exact: BPF is not to be had, %s\n",
			asked->program, POLL_MS, str_text(&why));
		watch->probe = NULL;
		watch->run->polled = true;
		/* What its parent has left comes to us, and is found. */
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		watch->poll = processes_poll_open(to, while_launcher.pid);
	}
	str_free(&why);
}

/* Whether it is a plain file of ours under no other name: of what else lies there nothing is
 * emptied. */
static bool while_may_empty(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
		status.st_nlink == 1 && !ftruncate(fd, 0);
}

/* Nobody else chooses where root writes: the way is walked by sys/place.h, and no link is followed.
 */
static int while_keep(const char *path)
{
	struct str why = STR_INIT;
	const char *name;
	int dir = place_open_parent(path, &name, &why), fd;

	str_free(&why);
	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = -errno;
	close(dir);
	if (fd >= 0 && !while_may_empty(fd)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* The file of the spans; without --keep one that is gone at the end, unless we are killed. */
static int while_file(const struct span_options *asked, char *path, size_t size)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	if (asked->keep)
		return while_keep(asked->keep);
	if (snprintf(path, size, "%s/tuesday-spans.XXXXXX",
		    folder && *folder == '/' ? folder : "/tmp") < (int)size)
		fd = mkostemp(path, O_CLOEXEC);
	else
		return -ENAMETOOLONG;
	return fd < 0 ? -errno : fd;
}

static int while_read(int fd, struct span_table *table)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (copy < 0)
		return -errno;
	if (lseek(copy, 0, SEEK_SET) < 0) {
		close(copy);
		return -errno;
	}
	return spans_read(table, "the spans of the command", copy, NULL, NULL);
}

static int while_record(
	struct span_while *run, const struct span_options *asked, struct span_table *table, int fd)
{
	struct while_watch watch = {.run = run};
	int err;

	span_limits_default(&run->limits);
	processes_begin(&run->processes, fd, while_launcher.pid, asked->redact);
	while_watch_open(&watch, asked);
	watch.locks_ms = monotonic_ms();
	meanwhile_start(&watch.checks, run->processes.realtime_ns);
	/* What was loaded until now is none of the command's time. */
	run->processes.list->start_ns = monotonic_ns();
	if (watch.probe)
		processes_probe_begin(
			watch.probe, while_launcher.pid, run->processes.list->start_ns);
	err = while_go(asked);
	while_wait(&watch);
	meanwhile_end(&watch.checks, &run->meanwhile);
	if (watch.probe)
		run->lost = processes_probe_lost(watch.probe);
	processes_probe_close(watch.probe);
	processes_poll_close(watch.poll);
	if (err)
		return err;
	err = processes_end(&run->processes);
	if (!err)
		err = while_read(fd, table);
	if (err)
		fprintf(stderr, "%s: the spans of the command: %s\n", asked->program,
			strerror(-err));
	return err;
}

int span_while_run(
	struct span_while *run, const struct span_options *asked, struct span_table *table)
{
	char path[4096] = "";
	const int fd = while_file(asked, path, sizeof(path));
	int err;

	if (fd < 0) {
		char *shown = escape_path(asked->keep ? asked->keep : path);

		fprintf(stderr, "%s: %s: %s\n", asked->program, shown, strerror(-fd));
		free(shown);
		return fd;
	}
	err = while_record(run, asked, table, fd);
	close(fd);
	if (!asked->keep)
		unlink(path);
	return err;
}

int span_while_status(const struct span_while *run)
{
	return WIFSIGNALED(run->status) ? 128 + WTERMSIG(run->status) : WEXITSTATUS(run->status);
}

void span_while_free(struct span_while *run)
{
	processes_forget(&run->processes);
	meanwhile_free(&run->meanwhile);
}
