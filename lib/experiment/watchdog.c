/* SPDX-License-Identifier: GPL-2.0-only */
/* Who puts the knob back when the one who turned it was killed? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "experiment/restore.h"
#include "experiment/lease.h"
#include "experiment/watchdog.h"
#include "experiment/undo_log_file.h"
#include "experiment/undo_log.h"
#include "base/str.h"

/* So long a keeper that was killed may still be in the kernel. */
#define KILLED_MS 10000

void keeper_detach(const char *name)
{
	static const int deaf_to[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2,
		SIGTSTP, SIGTTIN, SIGTTOU, SIGALRM};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(deaf_to); i++)
		signal(deaf_to[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	setsid();
	prctl(PR_SET_NAME, name);
	/* Whoever reads what the tool prints waits for the end of the tool, and not for ours. */
	for (fd = 0; fd < 3; fd++)
		if (null >= 0)
			dup2(null, fd);
	if (null > 2)
		close(null);
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		/* Not allowed in a container without CAP_SYS_RESOURCE: then we are as all others.
		 */
		ssize_t n = write(fd, "-1000", 5);

		(void)n;
		close(fd);
	}
	if (chdir("/"))
		_exit(1);
}

int own_pidfd(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	return fd < 0 ? -1 : fd;
}

int boottime_alarm(uint64_t at_ns)
{
	struct itimerspec at = {.it_value = {.tv_sec = (time_t)(at_ns / 1000000000u),
					.tv_nsec = (long)(at_ns % 1000000000u)}};
	int fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	if (!timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

void pause_after_error(void)
{
	const struct timespec pause = {.tv_nsec = 10000000};

	if (errno != EINTR)
		nanosleep(&pause, NULL);
}

bool is_readable(int fd)
{
	struct pollfd poller = {.fd = fd, .events = POLLIN};

	return poll(&poller, 1, 0) > 0;
}

static void kill_keeper(int keeper, int fd)
{
	struct pollfd poller = {.fd = fd, .events = POLLIN};

	if (keeper >= 0)
		syscall(SYS_pidfd_send_signal, keeper, SIGKILL, NULL, 0);
	poll(&poller, 1, KILLED_MS);
}

/* Only the undo log knows how far it came. */
static void take_over(const struct undo_log_entry *entry)
{
	char *id = undo_log_id(entry);
	struct str notes = STR_INIT;

	if (entry->kind != CHANGE_HELD)
		restore_entry(undo_log_place_of(entry), id, &notes);
	lease_remove();
	str_free(&notes);
	free(id);
}

static _Noreturn void watchdog_main(
	const struct undo_log_entry *entry, int keeper, int fd, int alarm_fd)
{
	struct pollfd pollers[] = {
		{.fd = fd, .events = POLLIN}, {.fd = alarm_fd, .events = POLLIN}};

	keeper_detach("tuesday-guard");
	while (poll(pollers, 2, -1) < 0)
		pause_after_error();
	/* The deadline has passed and the keeper has not acted: it was stopped, or hangs. */
	if (!pollers[0].revents)
		kill_keeper(keeper, fd);
	take_over(entry);
	_exit(0);
}

int watchdog_start(struct watchdog *watchdog, const struct undo_log_entry *entry, uint64_t at_ns)
{
	int fds[2], alarm_fd = boottime_alarm(at_ns), keeper, err = 0;

	if (alarm_fd < 0)
		return alarm_fd;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)) {
		err = -errno;
		close(alarm_fd);
		return err;
	}
	keeper = own_pidfd();
	watchdog->pid = fork();
	if (!watchdog->pid) {
		close(fds[0]);
		watchdog_main(entry, keeper, fds[1], alarm_fd);
	}
	if (watchdog->pid < 0)
		err = -errno;
	close(fds[1]);
	close(alarm_fd);
	if (keeper >= 0)
		close(keeper);
	watchdog->fd = fds[0];
	if (err)
		close(fds[0]);
	return err;
}

void watchdog_dismiss(struct watchdog *watchdog)
{
	/* It holds nothing but the lock. It may be stopped, so it is not asked. */
	kill(watchdog->pid, SIGKILL);
	while (waitpid(watchdog->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(watchdog->fd);
	*watchdog = (struct watchdog){.fd = -1};
}
