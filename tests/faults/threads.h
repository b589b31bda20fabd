/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fault helpers that are servers with a pool of threads have in common. */
#ifndef TUESDAY_FAULT_THREADS_H
#define TUESDAY_FAULT_THREADS_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "fault.h"

enum { THREADS_MAX = 64, QUEUE_MAX = 4096, FAST_TRACK_MS = 200 };

static inline void set_option(int fd, int level, int option)
{
	const int on = 1;

	if (setsockopt(fd, level, option, &on, sizeof(on)) < 0)
		fault_die("setsockopt");
}

/* On all addresses of IPv6 and IPv4; a protocol of 0 is TCP; shared is SO_REUSEADDR, or
 * SO_REUSEPORT for one of several. */
static inline int listen_sharing(long port, int protocol, int shared)
{
	const struct sockaddr_in6 address = {
		.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		fault_die("socket");
	set_option(fd, SOL_SOCKET, shared);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		fault_die("bind");
	if (listen(fd, 1024) < 0)
		fault_die("listen");
	return fd;
}

static inline int listen_with(long port, int protocol)
{
	return listen_sharing(port, protocol, SO_REUSEADDR);
}

static inline int listen_on(long port)
{
	return listen_with(port, 0);
}

/* An epoll that the listener is in. */
static inline int watch_listener(int listener)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
	int ready = epoll_create1(EPOLL_CLOEXEC);

	if (ready < 0 || epoll_ctl(ready, EPOLL_CTL_ADD, listener, &event) < 0)
		fault_die("epoll");
	return ready;
}

/* Accepts one connection, which is watched once. */
static inline void take_connection(int listener, int ready)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		fault_die("accept4");
	set_option(fd, IPPROTO_TCP, TCP_NODELAY);
	event.data.fd = fd;
	if (epoll_ctl(ready, EPOLL_CTL_ADD, fd, &event) < 0)
		fault_die("epoll_ctl");
}

/* Watches it once more. */
static inline void hand_back(int fd, int ready)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};

	if (epoll_ctl(ready, EPOLL_CTL_MOD, fd, &event) < 0)
		fault_die("epoll_ctl");
}

static inline bool is_readable(int fd, int timeout_ms)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};

	return poll(&wait, 1, timeout_ms) > 0;
}

static inline void start_threads(long threads, void *(*work)(void *))
{
	while (threads--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL))
			fault_die("pthread_create");
	}
}

#endif
