/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do clients do that lose patience? Each connects, asks, and resets the connection before
 * anybody has read what it asked, thirty of them a second.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

static const long patience_ns = 3000000, pause_ns = 30000000;

static void ask_and_leave(long port)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
	const struct linger reset = {.l_onoff = 1};
	const struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		fault_die("connect");
	if (send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
		fault_die("send");
	fault_sleep_ns(patience_ns);
	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) < 0)
		fault_die("setsockopt");
	close(fd);
}

int main(int argc, char **argv)
{
	long port;

	if (argc != 3) {
		fputs("usage: giveup PORT SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	port = fault_number(argv[1], 1, 65535);
	fault_bound(fault_number(argv[2], 1, FAULT_SECONDS_MAX));
	fault_ready();
	for (;;) {
		ask_and_leave(port);
		fault_sleep_ns(pause_ns);
	}
}
