/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets that the kernel hands events or packets to: netlink, packet, queues of the firewall. */
#ifndef TUESDAY_SOURCES_NET_EVENT_SOCKETS_H
#define TUESDAY_SOURCES_NET_EVENT_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"

struct sink;

/* A row of /proc/net/netlink. port is what the kernel calls the Pid of a netlink socket. */
struct netlink_socket {
	uint32_t protocol, port, inode;
	double drops;
};

/* Calls each for every socket of a program. */
void parse_netlink_sockets(
	struct bytes text, void (*each)(void *arg, const struct netlink_socket *found), void *arg);

/* A row of /proc/net/packet. */
struct packet_socket {
	uint32_t inode;
	bool every_packet; /* it is handed packets of every protocol */
};

/* Calls each for every socket. */
void parse_packet_sockets(
	struct bytes text, void (*each)(void *arg, const struct packet_socket *found), void *arg);

/* /proc/net/netfilter/nfnetlink_queue: instances are the numbers of queues. */
void parse_nfqueues(struct bytes text, struct sink *sink);

#endif
