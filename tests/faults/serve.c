/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a server look like whose threads prefer the connections that they have? An HTTP server
 * with a pool of threads. With INLINE 0 it is fair: whatever is readable goes to the end of one
 * queue. With INLINE N a thread serves up to N requests of its connection in a row, waits for each
 * up to 200 ms, and nothing is accepted meanwhile unless a thread is free: as Puma before 7.
 *
 * A request for /slow takes five times as long. With a mode "echo" it is no HTTP: each line is
 * answered by itself.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include "fault.h"

enum { THREADS_MAX = 64, QUEUE_MAX = 4096, FAST_TRACK_MS = 200 };

static struct {
	long in_line, service_ms;
	bool echo;
	int listener, ready; /* ready: an epoll of all that nobody serves */
	pthread_mutex_t lock;
	pthread_cond_t work, room;
	int queue[QUEUE_MAX];
	unsigned int head, tail;
	long idle;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER,
	.work = PTHREAD_COND_INITIALIZER,
	.room = PTHREAD_COND_INITIALIZER};

static void set(int fd, int level, int option)
{
	const int on = 1;

	if (setsockopt(fd, level, option, &on, sizeof(on)) < 0)
		fault_die("setsockopt");
}

static int listen_on(long port)
{
	const struct sockaddr_in6 address = {
		.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	set(fd, SOL_SOCKET, SO_REUSEADDR);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		fault_die("bind");
	if (listen(fd, 1024) < 0)
		fault_die("listen");
	return fd;
}

/* Serves one request. Returns whether the connection goes on. */
static bool serve_one(int fd, bool last)
{
	char request[4096], answer[256];
	ssize_t n = read(fd, request, sizeof(request) - 1);
	int len;

	if (n <= 0)
		return false;
	request[n] = 0;
	fault_sleep_ns((strncmp(request, "GET /slow", 9) ? 1 : 5) * server.service_ms * 1000000);
	len = snprintf(answer, sizeof(answer),
		server.echo ? "%.*s" : "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n%.*s\r\nok\n",
		server.echo ? 4 : 64,
		server.echo    ? request
			: last ? "Connection: close\r\n"
			       : "");
	return write(fd, answer, (size_t)len) == len && !last;
}

static bool is_readable(int fd, int timeout_ms)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};

	return poll(&wait, 1, timeout_ms) > 0;
}

static void hand_back(int fd)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};

	if (epoll_ctl(server.ready, EPOLL_CTL_MOD, fd, &event) < 0)
		fault_die("epoll_ctl");
}

static void serve(int fd)
{
	long served = 0;

	for (;;) {
		bool last = server.in_line && ++served >= server.in_line &&
			is_readable(server.ready, 0);

		if (!serve_one(fd, last)) {
			close(fd);
			return;
		}
		if (!server.in_line || !is_readable(fd, FAST_TRACK_MS)) {
			hand_back(fd);
			return;
		}
	}
}

static void *work(void *arg)
{
	(void)arg;
	for (;;) {
		int fd;

		pthread_mutex_lock(&server.lock);
		server.idle++;
		pthread_cond_signal(&server.room);
		while (server.head == server.tail)
			pthread_cond_wait(&server.work, &server.lock);
		fd = server.queue[server.head++ % QUEUE_MAX];
		server.idle--;
		pthread_mutex_unlock(&server.lock);
		serve(fd);
	}
	return NULL;
}

static void enqueue(int fd)
{
	pthread_mutex_lock(&server.lock);
	server.queue[server.tail++ % QUEUE_MAX] = fd;
	pthread_cond_signal(&server.work);
	pthread_mutex_unlock(&server.lock);
}

static void wait_for_idle_thread(void)
{
	pthread_mutex_lock(&server.lock);
	while (server.idle <= (long)(server.tail - server.head))
		pthread_cond_wait(&server.room, &server.lock);
	pthread_mutex_unlock(&server.lock);
}

/* A new connection is watched, and nothing of it is read before a thread has it. */
static void take(void)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
	int fd = accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		fault_die("accept4");
	set(fd, IPPROTO_TCP, TCP_NODELAY);
	event.data.fd = fd;
	if (epoll_ctl(server.ready, EPOLL_CTL_ADD, fd, &event) < 0)
		fault_die("epoll_ctl");
}

static _Noreturn void dispatch(void)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = server.listener};

	server.ready = epoll_create1(EPOLL_CLOEXEC);
	if (server.ready < 0 || epoll_ctl(server.ready, EPOLL_CTL_ADD, server.listener, &event) < 0)
		fault_die("epoll");
	fault_ready();
	for (;;) {
		if (server.in_line)
			wait_for_idle_thread();
		if (epoll_wait(server.ready, &event, 1, -1) != 1)
			continue;
		if (event.data.fd == server.listener)
			take();
		else
			enqueue(event.data.fd);
	}
}

int main(int argc, char **argv)
{
	long port, threads, seconds;

	if (argc != 6 && argc != 7) {
		fputs("usage: serve PORT THREADS INLINE SERVICE_MS SECONDS [echo]\n", stderr);
		return FAULT_MISUSE;
	}
	port = fault_number(argv[1], 1, 65535);
	threads = fault_number(argv[2], 1, THREADS_MAX);
	server.in_line = fault_number(argv[3], 0, 1000000);
	server.service_ms = fault_number(argv[4], 0, 10000);
	seconds = fault_number(argv[5], 1, FAULT_SECONDS_MAX);
	server.echo = argc == 7;
	fault_bound(seconds);
	signal(SIGPIPE, SIG_IGN);
	server.listener = listen_on(port);
	while (threads--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL))
			fault_die("pthread_create");
	}
	dispatch();
}
