/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a program look like that uses up the local ports? It opens COUNT connections to a
 * server of its own, spread over DESTINATIONS addresses of the loopback, and keeps them.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

enum { CONNECTIONS_MAX = 400, DESTINATIONS_MAX = 200 };

static int tcp_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	return fd;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	long destinations, count, seconds;
	int server;

	if (argc != 5) {
		fputs("usage: dial PORT DESTINATIONS COUNT SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	address.sin_port = htons((uint16_t)fault_number(argv[1], 1, 65535));
	destinations = fault_number(argv[2], 1, DESTINATIONS_MAX);
	count = fault_number(argv[3], 1, CONNECTIONS_MAX);
	seconds = fault_number(argv[4], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	server = tcp_socket();
	if (bind(server, (const struct sockaddr *)&address, sizeof(address)) < 0)
		fault_die("bind");
	if (listen(server, 64) < 0)
		fault_die("listen");
	for (long i = 0; i < count; i++) {
		address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(i % destinations));
		if (connect(tcp_socket(), (const struct sockaddr *)&address, sizeof(address)) < 0)
			fault_die("connect");
		if (accept(server, NULL, NULL) < 0)
			fault_die("accept");
	}
	fault_ready();
	for (;;)
		pause();
}
