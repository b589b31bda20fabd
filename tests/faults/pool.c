/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a client look like whose pool keeps too few idle connections? WORKERS of it send
 * requests at random times, RATE a second together. Each takes the idle connection that was used
 * last, or opens one, and gives it back after the answer: where IDLE lie there already, it is
 * closed. With IDLE 0 every request has a connection of its own.
 *
 * Requests go in turn to DESTINATIONS addresses from ADDRESS on, each with a pool of its own.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

enum { WORKERS_MAX = 64, IDLE_MAX = 64, DESTINATIONS_MAX = 4096, THOUSAND = 1000 };

struct idle {
	int list[IDLE_MAX];
	long n;
};

static struct {
	uint32_t first; /* address */
	long port, workers, keep, destinations;
	double pause_seconds; /* of a worker, on the average */
	pthread_mutex_t lock;
	struct idle idle[DESTINATIONS_MAX];
	unsigned long turn;
} client = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int dial(unsigned long destination)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)client.port),
		.sin_addr.s_addr = htonl(client.first + (uint32_t)destination)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int take(unsigned long *destination)
{
	struct idle *idle;
	int fd = -1;

	pthread_mutex_lock(&client.lock);
	*destination = client.turn++ % (unsigned long)client.destinations;
	idle = &client.idle[*destination];
	if (idle->n)
		fd = idle->list[--idle->n];
	pthread_mutex_unlock(&client.lock);
	return fd < 0 ? dial(*destination) : fd;
}

static void give_back(unsigned long destination, int fd)
{
	struct idle *idle = &client.idle[destination];

	pthread_mutex_lock(&client.lock);
	if (idle->n < client.keep) {
		idle->list[idle->n++] = fd;
		fd = -1;
	}
	pthread_mutex_unlock(&client.lock);
	if (fd >= 0)
		close(fd);
}

static _Noreturn void *work(void *arg)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct drand48_data random;
	unsigned long destination;
	char answer[4096];
	double share;
	int fd;

	srand48_r((long)(intptr_t)arg, &random);
	for (;;) {
		drand48_r(&random, &share);
		fault_sleep_ns((long)(2 * share * client.pause_seconds * 1e9));
		fd = take(&destination);
		if (fd < 0)
			continue;
		if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) > 0 &&
			recv(fd, answer, sizeof(answer), 0) > 0)
			give_back(destination, fd);
		else
			close(fd);
	}
}

int main(int argc, char **argv)
{
	struct in_addr address;
	pthread_t thread;
	long seconds;

	if (argc != 8 || inet_pton(AF_INET, argv[1], &address) != 1) {
		fputs("usage: pool ADDRESS PORT WORKERS IDLE RATE DESTINATIONS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	client.first = ntohl(address.s_addr);
	client.port = fault_number(argv[2], 1, 65535);
	client.workers = fault_number(argv[3], 1, WORKERS_MAX);
	client.keep = fault_number(argv[4], 0, IDLE_MAX);
	client.pause_seconds =
		(double)client.workers / (double)fault_number(argv[5], 1, 100L * THOUSAND);
	client.destinations = fault_number(argv[6], 1, DESTINATIONS_MAX);
	seconds = fault_number(argv[7], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	for (long i = 0; i < client.workers; i++)
		if (pthread_create(&thread, NULL, work, (void *)(intptr_t)(i + 1)))
			fault_die("pthread_create");
	fault_ready();
	for (;;)
		pause();
}
