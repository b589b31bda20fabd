/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is a known number of requests at a known rate? "pace FAMILY PORT CONNECTIONS REQUESTS RATE
 * DELAY_MS" plays both ends of so many connections over loopback in one thread, so that no
 * scheduler has a part in it. FAMILY is 4, 6, or mapped: IPv4 to a listener of IPv6. After DELAY_MS
 * it begins, sends RATE requests a second, and answers each at once. Then it prints "played
 * REQUESTS PER_SECOND", which is less than RATE where the machine is busy.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

enum { CONNECTIONS_MAX = 512 };

static struct {
	int client, server;
} ends[CONNECTIONS_MAX];

static int listen_on(bool six, uint16_t port)
{
	struct sockaddr_in6 any6 = {.sin6_family = AF_INET6, .sin6_port = port};
	struct sockaddr_in any4 = {.sin_family = AF_INET, .sin_port = port};
	const int on = 1, fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
		bind(fd, six ? (struct sockaddr *)&any6 : (struct sockaddr *)&any4,
			six ? sizeof(any6) : sizeof(any4)) ||
		listen(fd, CONNECTIONS_MAX))
		fault_die("listen");
	return fd;
}

static int dial(bool six, uint16_t port)
{
	struct sockaddr_in6 to6 = {
		.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT, .sin6_port = port};
	struct sockaddr_in to4 = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = port};
	const int fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM, 0);

	if (fd < 0 ||
		connect(fd, six ? (struct sockaddr *)&to6 : (struct sockaddr *)&to4,
			six ? sizeof(to6) : sizeof(to4)))
		fault_die("connect");
	return fd;
}

static void connect_all(const char *family, long port, long n)
{
	const uint16_t at = htons((uint16_t)port);
	const int listener = listen_on(strcmp(family, "4") != 0, at);

	for (long i = 0; i < n; i++) {
		ends[i].client = dial(!strcmp(family, "6"), at);
		ends[i].server = accept(listener, NULL, NULL);
		if (ends[i].server < 0)
			fault_die("accept");
	}
}

static void play(long i)
{
	static const char request[40] = "GET / HTTP/1.1", answer[60] = "HTTP/1.1 200 OK";
	char buffer[64];

	if (write(ends[i].client, request, sizeof(request)) < 0 ||
		read(ends[i].server, buffer, sizeof(buffer)) <= 0 ||
		write(ends[i].server, answer, sizeof(answer)) < 0 ||
		read(ends[i].client, buffer, sizeof(buffer)) <= 0)
		fault_die("play");
}

int main(int argc, char **argv)
{
	long connections, requests, rate;
	double began;

	if (argc != 7) {
		fputs("usage: pace 4|6|mapped PORT CONNECTIONS REQUESTS RATE DELAY_MS\n", stderr);
		return FAULT_MISUSE;
	}
	connections = fault_number(argv[3], 1, CONNECTIONS_MAX);
	requests = fault_number(argv[4], 1, 10000000);
	rate = fault_number(argv[5], 1, 10000000);
	fault_bound(FAULT_SECONDS_MAX);
	connect_all(argv[1], fault_number(argv[2], 1, 65535), connections);
	fault_ready();
	fault_sleep_ns(fault_number(argv[6], 0, 10000) * 1000000L);
	began = fault_clock_seconds();
	for (long i = 0; i < requests; i++) {
		while (fault_clock_seconds() - began < (double)i / (double)rate)
			;
		play(i % connections);
	}
	printf("played %ld %.0f\n", requests, (double)requests / (fault_clock_seconds() - began));
	fflush(stdout);
	for (;;)
		pause();
}
