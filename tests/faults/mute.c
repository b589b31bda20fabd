/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a UDP server look like that does not fetch what it is sent? A socket with a small
 * receive buffer, and a client that sends to it at a steady rate. With READS 1 the server reads,
 * and the same traffic harms nobody.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

static int udp_socket(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	return fd;
}

static _Noreturn void keep_sending(const struct sockaddr_in *address, long rate, long seconds)
{
	static const char payload[200];
	int fd = udp_socket();

	fault_bound(seconds);
	if (prctl(PR_SET_NAME, "sender") < 0)
		fault_die("prctl");
	for (;;) {
		if (sendto(fd, payload, sizeof(payload), 0, (const struct sockaddr *)address,
			    sizeof(*address)) < 0)
			fault_die("sendto");
		fault_sleep_ns(1000000000 / rate);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int bytes = 4096;
	long rate, reads, seconds;
	char buffer[2048];
	int fd;

	if (argc != 5) {
		fputs("usage: mute PORT RATE READS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	address.sin_port = htons((uint16_t)fault_number(argv[1], 1, 65535));
	rate = fault_number(argv[2], 1, 100000);
	reads = fault_number(argv[3], 0, 1);
	seconds = fault_number(argv[4], 1, FAULT_SECONDS_MAX);
	fd = udp_socket();
	if (!reads && setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) < 0)
		fault_die("setsockopt");
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		fault_die("bind");
	fault_bound(seconds);
	switch (fork()) {
	case -1:
		fault_die("fork");
	case 0:
		close(fd);
		keep_sending(&address, rate, seconds);
	}
	fault_ready();
	while (reads)
		if (recv(fd, buffer, sizeof(buffer), 0) < 0)
			fault_die("recv");
	for (;;)
		pause();
}
