/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do programs look like whose name server is slow, or silent? "answer" is a name server that
 * takes its time, or hears and never speaks where DELAY is -1. "ask" are programs that look up one
 * name after the other as the C library does: a socket for each question, a new one for each time
 * that it must be asked again.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

enum { PORT = 53, NAME_AT = 13, QUESTION_BYTES = 12 + 9 + 5 + 1 + 4 };

static int udp_socket(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fault_die("socket");
	return fd;
}

static _Noreturn void answer(const struct sockaddr_in *address, long delay_ms)
{
	int fd = udp_socket();

	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
		fault_die("bind");
	fault_ready();
	for (;;) {
		struct sockaddr_in from;
		socklen_t len = sizeof(from);
		unsigned char packet[512];
		ssize_t got =
			recvfrom(fd, packet, sizeof(packet), 0, (struct sockaddr *)&from, &len);

		if (got < QUESTION_BYTES || delay_ms < 0)
			continue;
		fault_sleep_ns(delay_ms * 1000000);
		packet[2] |= 0x80;
		sendto(fd, packet, (size_t)got, 0, (struct sockaddr *)&from, len);
	}
}

/* "nXXXXXXX.test", of type A, in a question with a number of its own. */
static void write_question(unsigned char *packet, unsigned int number)
{
	static const unsigned char frame[QUESTION_BYTES] = {0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 8,
		'n', '0', '0', '0', '0', '0', '0', '0', 4, 't', 'e', 's', 't', 0, 0, 1, 0, 1};
	int i;

	memcpy(packet, frame, sizeof(frame));
	packet[0] = (unsigned char)(number >> 8);
	packet[1] = (unsigned char)number;
	for (i = 7; i >= 1; i--, number /= 10)
		packet[NAME_AT + i] = (unsigned char)('0' + number % 10);
}

/* Whether the answer came in time. */
static int ask_once(const struct sockaddr_in *address, const unsigned char *packet, int timeout_ms)
{
	struct pollfd wait = {.fd = udp_socket(), .events = POLLIN};
	int answered;

	if (connect(wait.fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
		fault_die("connect");
	send(wait.fd, packet, QUESTION_BYTES, 0);
	answered = poll(&wait, 1, timeout_ms) > 0;
	close(wait.fd);
	return answered;
}

static _Noreturn void ask(const struct sockaddr_in *address, int timeout_ms, unsigned int number)
{
	unsigned char packet[QUESTION_BYTES];

	for (;; number++) {
		write_question(packet, number);
		while (!ask_once(address, packet, timeout_ms))
			;
		fault_sleep_ns(20000000);
	}
}

static _Noreturn void ask_all(
	const struct sockaddr_in *address, int timeout_ms, long programs, long seconds)
{
	long i;

	for (i = 0; i < programs; i++) {
		pid_t pid = fork();

		if (pid < 0)
			fault_die("fork");
		if (!pid) {
			fault_bound(seconds);
			ask(address, timeout_ms, (unsigned int)i * 100000);
		}
	}
	fault_ready();
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	long seconds, programs;

	if (argc < 2 || argc != (strcmp(argv[1], "ask") ? 5 : 6) ||
		inet_pton(AF_INET, argv[2], &address.sin_addr) != 1) {
		fputs("usage: names answer ADDRESS DELAY_MS SECONDS\n"
		      "       names ask ADDRESS TIMEOUT_MS PROGRAMS SECONDS\n",
			stderr);
		return FAULT_MISUSE;
	}
	seconds = fault_number(argv[argc - 1], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	if (strcmp(argv[1], "ask") != 0)
		answer(&address, fault_number(argv[3], -1, 60000));
	programs = fault_number(argv[4], 1, 100);
	ask_all(&address, (int)fault_number(argv[3], 1, 60000), programs, seconds);
}
