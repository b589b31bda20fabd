/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections to Unix sockets that have something unread: as text, so that a recording holds it,
 * and back.
 *
 * The text has a line for each server, "INODE CONNECTIONS UNREAD ADDRESS", by address unless it was
 * redacted; or "." where none has a connection; and "!" at the end where there are more servers. An
 * address with a control character is left out.
 */
#ifndef TUESDAY_SOURCES_NET_UNREAD_UNIX_H
#define TUESDAY_SOURCES_NET_UNREAD_UNIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

/* What is beyond it is left out, and a text with more refused. */
#define UNREADUNIX_MAX 65536
#define UNREADUNIX_ADDRESS 128

struct unreadunix_server {
	char address[UNREADUNIX_ADDRESS]; /* "unix:PATH" */
	uint32_t inode;			  /* of the listening socket */
	uint32_t connections;		  /* accepted, or waiting to be */
	uint32_t unread;		  /* of these, not accepted or with something unread */
};

struct unreadunix {
	struct unreadunix_server *list; /* by address once it is sorted */
	size_t n, room;
	bool cut; /* there are more than UNREADUNIX_MAX */
};

/* Listeners first, then unreadunix_sort, then connections. */
void unreadunix_add_server(
	struct unreadunix *table, const char *address, uint32_t inode, uint32_t backlog);
void unreadunix_sort(struct unreadunix *table);
void unreadunix_add(struct unreadunix *table, const char *address, uint32_t unread_bytes);

/* NULL where there is none of that address. */
struct unreadunix_server *unreadunix_find(const struct unreadunix *table, const char *address);

/* Those servers that have connections. */
void unreadunix_write(struct str *text, const struct unreadunix *table);
/* Reads a text of len bytes into the empty table out. Returns 0, or -EBADMSG where anything in it
 * is not as above, with out empty. */
int unreadunix_parse(struct unreadunix *out, const char *text, size_t len);
void unreadunix_free(struct unreadunix *table);

#endif
