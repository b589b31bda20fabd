/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a CPU look like that does nothing but take packets? Senders of small datagrams, each
 * held to a CPU of its own. Whatever the packet meets after it has left the socket is softirq time
 * of that CPU.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "fault.h"

enum { PAYLOAD_BYTES = 16, SENDERS_MAX = 64 };

static void stay_on(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		fault_die("sched_setaffinity");
}

static _Noreturn void blast(const struct sockaddr_in *address, long cpu, long seconds)
{
	static const char payload[PAYLOAD_BYTES];
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	fault_bound(seconds);
	if (fd < 0)
		fault_die("socket");
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
		fault_die("connect");
	stay_on(cpu);
	for (;;) {
		/* Refusals and full queues are what a flood meets; the flood goes on. */
		if (send(fd, payload, sizeof(payload), 0) < 0 && errno != ECONNREFUSED &&
			errno != ENOBUFS)
			fault_die("send");
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	long first, count, seconds;

	if (argc != 6) {
		fputs("usage: blast ADDRESS PORT FIRST_CPU CPUS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	if (inet_pton(AF_INET, argv[1], &address.sin_addr) != 1) {
		fprintf(stderr, "%s: not an IPv4 address\n", argv[1]);
		return FAULT_MISUSE;
	}
	address.sin_port = htons((uint16_t)fault_number(argv[2], 1, 65535));
	first = fault_number(argv[3], 0, CPU_SETSIZE - 1);
	count = fault_number(argv[4], 1, SENDERS_MAX);
	seconds = fault_number(argv[5], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds + 1);
	for (long i = 0; i < count; i++) {
		pid_t child = fork();

		if (child < 0)
			fault_die("fork");
		if (child == 0)
			blast(&address, first + i, seconds);
	}
	fault_ready();
	while (wait(NULL) > 0)
		;
	return 0;
}
