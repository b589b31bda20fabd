/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What becomes of what DCTCP sends? The TCP connections whose congestion control is dctcp, by where
 * their data goes, as counters that grow from sample to sample although connections come and go; as
 * text, so that a recording holds it, and back.
 *
 * The text has a line for each place, "NAME CONNECTIONS RENO DELIVERED MARKED SENT REPEATED INODE";
 * or "." where there is none. NAME is ":PORT" for the clients of a server here, else
 * "ADDRESS:PORT", the place that a program here has connected to, or "others" for those beyond
 * DCTCP_PLACES_MAX.
 */
#ifndef TUESDAY_SOURCES_NET_TCP_DCTCP_H
#define TUESDAY_SOURCES_NET_TCP_DCTCP_H

#include <stddef.h>
#include <stdint.h>

struct instances;
struct sock_waiting;
struct str;

#define DCTCP_PLACES_MAX 1024
#define DCTCP_NAME_BYTES 64
#define DCTCP_OTHERS "others"

/* Packets are those of all connections of the place together, from the second sample that has each
 * on. */
struct dctcp_place {
	char name[DCTCP_NAME_BYTES];
	uint32_t connections;
	uint32_t reno; /* of those: ECN was not negotiated, so the kernel runs Reno instead */
	uint64_t delivered, marked; /* marked came back as "congestion experienced" */
	uint64_t sent, repeated;    /* packets with data; those that were sent again */
	uint32_t inode;		    /* of one of the sockets, one that runs Reno if there is any */
};

struct dctcp_connection;

/* All zero is an empty one. */
struct dctcp {
	struct dctcp_place *list;
	size_t n, room;
	struct instances *names;	       /* as numbered in list, while samples are added */
	struct dctcp_connection *before, *now; /* by cookie; what was known of each */
	size_t n_before, n_now, room_before, room_now;
};

/* Adds what a sample of all connections and listeners says. */
void dctcp_add(struct dctcp *dctcp, const struct sock_waiting *list, size_t n);

void dctcp_write(struct str *text, const struct dctcp *dctcp);
/* Reads a text of len bytes into the empty table out. Returns 0, or -EBADMSG where anything in it
 * is not as above, with out empty. */
int dctcp_parse(struct dctcp *out, const char *text, size_t len);
void dctcp_free(struct dctcp *dctcp);

#endif
