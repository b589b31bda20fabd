/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a machine look like whose packets are spoiled on the way, or come by a way that its
 * answers would not take? Each millisecond ADDRESS gets some UDP datagrams with a source that it
 * has no route to, as many with a wrong checksum, and as many TCP segments with one. With WRONG 0
 * sources and checksums are right.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

/* So many that a loaded machine still gets a thousand a second. */
enum { EACH = 6 };

struct packet {
	struct iphdr ip;
	union {
		struct udphdr udp;
		struct tcphdr tcp;
	};
};

/* The Internet checksum over the pseudo header and len bytes. */
static uint16_t checksum_of(const struct packet *packet, const void *data, size_t len)
{
	uint32_t sum = htons((uint16_t)(packet->ip.protocol + len));
	const uint8_t *bytes = data;
	size_t i;

	sum += (packet->ip.saddr & 0xffff) + (packet->ip.saddr >> 16);
	sum += (packet->ip.daddr & 0xffff) + (packet->ip.daddr >> 16);
	for (i = 0; i < len; i += 2) {
		uint16_t word;

		memcpy(&word, bytes + i, sizeof(word));
		sum += word;
	}
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void send_packet(int fd, struct packet *packet, size_t len)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = packet->ip.daddr};

	packet->ip.version = 4;
	packet->ip.ihl = 5;
	packet->ip.ttl = 64;
	if (sendto(fd, packet, sizeof(packet->ip) + len, 0, (const struct sockaddr *)&to,
		    sizeof(to)) < 0 &&
		errno != ENOBUFS)
		fault_die("sendto");
}

static void send_datagram(int fd, uint32_t from, uint32_t to, bool wrong)
{
	struct packet packet = {.ip = {.protocol = IPPROTO_UDP, .saddr = from, .daddr = to}};

	packet.udp.source = htons(4000);
	packet.udp.dest = htons(5353);
	packet.udp.len = htons(sizeof(packet.udp));
	packet.udp.check = checksum_of(&packet, &packet.udp, sizeof(packet.udp));
	if (wrong)
		packet.udp.check ^= htons(1);
	send_packet(fd, &packet, sizeof(packet.udp));
}

static void send_segment(int fd, uint32_t from, uint32_t to, bool wrong)
{
	struct packet packet = {.ip = {.protocol = IPPROTO_TCP, .saddr = from, .daddr = to}};

	packet.tcp.source = htons(4000);
	packet.tcp.dest = htons(9);
	packet.tcp.doff = 5;
	packet.tcp.rst = 1; /* which nobody answers */
	packet.tcp.check = checksum_of(&packet, &packet.tcp, sizeof(packet.tcp));
	if (wrong)
		packet.tcp.check ^= htons(1);
	send_packet(fd, &packet, sizeof(packet.tcp));
}

int main(int argc, char **argv)
{
	struct in_addr from, strange, to;
	bool wrong;
	int fd, i;

	if (argc != 5 || inet_pton(AF_INET, argv[1], &from) != 1 ||
		inet_pton(AF_INET, argv[2], &to) != 1) {
		fputs("usage: forge FROM ADDRESS WRONG SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	inet_pton(AF_INET, "198.51.100.7", &strange);
	wrong = fault_number(argv[3], 0, 1);
	fault_bound(fault_number(argv[4], 1, FAULT_SECONDS_MAX));
	fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	if (fd < 0)
		fault_die("socket");
	fault_ready();
	for (;;) {
		for (i = 0; i < EACH; i++) {
			send_datagram(fd, wrong ? strange.s_addr : from.s_addr, to.s_addr, false);
			send_datagram(fd, from.s_addr, to.s_addr, wrong);
			send_segment(fd, from.s_addr, to.s_addr, wrong);
		}
		fault_sleep_ns(1000000);
	}
}
