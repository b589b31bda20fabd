/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do those who send wait for? TCP connections by where their data goes, as counters that grow
 * from sample to sample although connections come and go; as text, so that a recording holds it,
 * and back.
 *
 * The text has a line for each place, "NAME CONNECTIONS BUSY_US RECEIVER_US BUFFER_US REPEATS
 * LARGE_REPEATS RECEIVER_INODE SENDER_INODE"; or "." where there is none. NAME is ":PORT" for the
 * clients of a server here, "local:PORT" for those on this machine, else "ADDRESS:PORT", the place
 * that a program here has connected to, or "others" for those beyond SENDING_PLACES_MAX.
 */
#ifndef TUESDAY_SOURCES_NET_TCP_SENDING_H
#define TUESDAY_SOURCES_NET_TCP_SENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sock_waiting;
struct str;

#define SENDING_PLACES_MAX 4096
#define SENDING_NAME_BYTES 64

/* Times are those of all connections of the place together, since the first sample. */
struct sending_place {
	char name[SENDING_NAME_BYTES];
	uint32_t connections;
	uint64_t busy_us, receiver_us, buffer_us; /* as struct tcp_limits */
	/* How many times in a row the same data was sent again without an answer, of the connection
	 * where it was most; and of those whose data fills a packet. */
	uint32_t repeats, large_repeats;
	/* The sockets of whom the most was waited for, or who does not answer, and of who waited
	 * the most for its buffer: the receiver's only where it is on this machine. 0: nobody. */
	uint32_t receiver_inode, sender_inode;
};

struct sending_connection;
struct instances;

/* The place of those beyond SENDING_PLACES_MAX. */
#define SENDING_OTHERS "others"

struct sending {
	struct sending_place *list;
	size_t n, room;
	struct instances *names;		 /* as numbered in list, while samples are added */
	struct sending_connection *before, *now; /* by cookie; what was known of each */
	size_t n_before, n_now, room_before, room_now;
	size_t samples;
	uint64_t time_ns; /* of the last one */
	bool cut;	  /* that one was a part of all connections */
};

/* Adds what a sample of all connections and listeners says, which was taken at this time; cut: of a
 * part of the connections. */
void sending_add(struct sending *sending, uint64_t now_ns, const struct sock_waiting *list,
	size_t n, bool cut);

void sending_write(struct str *text, const struct sending *sending);
/* Reads a text of len bytes into the empty table out. Returns 0, or -EBADMSG where anything in it
 * is not as above, with out empty. */
int sending_parse(struct sending *out, const char *text, size_t len);

const struct sending_place *sending_find(const struct sending *sending, const char *name);
/* "local", "client" or "server": which end is here, and whether the other one is as well. */
const char *sending_class(const char *name);
void sending_free(struct sending *sending);

#endif
