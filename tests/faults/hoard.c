/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a server look like that serves many requests in a row from one connection, while others
 * wait? Workers take connections from a queue of their own making, each request takes as long as a
 * sleep, and MODE says how a worker chooses what is next:
 *
 *   inline  up to INLINE more requests of the same connection, waiting for each of them
 *   fair    whatever became readable first, connections and requests alike
 *   close   as fair, and each connection is closed after its answer
 *   slow    as fair, and a worker needs a while for a new connection
 *
 * ADDRESS is a port of 127.0.0.1, or a path with a slash for a Unix socket; with CERT, a file of a
 * key and its certificate, it is TLS.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "fault.h"

enum { WORKERS_MAX = 64, IN_A_ROW_WAIT_MS = 200, SLOW_CONNECT_MS = 30 };

struct connection {
	int fd;
	SSL *tls;
	bool fresh;
};

static enum { INLINE, FAIR, CLOSE, SLOW } mode;
static long service_ms, in_a_row;
static int listener, epoll;
static SSL_CTX *context;

static ssize_t get(struct connection *c, char *to, size_t size)
{
	return c->tls ? SSL_read(c->tls, to, (int)size) : recv(c->fd, to, size, 0);
}

static bool put(struct connection *c, const char *text, size_t len)
{
	return (c->tls ? SSL_write(c->tls, text, (int)len)
		       : send(c->fd, text, len, MSG_NOSIGNAL)) == (ssize_t)len;
}

static void drop(struct connection *c)
{
	if (c->tls)
		SSL_free(c->tls);
	close(c->fd);
	free(c);
}

static bool put_answer(struct connection *c, bool last)
{
	char head[160];
	int n = snprintf(head, sizeof(head),
		"HTTP/1.1 200 OK\r\nServer: hoard\r\nContent-Length: 3\r\n%s\r\nok\n",
		last ? "Connection: close\r\n" : "");

	return put(c, head, (size_t)n);
}

/* One request, which fits into one read. Returns whether the connection lives on. */
static bool serve(struct connection *c, bool last)
{
	char request[8192];
	ssize_t n;

	if (c->fresh && context) {
		c->tls = SSL_new(context);
		SSL_set_fd(c->tls, c->fd);
		if (SSL_accept(c->tls) != 1)
			return false;
	}
	if (c->fresh && mode == SLOW)
		fault_sleep_ns(SLOW_CONNECT_MS * 1000000L);
	c->fresh = false;
	n = get(c, request, sizeof(request) - 1);
	if (n <= 0)
		return false;
	request[n] = 0;
	fault_sleep_ns(service_ms * 1000000L);
	last |= mode == CLOSE || strstr(request, "Connection: close");
	return put_answer(c, last) && !last;
}

static struct connection *take_new(void)
{
	const int on = 1, fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct connection *c = fd < 0 ? NULL : calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*c = (struct connection){.fd = fd, .fresh = true};
	return c;
}

static bool has_next(const struct connection *c)
{
	struct pollfd fd = {.fd = c->fd, .events = POLLIN};

	return (c->tls && SSL_pending(c->tls)) || poll(&fd, 1, IN_A_ROW_WAIT_MS) > 0;
}

/* A worker has a connection until its run is over or it is silent, and then closes it. */
static void *hoard(void *arg)
{
	for (;;) {
		struct connection *c = take_new();
		long served = 0;

		while (c && serve(c, ++served >= in_a_row) && has_next(c))
			;
		if (c)
			drop(c);
	}
	return arg;
}

/* All that wait, so that each has its own place among what is ready. */
static void take_all_new(void)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
	struct connection *c;

	while ((c = take_new())) {
		event.data.ptr = c;
		epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event);
	}
	event.data.ptr = NULL;
	epoll_ctl(epoll, EPOLL_CTL_MOD, listener, &event);
}

/* A worker takes what has been ready for longest, and gives it back after one request. */
static void *be_fair(void *arg)
{
	for (;;) {
		struct epoll_event event;
		struct connection *c;

		if (epoll_wait(epoll, &event, 1, -1) != 1)
			continue;
		c = event.data.ptr;
		if (!c) {
			take_all_new();
		} else if (serve(c, false)) {
			event.events = EPOLLIN | EPOLLONESHOT;
			epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event);
		} else {
			drop(c);
		}
	}
	return arg;
}

static void listen_on(const char *where)
{
	struct sockaddr_un path = {.sun_family = AF_UNIX};
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int on = 1, is_path = strchr(where, '/') != NULL;

	listener = socket(is_path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_NONBLOCK * !is_path, 0);
	if (listener < 0)
		fault_die("socket");
	fcntl(listener, F_SETFL, mode == INLINE ? 0 : O_NONBLOCK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (is_path)
		snprintf(path.sun_path, sizeof(path.sun_path), "%s", where);
	else
		address.sin_port = htons((uint16_t)fault_number(where, 1, 65535));
	if (bind(listener, is_path ? (struct sockaddr *)&path : (struct sockaddr *)&address,
		    is_path ? sizeof(path) : sizeof(address)) < 0)
		fault_die("bind");
	if (listen(listener, 1024) < 0)
		fault_die("listen");
}

static void read_mode(const char *name)
{
	static const char *const names[] = {"inline", "fair", "close", "slow"};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(name, names[i])) {
			mode = i;
			return;
		}
	}
	fputs("there is no such MODE\n", stderr);
	exit(FAULT_MISUSE);
}

int main(int argc, char **argv)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
	pthread_t thread;
	long workers, i;

	if (argc < 7 || argc > 8) {
		fputs("usage: hoard MODE ADDRESS WORKERS SERVICE_MS INLINE SECONDS [CERT]\n",
			stderr);
		return FAULT_MISUSE;
	}
	read_mode(argv[1]);
	workers = fault_number(argv[3], 1, WORKERS_MAX);
	service_ms = fault_number(argv[4], 0, 10000);
	in_a_row = fault_number(argv[5], 1, 1000000);
	fault_bound(fault_number(argv[6], 1, FAULT_SECONDS_MAX));
	if (argc == 8) {
		context = SSL_CTX_new(TLS_server_method());
		if (!context ||
			SSL_CTX_use_certificate_file(context, argv[7], SSL_FILETYPE_PEM) != 1 ||
			SSL_CTX_use_PrivateKey_file(context, argv[7], SSL_FILETYPE_PEM) != 1)
			fault_die("certificate");
	}
	signal(SIGPIPE, SIG_IGN);
	listen_on(argv[2]);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0)
		fault_die("epoll");
	for (i = 0; i < workers; i++)
		if (pthread_create(&thread, NULL, mode == INLINE ? hoard : be_fair, NULL))
			fault_die("pthread_create");
	fault_ready();
	for (;;)
		pause();
}
