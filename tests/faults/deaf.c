/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a server look like that has stopped to accept? A listener that never does, and a client
 * that goes on connecting to it at a steady rate, with a request as soon as it is connected. The
 * client gives each attempt the hold time and then forgets it: below a second, the initial
 * retransmission timeout, no SYN is sent twice.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

enum { ATTEMPTS_MAX = 4096 };

static struct sockaddr_in loopback(long port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int listen_only(long port, long backlog)
{
	const struct sockaddr_in address = loopback(port);
	const int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		fault_die("setsockopt");
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		fault_die("bind");
	if (listen(fd, (int)backlog) < 0)
		fault_die("listen");
	return fd;
}

static int call(long port)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	const struct sockaddr_in address = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 &&
		errno != EINPROGRESS)
		fault_die("connect");
	/* On loopback the handshake is over by now, unless the queue is full. */
	if (send(fd, request, strlen(request), MSG_NOSIGNAL) < 0 && errno != EAGAIN)
		fault_die("send");
	return fd;
}

/* The attempts under way are a ring: each new one takes the place of the oldest. */
static _Noreturn void keep_calling(long port, long rate, long hold_ms, long seconds)
{
	long in_flight = rate * hold_ms / 1000 + 1;
	int ring[ATTEMPTS_MAX];

	fault_bound(seconds);
	if (prctl(PR_SET_NAME, "caller") < 0)
		fault_die("prctl");
	if (in_flight > ATTEMPTS_MAX) {
		fputs("RATE x HOLD: too many attempts at once\n", stderr);
		exit(FAULT_MISUSE);
	}
	for (long i = 0;; i++) {
		int *slot = &ring[i % in_flight];

		if (i >= in_flight)
			close(*slot);
		*slot = call(port);
		fault_sleep_ns(1000000000 / rate);
	}
}

int main(int argc, char **argv)
{
	long port, backlog, rate, hold_ms, seconds;
	pid_t child;

	if (argc != 6) {
		fputs("usage: deaf PORT BACKLOG RATE_PER_SECOND HOLD_MS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	port = fault_number(argv[1], 1, 65535);
	backlog = fault_number(argv[2], 0, 65535);
	rate = fault_number(argv[3], 1, 2000);
	hold_ms = fault_number(argv[4], 1, 10000);
	seconds = fault_number(argv[5], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	listen_only(port, backlog);
	child = fork();
	if (child < 0)
		fault_die("fork");
	if (child == 0)
		keep_calling(port, rate, hold_ms, seconds);
	fault_ready();
	for (;;)
		pause();
}
