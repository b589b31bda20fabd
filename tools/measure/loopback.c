/* SPDX-License-Identifier: GPL-2.0-only */
/* How long do two programs of this machine take for one question and its answer over TCP? No
 * network card is involved: what is slow here is the kernel, its CPUs or their scheduling. */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/measure/internal.h"
#include "sys/child.h"

/* A question that stays without an answer that long is an error. */
#define TIMEOUT_SECONDS 2

struct link {
	int fd;
	pid_t echo;
};

static int set_up_socket(int fd)
{
	const struct timeval timeout = {.tv_sec = TIMEOUT_SECONDS};
	int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) ||
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)))
		return -errno;
	return 0;
}

/* Anybody on the machine may connect to a port that listens: only our own other end is taken. */
static int accept_own(int listener, int client)
{
	struct sockaddr_in ours, theirs;
	socklen_t len = sizeof(ours);
	int fd, tries;

	if (getsockname(client, (struct sockaddr *)&ours, &len))
		return -errno;
	for (tries = 0; tries < 8; tries++) {
		len = sizeof(theirs);
		fd = accept4(listener, (struct sockaddr *)&theirs, &len, SOCK_CLOEXEC);
		if (fd < 0)
			return -errno;
		if (theirs.sin_port == ours.sin_port &&
			theirs.sin_addr.s_addr == ours.sin_addr.s_addr)
			return fd;
		close(fd);
	}
	return -EBUSY;
}

/* A connected pair over 127.0.0.1. Returns 0 or -errno. */
static int connect_pair(int *client, int *server)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), err;

	*client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*server = -1;
	err = listener < 0 || *client < 0 ? -errno : set_up_socket(*client);
	if (!err &&
		(bind(listener, (struct sockaddr *)&at, sizeof(at)) || listen(listener, 4) ||
			getsockname(listener, (struct sockaddr *)&at, &len) ||
			set_up_socket(listener) ||
			connect(*client, (struct sockaddr *)&at, sizeof(at))))
		err = -errno;
	if (!err) {
		*server = accept_own(listener, *client);
		err = *server < 0 ? *server : set_up_socket(*server);
	}
	if (listener >= 0)
		close(listener);
	if (err && *client >= 0)
		close(*client);
	if (err && *server >= 0)
		close(*server);
	return err;
}

/* Gives back each byte that it gets, until the other end is gone. */
static void echo(int fd)
{
	char byte;

	for (;;) {
		ssize_t n = recv(fd, &byte, 1, 0);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0 || send(fd, &byte, 1, MSG_NOSIGNAL) != 1)
			_exit(0);
	}
}

static int loopback_bench_begin(struct probe *probe, void **state)
{
	struct link *link;
	int client, server, err = connect_pair(&client, &server);
	pid_t parent = getpid(), pid;

	/* With a timeout of its own connect calls running out of it "in progress". */
	if (err == -ENETUNREACH || err == -EADDRNOTAVAIL || err == -EINPROGRESS)
		return probe_fail(
			probe, err, "127.0.0.1 does not answer; is lo up? 'ip link set lo up'");
	if (err)
		return probe_fail(probe, err, "127.0.0.1: %s", strerror(-err));
	pid = fork();
	if (!pid) {
		child_ends_with(parent, SIGKILL);
		close(client);
		echo(server);
	}
	err = pid < 0 ? -errno : 0;
	close(server);
	if (err) {
		close(client);
		return probe_fail(probe, err, "%s", strerror(-err));
	}
	link = mem_zalloc(sizeof(*link));
	*link = (struct link){.fd = client, .echo = pid};
	*state = link;
	return 0;
}

static int loopback_bench_once(struct probe *probe, void *state, double *value)
{
	struct link *link = state;
	uint64_t from = monotonic_ns();
	char byte = 0;

	if (send(link->fd, &byte, 1, MSG_NOSIGNAL) != 1 || recv(link->fd, &byte, 1, 0) != 1)
		return probe_fail(probe, -EIO, "127.0.0.1: no answer: %s", strerror(errno));
	*value = (double)(monotonic_ns() - from) / 1e9;
	return 0;
}

static void loopback_bench_end(void *state)
{
	struct link *link = state;

	close(link->fd);
	kill(link->echo, SIGKILL);
	waitpid(link->echo, NULL, 0);
	free(link);
}

MICROBENCH(loopback_bench) = {
	.name = "loopback",
	.what = "one byte by TCP to another process on 127.0.0.1 and back",
	.unit = UNIT_SECONDS,
	.begin = loopback_bench_begin,
	.once = loopback_bench_once,
	.end = loopback_bench_end,
};
