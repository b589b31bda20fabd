/* SPDX-License-Identifier: GPL-2.0-only */
/* All TCP connections and listeners of our network namespace, asked for once a sample for all that
 * want to know: the kernel goes through its whole table for it. */
#ifndef TUESDAY_SOURCES_NET_TCP_CONNECTIONS_H
#define TUESDAY_SOURCES_NET_TCP_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct capture;
struct sink;
struct sock_waiting;

struct tcp_connections {
	const struct sock_waiting *list; /* established ones, and listeners */
	size_t n;
	bool cut; /* there are more than the kernel was let tell of: those are a part of them */
	int err;  /* -errno where they cannot be listed; list is empty then */
};

/* Those of the present sample of a live machine. Valid until the next sample. */
const struct tcp_connections *tcpconnections_get(struct capture *fs);

/* Says through the sink that the connections of this sample, live or recorded, are a part of all,
 * where they are. Listeners come first, so that all of those are there. */
void tcpconnections_say_cut(struct capture *fs, struct sink *sink);

#endif
