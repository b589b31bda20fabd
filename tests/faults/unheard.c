/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a program look like that does not listen to what the kernel tells it? It follows
 * addresses by netlink and every packet by a packet socket, both with small receive buffers, and
 * reads neither. With READS 1 it reads both, and loses nothing.
 */
#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include "fault.h"

static int listening_socket(int family, int protocol, bool small)
{
	const int bytes = 4096;
	int fd = socket(family, SOCK_RAW | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		fault_die("socket");
	if (small && setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) < 0)
		fault_die("setsockopt");
	return fd;
}

int main(int argc, char **argv)
{
	struct sockaddr_nl groups = {
		.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR};
	struct pollfd fds[2];
	char buffer[65536];
	long reads;
	int i;

	if (argc != 3) {
		fputs("usage: unheard READS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	reads = fault_number(argv[1], 0, 1);
	fault_bound(fault_number(argv[2], 1, FAULT_SECONDS_MAX));
	fds[0] = (struct pollfd){listening_socket(AF_NETLINK, NETLINK_ROUTE, !reads), POLLIN, 0};
	fds[1] = (struct pollfd){listening_socket(AF_PACKET, htons(ETH_P_ALL), !reads), POLLIN, 0};
	if (bind(fds[0].fd, (const struct sockaddr *)&groups, sizeof(groups)) < 0)
		fault_die("bind");
	fault_ready();
	while (reads && poll(fds, 2, -1) > 0)
		for (i = 0; i < 2; i++)
			if (fds[i].revents && recv(fds[i].fd, buffer, sizeof(buffer), 0) < 0)
				fault_die("recv");
	for (;;)
		pause();
}
