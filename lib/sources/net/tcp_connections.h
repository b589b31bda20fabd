/* SPDX-License-Identifier: GPL-2.0-only */
/* All TCP connections and listeners of our network namespace, asked for once a sample for all that
 * want to know: the kernel goes through its whole table for it. */
#ifndef TUESDAY_SOURCES_NET_TCP_CONNECTIONS_H
#define TUESDAY_SOURCES_NET_TCP_CONNECTIONS_H

#include <stddef.h>

struct capture;
struct sock_waiting;

struct tcp_connections {
	const struct sock_waiting *list; /* established ones, and listeners */
	size_t n;
	int err; /* -errno where they cannot be listed; list is empty then */
};

/* Those of the present sample of a live machine. Valid until the next sample. */
const struct tcp_connections *tcpconnections_get(struct capture *fs);

#endif
