/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How is a program run that may hang, fork, flood or misbehave?
 *
 * A supervisor, itself a child, starts it in a session of its own and adopts whatever it leaves
 * behind. The supervisor keeps the deadline; the run waits a little longer for the supervisor.
 */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/caps.h"
#include "sys/child.h"
#include "sys/raised_limit.h"
#include "base/num.h"
#include "sys/read_write.h"
#include "sys/subprocess.h"
#include "base/str.h"

#define FIRST_LINE "tuesday-plugin 1\n"
#define GRACE_MS 5000
#define POLL_MS 50
/* How long output may come after the program itself has ended. */
#define LINGER_MS 200
/* So often those that it left behind are looked for and killed, 10 ms apart. */
#define KILL_ROUNDS 200
#define ERROR_OUTPUT_MAX 4096

/* What the supervisor works on. */
struct watch {
	const struct plugin *plugin;
	pid_t pid;
	int out, err; /* what the program writes, -1 at its end */
	int failed;   /* the errno of its exec comes here */
	struct str output, errors;
	int64_t deadline;
	bool ended;
	bool flooded, late, stopped;
};

static volatile sig_atomic_t told_to_stop;

static void subprocess_note_stop(int signal_number)
{
	(void)signal_number;
	told_to_stop = 1;
}

/* An experiment's keeper is spared when memory runs out; what it starts need not be. */
static void be_mortal(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "0", 1) == 1)
		close(fd);
}

/* The program's side of the fork. */
static void become_plugin(
	const struct plugin *plugin, pid_t supervisor, int out, int err, int failed)
{
	static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	static char locale[] = "LC_ALL=C";
	char *environment[] = {path, locale, plugin->variable, NULL};
	const struct rlimit no_core = {0};
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), number, why;
	sigset_t none;

	for (number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	child_ends_with(supervisor, SIGKILL);
	raised_limits_undo();
	setrlimit(RLIMIT_CORE, &no_core);
	if (plugin->privileged)
		be_mortal();
	umask(077);
	if (chdir("/") || null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(127);
	/* A descriptor that somebody left open to us is none of its business; ours are all closed
	 * by the exec, which Linux before 5.9 leaves it at. */
	close_range(3, (unsigned int)failed - 1, 0);
	close_range((unsigned int)failed + 1, ~0u, 0);
	execve(plugin->words[0], plugin->words, environment);
	why = errno;
	if (write(failed, &why, sizeof(why)) != sizeof(why))
		_exit(126);
	_exit(127);
}

static int start_program(struct watch *watch)
{
	int out[2], err[2], failed[2], n;
	pid_t supervisor = getpid();

	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return -errno;
	watch->pid = fork();
	if (watch->pid < 0)
		return -errno;
	if (!watch->pid)
		become_plugin(watch->plugin, supervisor, out[1], err[1], failed[1]);
	close(out[1]);
	close(err[1]);
	close(failed[1]);
	watch->out = out[0];
	watch->err = err[0];
	if (read(failed[0], &n, sizeof(n)) != sizeof(n))
		n = 0;
	close(failed[0]);
	return -n;
}

/* Takes what has come. At the end of it the descriptor is closed. Returns false where it is more
 * than may be kept. */
static bool subprocess_take(int *fd, struct str *into, size_t most)
{
	char buf[16384];
	ssize_t n = read(*fd, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) {
		close(*fd);
		*fd = -1;
		return true;
	}
	if (into->len + (size_t)n > most)
		return false;
	str_addn(into, buf, (size_t)n);
	return true;
}

/* Whether the program has ended, without reaping it: so its number stays its own for a while. */
static bool has_ended(struct watch *watch)
{
	siginfo_t info = {0};

	if (!watch->ended && !waitid(P_PID, (id_t)watch->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
		info.si_pid)
		watch->ended = true;
	return watch->ended;
}

static void listen_to(struct watch *watch)
{
	int64_t end = watch->deadline;

	while (watch->out >= 0 || watch->err >= 0 || !has_ended(watch)) {
		struct pollfd pollers[] = {
			{.fd = watch->out, .events = POLLIN}, {.fd = watch->err, .events = POLLIN}};

		if (has_ended(watch) && end > monotonic_ms() + LINGER_MS)
			end = monotonic_ms() + LINGER_MS;
		watch->stopped = told_to_stop;
		watch->late = monotonic_ms() >= end && !watch->ended;
		if (watch->stopped || watch->flooded || monotonic_ms() >= end)
			return;
		if (poll(pollers, 2, POLL_MS) <= 0)
			continue;
		if (pollers[0].revents)
			watch->flooded =
				!subprocess_take(&watch->out, &watch->output, PLUGIN_OUTPUT_MAX);
		/* Too much of errors is not worth an alarm: the first of them say it. */
		if (pollers[1].revents &&
			!subprocess_take(&watch->err, &watch->errors, ERROR_OUTPUT_MAX))
			watch->errors.len = ERROR_OUTPUT_MAX / 2;
	}
}

/* Kills our children that are left; each is a process that a parent of its own has left to us. */
static void kill_children(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		char *path, buf[512], *end;
		uint64_t pid;
		ssize_t n;
		int fd;

		if (num_u64(entry->d_name, 2, INT32_MAX, &pid))
			continue;
		path = mem_printf("/proc/%s/stat", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		free(path);
		n = fd < 0 ? 0 : read(fd, buf, sizeof(buf) - 1);
		if (fd >= 0)
			close(fd);
		buf[n > 0 ? n : 0] = 0;
		end = strrchr(buf, ')');
		if (end && strlen(end) > 4 && strtol(end + 4, NULL, 10) == getpid())
			kill((pid_t)pid, SIGKILL);
	}
	if (proc)
		closedir(proc);
}

/* Ends all that came from the program. Returns its status as of waitpid. */
static int clean_up(struct watch *watch)
{
	int status = 0, round;

	kill(-watch->pid, SIGKILL);
	kill(watch->pid, SIGKILL);
	while (waitpid(watch->pid, &status, 0) < 0 && errno == EINTR)
		;
	for (round = 0; round < KILL_ROUNDS; round++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0)
			break;
		kill_children();
		poll(NULL, 0, 10);
	}
	return status;
}

void plugin_report_failure(struct str *report, const char *why)
{
	str_addf(report, FIRST_LINE "failed %.180s\n", why);
}

static void subprocess_write_report(
	const struct watch *watch, int start_error, int status, struct str *report)
{
	bool answered = watch->output.len || (watch->plugin->privileged && !status);
	const struct str *said = answered ? &watch->output : &watch->errors;
	char *why = NULL;

	if (start_error)
		why = mem_printf("%s: %s", watch->plugin->words[0], strerror(-start_error));
	else if (watch->stopped)
		why = mem_strdup("was interrupted");
	else if (watch->flooded)
		why = mem_printf("wrote more than %d KiB", PLUGIN_OUTPUT_MAX / 1024);
	else if (watch->late)
		why = mem_printf("did not end within %g s", watch->plugin->timeout_seconds);
	else if (WIFSIGNALED(status))
		why = mem_printf("was ended by signal %d", WTERMSIG(status));
	if (why)
		plugin_report_failure(report, why);
	else
		str_addf(report, FIRST_LINE "exit %d\n", WEXITSTATUS(status));
	str_addn(report, str_text(said), said->len);
	free(why);
}

/* The supervisor. */
static int supervise(void *arg, int fd)
{
	const struct plugin *plugin = arg;
	struct watch watch = {.plugin = plugin, .out = -1, .err = -1};
	struct sigaction action = {.sa_handler = subprocess_note_stop};
	struct str report = STR_INIT;
	int status = 0, err = 0;

	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!plugin->privileged && caps_start(0)) {
		/* Rather not at all than with what root may do. */
		plugin_report_failure(&report, "its capabilities could not be taken away");
	} else {
		watch.deadline = monotonic_ms() + (int64_t)(plugin->timeout_seconds * 1000);
		err = start_program(&watch);
		if (!err)
			listen_to(&watch);
		if (watch.pid > 0)
			status = clean_up(&watch);
		subprocess_write_report(&watch, err, status, &report);
	}
	err = write_all(fd, report.text, report.len);
	str_free(&report);
	return err != 0;
}

