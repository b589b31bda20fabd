/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long does a connection over loopback take that carries one request and its answer? "connect
 * N" plays both ends in one thread, so that no scheduler has a part in it, and prints nanoseconds
 * for each: connect, accept, a write and a read at either end, close. The ends are reset, so that
 * no TIME_WAIT is left and ports never get rare.
 *
 * The connections are cut into pieces and the median piece is taken.
 */
#include "base/banned.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PIECE_CONNECTIONS 500
#define PIECES_MAX 200

struct service {
	struct sockaddr_in address;
	int listener;
};

static bool open_service(struct service *service)
{
	socklen_t len = sizeof(service->address);

	service->address = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	service->listener = socket(AF_INET, SOCK_STREAM, 0);
	return service->listener >= 0 &&
		!bind(service->listener, (struct sockaddr *)&service->address, len) &&
		!listen(service->listener, 16) &&
		!getsockname(service->listener, (struct sockaddr *)&service->address, &len);
}

static bool talk(int client, int server)
{
	static const char request[40] = "GET / HTTP/1.1", answer[60] = "HTTP/1.1 200 OK";
	char buffer[64];

	return write(client, request, sizeof(request)) > 0 &&
		read(server, buffer, sizeof(buffer)) > 0 &&
		write(server, answer, sizeof(answer)) > 0 &&
		read(client, buffer, sizeof(buffer)) > 0;
}

static bool connect_once(const struct service *service)
{
	static const struct linger reset = {.l_onoff = 1};
	int client = socket(AF_INET, SOCK_STREAM, 0), server;
	bool done;

	if (client < 0 ||
		connect(client, (const struct sockaddr *)&service->address,
			sizeof(service->address)))
		return false;
	server = accept(service->listener, NULL, NULL);
	done = server >= 0 && talk(client, server) &&
		!setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(client);
	if (server >= 0)
		close(server);
	return done;
}

/* Nanoseconds for each connection of a piece, or -1. */
static int64_t play(const struct service *service)
{
	struct timespec from, to;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < PIECE_CONNECTIONS; i++)
		if (!connect_once(service))
			return -1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec) /
		PIECE_CONNECTIONS;
}

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
	long pieces = argc == 2 ? strtol(argv[1], NULL, 10) / PIECE_CONNECTIONS : 0, i;
	int64_t times[PIECES_MAX];
	struct service service;

	if (pieces < 1 || pieces > PIECES_MAX) {
		fprintf(stderr, "usage: connect N (%d to %d)\n", PIECE_CONNECTIONS,
			PIECES_MAX * PIECE_CONNECTIONS);
		return 64;
	}
	if (!open_service(&service)) {
		perror("connect");
		return 1;
	}
	for (i = 0; i < pieces; i++) {
		times[i] = play(&service);
		if (times[i] < 0) {
			perror("connect");
			return 1;
		}
	}
	qsort(times, (size_t)pieces, sizeof(*times), compare);
	printf("%lld\n", (long long)times[pieces / 2]);
	return 0;
}
