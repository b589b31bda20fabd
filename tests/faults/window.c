/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a TCP transfer wait for? A program ("sender") sends to one that takes all ("window")
 * over the loopback: as fast as it goes, or 1 KiB each PAUSE_MS; with a send buffer of SNDBUF
 * bytes, or 0 for the kernel's own. With READS 0 the receiver never reads.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

enum { CHUNK_BYTES = 64 * 1024, PIECE_BYTES = 1024 };

static const struct sockaddr_in *here(long port)
{
	static struct sockaddr_in address;

	address = (struct sockaddr_in){.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	return &address;
}

static int stream_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	return fd;
}

static _Noreturn void keep_sending(long port, int sndbuf, long pause_ms, long seconds)
{
	static char chunk[CHUNK_BYTES];
	int fd = stream_socket();

	fault_bound(seconds);
	if (prctl(PR_SET_NAME, "sender") < 0)
		fault_die("prctl");
	if (sndbuf && setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof(sndbuf)) < 0)
		fault_die("setsockopt");
	if (connect(fd, (const struct sockaddr *)here(port), sizeof(struct sockaddr_in)) < 0)
		fault_die("connect");
	for (;;) {
		if (write(fd, chunk, pause_ms ? PIECE_BYTES : CHUNK_BYTES) < 0)
			fault_die("write");
		if (pause_ms)
			fault_sleep_ns(pause_ms * 1000000);
	}
}

int main(int argc, char **argv)
{
	static char chunk[CHUNK_BYTES];
	long port, reads, sndbuf, pause_ms, seconds;
	int fd = stream_socket(), stream;
	const int on = 1;

	if (argc != 6) {
		fputs("usage: window PORT READS SNDBUF PAUSE_MS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	port = fault_number(argv[1], 1, 65535);
	reads = fault_number(argv[2], 0, 1);
	sndbuf = fault_number(argv[3], 0, 1 << 20);
	pause_ms = fault_number(argv[4], 0, 1000);
	seconds = fault_number(argv[5], 1, FAULT_SECONDS_MAX);
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		fault_die("setsockopt");
	if (bind(fd, (const struct sockaddr *)here(port), sizeof(struct sockaddr_in)) < 0 ||
		listen(fd, 1) < 0)
		fault_die("bind");
	fault_bound(seconds);
	switch (fork()) {
	case -1:
		fault_die("fork");
	case 0:
		close(fd);
		keep_sending(port, (int)sndbuf, pause_ms, seconds);
	}
	stream = accept(fd, NULL, NULL);
	if (stream < 0)
		fault_die("accept");
	fault_ready();
	while (reads && read(stream, chunk, sizeof(chunk)) > 0)
		;
	for (;;)
		pause();
}
