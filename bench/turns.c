/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long does a request and its answer over loopback take? "turns N" plays both ends of one TCP
 * connection in one thread, so that no scheduler has a part in it, and prints nanoseconds for each
 * turn: a write and a read at either end.
 *
 * With "unread" a second connection, which another thread has served once after a quarter of them,
 * is left with a request that nobody reads.
 *
 * The turns are cut into pieces and the median piece is taken.
 */
#include "base/banned.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PIECE_TURNS 1000
#define PIECES_MAX 1000
#define CONNECTIONS 2

struct ends {
	int client, server;
};

static int connect_ends(struct ends *ends, int n)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (listener < 0 || bind(listener, (const struct sockaddr *)&address, sizeof(address)) ||
		listen(listener, n) || getsockname(listener, (struct sockaddr *)&address, &len))
		return -1;
	for (; n--; ends++) {
		ends->client = socket(AF_INET, SOCK_STREAM, 0);
		if (ends->client < 0 ||
			connect(ends->client, (const struct sockaddr *)&address, sizeof(address)))
			return -1;
		ends->server = accept(listener, NULL, NULL);
		if (ends->server < 0)
			return -1;
	}
	return 0;
}

static const char request[40] = "GET / HTTP/1.1", answer[60] = "HTTP/1.1 200 OK";

static void *serve_once(void *arg)
{
	const struct ends *ends = arg;
	char buffer[64];

	if (write(ends->client, request, sizeof(request)) < 0 ||
		read(ends->server, buffer, sizeof(buffer)) <= 0 ||
		write(ends->server, answer, sizeof(answer)) < 0)
		return NULL;
	return arg;
}

static int leave_unread(struct ends *ends)
{
	void *served = NULL;
	pthread_t thread;

	if (pthread_create(&thread, NULL, serve_once, ends) || pthread_join(thread, &served) ||
		!served)
		return -1;
	return write(ends->client, request, sizeof(request)) < 0 ? -1 : 0;
}

/* Nanoseconds for each turn of a piece, or -1. */
static int64_t play(const struct ends *ends)
{
	struct timespec from, to;
	char buffer[64];
	int i;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < PIECE_TURNS; i++)
		if (write(ends->client, request, sizeof(request)) < 0 ||
			read(ends->server, buffer, sizeof(buffer)) <= 0 ||
			write(ends->server, answer, sizeof(answer)) < 0 ||
			read(ends->client, buffer, sizeof(buffer)) <= 0)
			return -1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec) / PIECE_TURNS;
}

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
	long pieces = argc == 2 || argc == 3 ? strtol(argv[1], NULL, 10) / PIECE_TURNS : 0, i;
	struct ends ends[CONNECTIONS];
	int64_t times[PIECES_MAX];

	if (pieces < 1 || pieces > PIECES_MAX || (argc == 3 && strcmp(argv[2], "unread"))) {
		fprintf(stderr, "usage: turns N [unread] (%d to %d)\n", PIECE_TURNS,
			PIECES_MAX * PIECE_TURNS);
		return 64;
	}
	if (connect_ends(ends, CONNECTIONS)) {
		perror("turns");
		return 1;
	}
	for (i = 0; i < pieces; i++) {
		times[i] = argc == 3 && i == pieces / 4 && leave_unread(&ends[1]) ? -1 : play(ends);
		if (times[i] < 0) {
			perror("turns");
			return 1;
		}
	}
	qsort(times, (size_t)pieces, sizeof(*times), compare);
	printf("%lld\n", (long long)times[pieces / 2]);
	return 0;
}
