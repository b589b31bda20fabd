/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How does a bulk transfer fare on this path? One end takes a TCP stream and throws it away, the
 * other sends at a bounded rate, so that the path is what is tested and not the CPU. Or the same
 * with datagrams, that nobody sends again or slower: what they wait in a queue stays the same.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

enum { CHUNK_BYTES = 64 * 1024, DATAGRAM_BYTES = 1400 };

static struct sockaddr_in parse_address(const char *text, const char *port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)fault_number(port, 1, 65535))};

	if (inet_pton(AF_INET, text, &address.sin_addr) != 1) {
		fprintf(stderr, "%s: not an IPv4 address\n", text);
		exit(FAULT_MISUSE);
	}
	return address;
}

static int new_socket(int type)
{
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	return fd;
}

static void take(const struct sockaddr_in *address)
{
	static char chunk[CHUNK_BYTES];
	const int on = 1;
	int fd = new_socket(SOCK_STREAM), stream;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		fault_die("setsockopt");
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 || listen(fd, 8) < 0)
		fault_die("bind");
	fault_ready();
	while ((stream = accept(fd, NULL, NULL)) >= 0) {
		while (read(stream, chunk, sizeof(chunk)) > 0)
			;
		close(stream);
	}
}

static void take_datagrams(const struct sockaddr_in *address)
{
	static char datagram[DATAGRAM_BYTES];
	int fd = new_socket(SOCK_DGRAM);

	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
		fault_die("bind");
	fault_ready();
	while (read(fd, datagram, sizeof(datagram)) >= 0)
		;
}

static void give(
	const struct sockaddr_in *address, int type, size_t chunk_bytes, long bytes_per_second)
{
	static char chunk[CHUNK_BYTES];
	double begin_seconds, sent_bytes = 0;
	int fd = new_socket(type);

	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
		fault_die("connect");
	fault_ready();
	begin_seconds = fault_clock_seconds();
	for (;;) {
		ssize_t wrote = write(fd, chunk, chunk_bytes);

		if (wrote < 0)
			fault_die("write");
		sent_bytes += (double)wrote;
		while ((fault_clock_seconds() - begin_seconds) * (double)bytes_per_second <
			sent_bytes)
			fault_sleep_ns(1000000);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in address;
	long bytes_per_second;

	if (argc != 5 && argc != 6) {
		fputs("usage: stream take|take-datagrams ADDRESS PORT SECONDS\n"
		      "       stream give|give-datagrams ADDRESS PORT SECONDS KIB_PER_SECOND\n",
			stderr);
		return FAULT_MISUSE;
	}
	address = parse_address(argv[2], argv[3]);
	fault_bound(fault_number(argv[4], 1, FAULT_SECONDS_MAX));
	signal(SIGPIPE, SIG_IGN);
	bytes_per_second = argc == 6 ? fault_number(argv[5], 1, 1000000) * 1024 : 0;
	if (strcmp(argv[1], "give") == 0 && bytes_per_second)
		give(&address, SOCK_STREAM, CHUNK_BYTES, bytes_per_second);
	else if (strcmp(argv[1], "give-datagrams") == 0 && bytes_per_second)
		give(&address, SOCK_DGRAM, DATAGRAM_BYTES, bytes_per_second);
	else if (strcmp(argv[1], "take-datagrams") == 0)
		take_datagrams(&address);
	else
		take(&address);
	return 1;
}
