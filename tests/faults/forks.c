/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a server look like that has a process for each connection? It forks for each, and in
 * that process a thread, not the main one, serves one request. Then the process ends.
 */
#include "threads.h"

static void *serve(void *arg)
{
	static const char text[] =
		"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nok\n";
	int fd = *(const int *)arg;
	char request[4096];

	if (read(fd, request, sizeof(request)) > 0 && write(fd, text, sizeof(text) - 1) < 0)
		fault_die("write");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int listener, fd;
	long seconds;
	pid_t child;

	if (argc != 3) {
		fputs("usage: forks PORT SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	seconds = fault_number(argv[2], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	listener = listen_on(fault_number(argv[1], 1, 65535));
	fault_ready();
	for (;;) {
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		child = fd < 0 ? -1 : fork();
		if (child < 0)
			fault_die("fork");
		if (!child) {
			fault_bound(seconds);
			return pthread_create(&thread, NULL, serve, &fd) ||
				pthread_join(thread, NULL);
		}
		close(fd);
	}
}
