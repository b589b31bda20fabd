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
#include <string.h>

#include "threads.h"

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
			hand_back(fd, server.ready);
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

static _Noreturn void dispatch(void)
{
	struct epoll_event event;

	server.ready = watch_listener(server.listener);
	fault_ready();
	for (;;) {
		if (server.in_line)
			wait_for_idle_thread();
		if (epoll_wait(server.ready, &event, 1, -1) != 1)
			continue;
		if (event.data.fd == server.listener)
			take_connection(server.listener, server.ready);
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
	start_threads(threads, work);
	dispatch();
}
