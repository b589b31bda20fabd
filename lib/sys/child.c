/* SPDX-License-Identifier: GPL-2.0-only */
/* How is work done that may hang or crash, without this process hanging or crashing? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/child.h"
#include "base/str.h"

#define TICK_MS 200
#define GRACE_MS 1000
/* On a machine that is slow, detaching what was attached takes seconds. */
#define ANSWER_MS 5000
#define EXIT_MS 10000
#define ANSWER_MAX (64u << 20)

/* 0: a free place. */
static pid_t children[CHILDREN_MAX];

static void child_exchange(pid_t before, pid_t after)
{
	size_t i;

	for (i = 0; i < CHILDREN_MAX; i++) {
		if (children[i] != before)
			continue;
		children[i] = after;
		return;
	}
}

bool child_is_ours(pid_t pid)
{
	size_t i;

	for (i = 0; i < CHILDREN_MAX; i++)
		if (pid > 0 && children[i] == pid)
			return true;
	return false;
}

bool child_any_is_ours(void)
{
	size_t i;

	for (i = 0; i < CHILDREN_MAX; i++)
		if (children[i])
			return true;
	return false;
}

void child_ends_with(pid_t parent, int signal_number)
{
	prctl(PR_SET_PDEATHSIG, signal_number);
	if (getppid() != parent)
		_exit(1);
}

size_t child_all_of_ours(pid_t out[CHILDREN_MAX])
{
	size_t i, n = 0;

	for (i = 0; i < CHILDREN_MAX; i++)
		if (children[i])
			out[n++] = children[i];
	return n;
}

int child_start(struct child *child, int (*work)(void *arg, int fd), void *arg)
{
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fflush(NULL);
	child->pid = fork();
	if (child->pid < 0) {
		int err = -errno;

		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (!child->pid) {
		close(fds[0]);
		child_ends_with(parent, SIGTERM);
		/* The parent decides when an interrupted run ends: Ctrl-C goes to the whole group.
		 */
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_DFL);
		_exit(work(arg, fds[1]));
	}
	child_exchange(0, child->pid);
	close(fds[1]);
	child->fd = fds[0];
	child->answered = NULL;
	return 0;
}

int child_first_byte(const struct child *child, int timeout_ms, bool (*tick)(void *arg), void *arg)
{
	struct pollfd poller = {.fd = child->fd, .events = POLLIN};
	int64_t deadline = monotonic_ms() + timeout_ms, left;
	unsigned char byte;

	for (left = timeout_ms; left > 0; left = deadline - monotonic_ms()) {
		if (tick && !tick(arg))
			return -ECANCELED;
		if (poll(&poller, 1, (int)(left < TICK_MS ? left : TICK_MS)) > 0)
			return read(child->fd, &byte, 1) == 1 ? byte : -EPIPE;
	}
	return -ETIMEDOUT;
}

void child_tell(const struct child *child)
{
	kill(child->pid, SIGTERM);
}

/* Reads what is there. Returns 1 at the end of the answer, 0 when there may be more, or -errno. */
static int child_take(int fd, struct str *answer)
{
	char buf[65536];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (!n)
		return 1;
	if (answer->len + (size_t)n > ANSWER_MAX)
		return -EFBIG;
	str_addn(answer, buf, (size_t)n);
	return 0;
}

/* Waits for the end of the answer until a deadline. Returns 0, -ETIMEDOUT, -ECANCELED, or -errno.
 */
static int child_take_all(struct child *child, int64_t deadline, bool (*tick)(void *arg), void *arg,
	struct str *answer)
{
	int64_t next_tick = monotonic_ms() + TICK_MS;

	for (;;) {
		struct pollfd poller = {.fd = child->fd, .events = POLLIN};
		int64_t left = deadline - monotonic_ms(), wait = next_tick - monotonic_ms();
		int err = 0;

		if (left <= 0)
			return -ETIMEDOUT;
		if (wait < 0)
			wait = 0;
		if (poll(&poller, 1, (int)(wait < left ? wait : left)) > 0)
			err = child_take(child->fd, answer);
		if (err)
			return err > 0 ? 0 : err;
		if (monotonic_ms() >= next_tick) {
			next_tick = monotonic_ms() + TICK_MS;
			if (tick && !tick(arg))
				return -ECANCELED;
		}
	}
}

/* Waits for the end of a child. One that is stuck in the kernel even after SIGKILL is left behind:
 * it ends when the kernel lets it go. Returns whether it has ended. */
static bool reap(pid_t pid, int timeout_ms, int *state)
{
	int64_t deadline = monotonic_ms() + timeout_ms;

	while (waitpid(pid, state, WNOHANG) == 0) {
		if (monotonic_ms() > deadline)
			return false;
		poll(NULL, 0, 1);
	}
	child_exchange(pid, 0);
	return true;
}

void child_abandon(struct child *child)
{
	int state;

	kill(child->pid, SIGKILL);
	close(child->fd);
	reap(child->pid, GRACE_MS, &state);
}

int child_collect(struct child *child, int timeout_ms, bool (*tick)(void *arg), void *arg,
	struct str *answer, int *status)
{
	int err = child_take_all(child, monotonic_ms() + timeout_ms, tick, arg, answer);
	int state = 0;

	if (err == -ECANCELED) {
		kill(child->pid, SIGTERM);
		err = child_take_all(child, monotonic_ms() + ANSWER_MS, NULL, NULL, answer);
	}
	if (err)
		kill(child->pid, SIGKILL);
	close(child->fd);
	if (!err && child->answered)
		child->answered(child->answered_arg);
	/* After its answer a child only has to exit; detaching from a busy kernel takes it a while.
	 */
	if (!reap(child->pid, err ? GRACE_MS : EXIT_MS, &state) && !err) {
		kill(child->pid, SIGKILL);
		reap(child->pid, GRACE_MS, &state);
	}
	if (status)
		*status = state;
	if (!err && (!WIFEXITED(state) || WEXITSTATUS(state)))
		return -EPIPE;
	return err;
}
