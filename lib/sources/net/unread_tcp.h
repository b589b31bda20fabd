/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests that lie unread, or are read and not answered, by the port of the server that should: as
 * text, so that a recording holds it, and back.
 *
 * The text has a line for each server, "PORT INODE CONNECTIONS UNREAD OLDEST_MS OVERTAKEN PASSED
 * PASSED_MS", where INODE is that of a listening socket; or "." where no server has a connection.
 * The last two numbers are missing in what older versions recorded.
 */
#ifndef TUESDAY_SOURCES_NET_UNREAD_TCP_H
#define TUESDAY_SOURCES_NET_UNREAD_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;
struct sock_waiting;

/* There are no more ports; a text with more is refused. */
#define UNREAD_SERVERS_MAX 65536

struct unread_server {
	uint16_t port;
	uint32_t inode;
	uint32_t connections;
	uint32_t unread;    /* connections that have something unread */
	uint32_t oldest_ms; /* how long the oldest of these has lain */
	/* Connections with something unread that was there before what another connection brought,
	 * which is answered already. */
	uint32_t overtaken;
	bool has_passed;
	/* Connections whose last request is read and not answered, while another connection got an
	 * answer since it came; and how long ago the oldest of these requests came. */
	uint32_t passed, passed_ms;
};

struct unread {
	struct unread_server *list; /* by port */
	size_t n, room;
	struct sock_waiting *waits; /* while it is gathered; owned */
	size_t n_waits, room_waits;
};

/* A listener of that port: connections count only with one. */
void unread_add_server(struct unread *table, uint16_t port, uint32_t inode);
void unread_add(struct unread *table, const struct sock_waiting *waiting);
/* Once all is added: counts what was added. */
void unread_count(struct unread *table);

/* Those servers that have connections. */
void unread_write(struct str *text, const struct unread *table);
/* Reads a text of len bytes into the empty table out. Returns 0, or -EBADMSG where anything in it
 * is not as above, with out empty. */
int unread_parse(struct unread *out, const char *text, size_t len);

const struct unread_server *unread_find(const struct unread *table, uint16_t port);
void unread_free(struct unread *table);

#endif
