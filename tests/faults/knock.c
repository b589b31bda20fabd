/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a port scan do to the counters? Connections to closed ports of the loopback, each
 * answered by a reset: many failed attempts and resets, and nothing wrong with this machine.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

static void knock(long port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	/* Nobody cares for the answer: refused is the expected one. */
	(void)connect(fd, (const struct sockaddr *)&address, sizeof(address));
	close(fd);
}

int main(int argc, char **argv)
{
	const long first = 1, last = 1000, batch = 10;
	long rate, seconds, port = first;

	if (argc != 3) {
		fputs("usage: knock RATE_PER_SECOND SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	rate = fault_number(argv[1], batch, 10000);
	seconds = fault_number(argv[2], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	fault_ready();
	for (;;) {
		for (long i = 0; i < batch; i++) {
			knock(port);
			port = port < last ? port + 1 : first;
		}
		fault_sleep_ns(1000000000 / rate * batch);
	}
}