int plugin_start(struct plugin *plugin)
{
	return child_start(&plugin->child, supervise, plugin);
}

void plugin_collect(struct plugin *plugin, bool (*tick)(void *arg), void *arg, struct str *report)
{
	int timeout_ms = (int)(plugin->timeout_seconds * 1000) + GRACE_MS;
	int err = child_collect(&plugin->child, timeout_ms, tick, arg, report, NULL);

	if (!err || report->len)
		return;
	str_clear(report);
	plugin_report_failure(report, err == -ETIMEDOUT ? "cannot be ended" : strerror(-err));
}

int plugin_report_parse(struct plugin_report *out, const char *text, size_t len)
{
	const char *end = text + len, *newline;
	char line[256];
	uint64_t status;

	*out = (struct plugin_report){0};
	if (len < strlen(FIRST_LINE) || memcmp(text, FIRST_LINE, strlen(FIRST_LINE)) != 0)
		return -EBADMSG;
	text += strlen(FIRST_LINE);
	newline = memchr(text, '\n', (size_t)(end - text));
	if (!newline || newline - text >= (ptrdiff_t)sizeof(line))
		return -EBADMSG;
	memcpy(line, text, (size_t)(newline - text));
	line[newline - text] = 0;
	out->output = newline + 1;
	out->output_len = (size_t)(end - out->output);
	if (str_starts(line, "failed ")) {
		out->end = PLUGIN_FAILED;
		snprintf(out->why, sizeof(out->why), "%.190s", line + strlen("failed "));
		return 0;
	}
	if (!str_starts(line, "exit ") || num_u64(line + strlen("exit "), 0, 255, &status))
		return -EBADMSG;
	out->end = PLUGIN_EXITED;
	out->status = (int)status;
	return 0;
}
