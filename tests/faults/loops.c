/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a server of event loops look like? An HTTP server that hands each connection to one of
 * its threads in turn, which keeps it. A request takes SERVICE_MS, one in twenty SLOW_MS, and
 * meanwhile the others of that thread wait, and those of its neighbours do not.
 *
 * The helper is its own client of the first connections: on IGNORED of them a request lies for
 * ever, since the server never looks at them; on MPTCP others, which speak Multipath TCP, there is
 * a request every 50 ms.
 */
#include <fcntl.h>
#include <string.h>

#include "threads.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

enum { SLOW_EVERY = 20, CLIENTS_MAX = 64, PAUSE_NS = 50000000, SPLICE_PAUSE_NS = 1500000000 };

struct loop {
	int ready, listener; /* listener: of this loop alone, or -1 */
};

static struct {
	long service_ms, slow_ms;
	struct loop loops[THREADS_MAX];
	long n_loops;
	struct loop drain; /* of the ignored, or all 0 */
} server;

static void watch(const struct loop *loop, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	if (fd < 0 || epoll_ctl(loop->ready, EPOLL_CTL_ADD, fd, &event) < 0)
		fault_die("watch");
}

static void serve(int fd, unsigned int *served)
{
	static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n";
	char request[4096];

	if (read(fd, request, sizeof(request)) <= 0) {
		close(fd);
		return;
	}
	fault_sleep_ns((++*served % SLOW_EVERY ? server.service_ms : server.slow_ms) * 1000000);
	if (write(fd, text, sizeof(text) - 1) < 0)
		close(fd);
}

static void *run(void *arg)
{
	const struct loop *loop = arg;
	unsigned int served = (unsigned int)(loop - server.loops);
	struct epoll_event events[QUEUE_MAX];
	int i, n;

	for (;;) {
		n = epoll_wait(loop->ready, events, QUEUE_MAX, -1);
		for (i = 0; i < n; i++) {
			if (events[i].data.fd == loop->listener)
				watch(loop, accept4(loop->listener, NULL, NULL, SOCK_CLOEXEC));
			else
				serve(events[i].data.fd, &served);
		}
	}
	return NULL;
}

static void *drain(void *arg)
{
	struct epoll_event event;
	char buffer[4096];
	int ends[2];

	if (pipe(ends) < 0)
		fault_die("pipe");
	while (epoll_wait(server.drain.ready, &event, 1, -1) == 1)
		if (splice(event.data.fd, NULL, ends[1], NULL, sizeof(buffer), 0) <= 0 ||
			read(ends[0], buffer, sizeof(buffer)) <= 0)
			break;
	return arg;
}

static void start_drain(void)
{
	pthread_t thread;

	server.drain = (struct loop){epoll_create1(EPOLL_CLOEXEC), -1};
	if (server.drain.ready < 0 || pthread_create(&thread, NULL, drain, NULL))
		fault_die("drain");
}

/* With a port each listens there by itself; 0 is none. The first that hang do nothing else. */
static void start_loops(long n, long port, long hung)
{
	pthread_t thread;

	for (server.n_loops = 0; server.n_loops < n; server.n_loops++) {
		struct loop *loop = &server.loops[server.n_loops];

		*loop = (struct loop){epoll_create1(EPOLL_CLOEXEC), -1};
		if (loop->ready < 0)
			fault_die("epoll_create1");
		if (port) {
			loop->listener = listen_sharing(port, 0, SO_REUSEPORT);
			watch(loop, loop->listener);
		}
		if (server.n_loops >= hung && pthread_create(&thread, NULL, run, loop))
			fault_die("pthread_create");
	}
}

static int dial(long port, int protocol)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		fault_die("dial");
	return fd;
}

static void ask(int fd)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

	if (write(fd, request, sizeof(request) - 1) < 0)
		fault_die("write");
}

static _Noreturn void be_client(long port, long ignored, long mptcp, bool again)
{
	int fds[2 * CLIENTS_MAX];
	char answer[4096];
	long i;

	for (i = 0; i < ignored + mptcp; i++)
		fds[i] = dial(port, i < ignored ? 0 : IPPROTO_MPTCP);
	for (i = 0; i < ignored; i++)
		ask(fds[i]);
	for (;;) {
		for (i = again ? 0 : ignored; i < ignored + mptcp; i++)
			ask(fds[i]);
		for (i = ignored; i < ignored + mptcp; i++)
			if (read(fds[i], answer, sizeof(answer)) <= 0)
				exit(1);
		fault_sleep_ns(again ? SPLICE_PAUSE_NS : PAUSE_NS);
	}
}

/* Hands each connection to the next loop, after the first ignored ones, and is ready when those of
 * the helper itself are there. It stops after some, or never with 0. */
static _Noreturn void hand_out(int listener, long ignored, long of_client, long accepted)
{
	long n;

	for (n = 0;; n++) {
		int fd;

		while (accepted && n == accepted)
			pause();

		if (n == of_client)
			fault_ready();
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			fault_die("accept4");
		if (n >= ignored)
			watch(&server.loops[n % server.n_loops], fd);
		else if (server.drain.ready)
			watch(&server.drain, fd);
	}
}

int main(int argc, char **argv)
{
	long port, ignored, mptcp, seconds, n;
	int listener;
	bool own, spliced;

	if (argc != 8 && argc != 9) {
		fputs("usage: loops PORT LOOPS SERVICE_MS SLOW_MS IGNORED MPTCP SECONDS "
		      "[own|splice|ACCEPTED]\n",
			stderr);
		return FAULT_MISUSE;
	}
	own = argc == 9 && !strcmp(argv[8], "own");
	spliced = argc == 9 && !strcmp(argv[8], "splice");
	port = fault_number(argv[1], 1, 65535);
	n = fault_number(argv[2], 1, THREADS_MAX);
	server.service_ms = fault_number(argv[3], 0, 10000);
	server.slow_ms = fault_number(argv[4], 0, 10000);
	ignored = fault_number(argv[5], 0, CLIENTS_MAX);
	mptcp = fault_number(argv[6], 0, CLIENTS_MAX);
	seconds = fault_number(argv[7], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	signal(SIGPIPE, SIG_IGN);
	if (own) {
		start_loops(n, port, ignored);
		fault_ready();
		for (;;)
			pause();
	}
	/* One that speaks Multipath TCP is one for those that do not as well. */
	listener = listen_with(port, mptcp > 0 ? IPPROTO_MPTCP : 0);
	if (!fork()) {
		fault_bound(seconds);
		close(listener);
		be_client(port, ignored, mptcp, spliced);
	}
	start_loops(n, 0, 0);
	if (spliced)
		start_drain();
	hand_out(listener, ignored, ignored + mptcp,
		argc == 9 && !spliced ? fault_number(argv[8], 1, QUEUE_MAX) : 0);
}
