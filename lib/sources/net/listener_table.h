/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of listening sockets: as text, so that a recording holds it, and back; and a name for
 * each that stays the same from sample to sample.
 *
 * The text has a line for each listener, "NAME BACKLOG LIMIT INODE UID DROPS", with - for what is
 * not known; lines "! PHRASE" for what could not be asked; and "." where nobody listens. Bytes of
 * NAME and PHRASE up to the blank, and %, are written as %XX.
 */
#ifndef TUESDAY_SOURCES_NET_LISTENER_TABLE_H
#define TUESDAY_SOURCES_NET_LISTENER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;
struct sock_listener;

/* More than any machine has; a text with more is refused. */
#define LISTENERS_MAX 16384

struct listener {
	char *name; /* namespace and address, and "#2" … where several sockets share them; owned */
	size_t address_len; /* name without that number */
	uint32_t backlog, limit, inode;
	bool has_uid, has_drops;
	uint32_t uid, drops;
	uint32_t ordinal; /* 1 for the first of those that share an address */
};

struct listeners {
	struct listener *list; /* by address, then inode, once they are numbered */
	size_t n, room;
	char **missing; /* phrases */
	size_t n_missing, room_missing;
	bool none; /* it was looked, and nobody listens: an empty text may be a broken recording */
};

/* Appends the line of a listener in the namespace whose name is prefix ("" for the own one). */
void listeners_write(struct str *text, const char *prefix, const struct sock_listener *listener);
void listeners_write_missing(struct str *text, const char *phrase);
void listeners_write_none(struct str *text);

/*
 * Reads a text of len bytes into the empty table out. Returns 0, or -EBADMSG where anything in it
 * is not as above, with out empty.
 */
int listeners_parse(struct listeners *out, const char *text, size_t len);

/*
 * Sorts the table and gives those that share an address (SO_REUSEPORT) their numbers: a socket
 * keeps the number it had in before, the table of the last sample, or NULL; a new one takes the
 * lowest that is free, so its counters, which began at 0, never look like a jump of another
 * socket's.
 */
void listeners_number(struct listeners *now, const struct listeners *before);

/* The listener of that name, or NULL. */
const struct listener *listeners_find(const struct listeners *table, const char *name);

void listeners_free(struct listeners *table);

#endif
