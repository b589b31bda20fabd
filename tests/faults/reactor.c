/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a server look like that reads early and lets requests wait inside? An HTTP server with
 * one thread that accepts and reads, always, and a pool of threads that take what it has read in
 * the order that it came. With INLINE N a thread serves up to N requests of its connection in a
 * row, which it reads itself, each within 200 ms, before it takes another one: as Puma before 7
 * where it has accepted all connections in a quiet hour. With INLINE 0 it is fair.
 *
 * A request for /wait is put aside by the thread that takes it, and answered by whichever thread
 * serves a twentieth other one (long polling).
 */
#include <string.h>

#include "threads.h"

enum { ASIDE_EVERY = 20 };

struct request {
	int fd;
	bool waits;
};

static struct {
	long in_line, service_ms;
	int listener, ready;
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct request queue[QUEUE_MAX];
	unsigned int head, tail;
	int aside[QUEUE_MAX];
	unsigned int n_aside, served;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

/* Returns whether there is a request; a connection that is over is closed. */
static bool read_one(int fd, struct request *out)
{
	char text[4096];
	ssize_t n = read(fd, text, sizeof(text) - 1);

	if (n <= 0) {
		close(fd);
		return false;
	}
	text[n] = 0;
	*out = (struct request){fd, !strncmp(text, "GET /wait", 9)};
	return true;
}

static void answer(int fd)
{
	static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n";

	if (write(fd, text, sizeof(text) - 1) < 0)
		shutdown(fd, SHUT_RDWR);
}

static void answer_aside(void)
{
	int fds[QUEUE_MAX];
	unsigned int n, i;

	pthread_mutex_lock(&server.lock);
	n = ++server.served % ASIDE_EVERY ? 0 : server.n_aside;
	memcpy(fds, server.aside, n * sizeof(*fds));
	server.n_aside -= n;
	pthread_mutex_unlock(&server.lock);
	for (i = 0; i < n; i++) {
		answer(fds[i]);
		hand_back(fds[i], server.ready);
	}
}

static void put_aside(int fd)
{
	pthread_mutex_lock(&server.lock);
	if (server.n_aside < QUEUE_MAX)
		server.aside[server.n_aside++] = fd;
	else
		shutdown(fd, SHUT_RDWR);
	pthread_mutex_unlock(&server.lock);
}

static void serve(struct request request)
{
	long served = 0;

	for (;;) {
		if (request.waits) {
			put_aside(request.fd);
			return;
		}
		fault_sleep_ns(server.service_ms * 1000000);
		answer_aside();
		answer(request.fd);
		if (++served >= server.in_line || !is_readable(request.fd, FAST_TRACK_MS)) {
			hand_back(request.fd, server.ready);
			return;
		}
		if (!read_one(request.fd, &request))
			return;
	}
}

static void *work(void *arg)
{
	(void)arg;
	for (;;) {
		struct request request;

		pthread_mutex_lock(&server.lock);
		while (server.head == server.tail)
			pthread_cond_wait(&server.work, &server.lock);
		request = server.queue[server.head++ % QUEUE_MAX];
		pthread_mutex_unlock(&server.lock);
		serve(request);
	}
	return NULL;
}

static void take_request(int fd)
{
	struct request request;

	if (!read_one(fd, &request))
		return;
	pthread_mutex_lock(&server.lock);
	server.queue[server.tail++ % QUEUE_MAX] = request;
	pthread_cond_signal(&server.work);
	pthread_mutex_unlock(&server.lock);
}

static _Noreturn void react(void)
{
	struct epoll_event event;

	server.ready = watch_listener(server.listener);
	fault_ready();
	for (;;) {
		if (epoll_wait(server.ready, &event, 1, -1) != 1)
			continue;
		if (event.data.fd == server.listener)
			take_connection(server.listener, server.ready);
		else
			take_request(event.data.fd);
	}
}

int main(int argc, char **argv)
{
	long port, threads;

	if (argc != 6) {
		fputs("usage: reactor PORT THREADS INLINE SERVICE_MS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	port = fault_number(argv[1], 1, 65535);
	threads = fault_number(argv[2], 1, THREADS_MAX);
	server.in_line = fault_number(argv[3], 0, 1000000);
	server.service_ms = fault_number(argv[4], 0, 10000);
	fault_bound(fault_number(argv[5], 1, FAULT_SECONDS_MAX));
	signal(SIGPIPE, SIG_IGN);
	server.listener = listen_on(port);
	start_threads(threads, work);
	react();
}
