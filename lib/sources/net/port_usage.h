/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where do the connections of this machine's clients lead, how many local ports has each place
 * left, and when has it none?
 *
 * What connect() does, by net/ipv4/inet_hashtables.c (__inet_hash_connect): it takes a port of
 * net.ipv4.ip_local_port_range that is not in ip_local_reserved_ports, that nobody has bound by
 * himself, and that no connection between the same two addresses and to the same remote port has.
 * IPv6 has the same range. One in TIME_WAIT gives its port back if tcp_tw_reuse is 1, or 2 and it
 * is of the loopback, and it is a second old (tcp_tw_reuse_delay; tcp_twsk_unique in tcp_ipv4.c),
 * and both sides had time stamps on, as is the rule; else when its 60 s are over (TCP_TIMEWAIT_LEN,
 * a constant of the kernel).
 *
 * TIME_WAIT is left on the side that closes first. With the port of a listener here it is left of a
 * server that closed first; that takes no port of the range.
 */
#ifndef TUESDAY_SOURCES_NET_PORT_USAGE_H
#define TUESDAY_SOURCES_NET_PORT_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/sockdiag.h"

/* Beyond these no more are counted; nor are more told apart, and that are the ones that most
 * connections lead to. */
#define CONNECTIONS_MAX (1 << 20)
#define DESTINATIONS_MAX (1 << 16)

#define TIME_WAIT_SECONDS 60
/* The rate of new TIME_WAITs is that of the slowest of so many seconds: one burst is no rate. */
#define STEADY_SECONDS 3

struct bytes;

/* All between one local address and one remote address and port. */
struct destination {
	struct sock_connection key; /* family, addresses and remote_port */
	uint32_t inode;		    /* of one that a program has, or 0 */
	uint32_t open;		    /* established, or on the way to be or to end */
	uint32_t time_wait;	    /* of clients here, whether their ports are free again or not */
	bool reuse;		    /* those give their ports back after a second */
	/* Ports that TIME_WAIT holds, by the second from now on in which it gives them back. */
	uint16_t until[TIME_WAIT_SECONDS + 1];
	uint32_t recent[STEADY_SECONDS]; /* new in TIME_WAIT in the last second, the one before… */
	double grew, grew_before; /* open, per second: since the look before, and until then */
};

struct destinations {
	uint16_t low, high; /* the range of ports */
	int reuse;	    /* as in tcp_tw_reuse */
	uint8_t reserved[UINT16_MAX / 8 + 1];
	uint8_t listens[UINT16_MAX / 8 + 1];
	struct sock_connection *connections; /* while it is gathered */
	size_t n_connections, room_connections;
	struct destination *list; /* most ports first */
	size_t n, room;
	uint32_t server_time_wait; /* left of servers here that closed first */
	uint32_t other_time_wait;  /* of clients here, to destinations that are not in list */
	bool cut;		   /* there are more than CONNECTIONS_MAX connections */
};

/* Ports that connect() may take in a range, less those reserved ("8080,9000-9010") and those that
 * somebody listens on, as far as they are known by now. */
void destinations_reserve(struct destinations *all, struct bytes list);
unsigned int destinations_ports(const struct destinations *all);

/* A sock_connected of sockdiag_connections(). */
void destinations_add(void *all, const struct sock_connection *connection);
/* Once all is added: fills list. */
void destinations_count(struct destinations *all);
void destinations_free(struct destinations *all);

/* Ports that a destination has taken now. */
unsigned int destination_taken(const struct destination *destination);
/* The steady rate at which connections to it get into TIME_WAIT. */
double destination_closed_per_second(const struct destination *destination);
/* Appends nothing behind the end: "10.0.0.7:80", "[::1]:80". */
void destination_name(const struct destination *destination, char *out, size_t size);
/* How the busiest of now have grown since another look, so many seconds ago (more than 0). */
void destinations_compare(
	struct destinations *now, const struct destinations *before, double seconds);

/*
 * How it goes on if connections get into TIME_WAIT at the same rate as now, and open ones go on to
 * grow as they did since the last two looks, at the slower of both rates: *seconds is when all of
 * that many ports are taken, negative for never. Returns the most that are taken within the next
 * minute: a steady rate of TIME_WAITs holds rate times 60 s of them and no more, since each ends.
 */
double destination_forecast(const struct destination *destination, double ports, double *seconds);

#endif
