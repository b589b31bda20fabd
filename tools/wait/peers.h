/* SPDX-License-Identifier: GPL-2.0-only */
/* What is at the other end of a descriptor that a process waits for? */
#ifndef TUESDAY_TOOLS_WAIT_PEERS_H
#define TUESDAY_TOOLS_WAIT_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

/* A TCP socket of /proc/net/tcp or tcp6, by its inode. */
struct wait_socket {
	uint64_t inode;
	char remote[64]; /* "10.0.0.5:5432", "" of a listener */
	uint16_t local_port;
	bool listens;
};

/* Those of one network namespace. */
struct wait_sockets {
	struct wait_socket *list;
	size_t n, room;
};

/* Adds the sockets of a text of /proc/net/tcp, or tcp6; lines that are none are passed over. */
void wait_sockets_add(struct wait_sockets *sockets, const char *text, bool v6);
const struct wait_socket *wait_sockets_find(const struct wait_sockets *sockets, uint64_t inode);
/* Whether a connection was made by others: its port is one that is listened at. */
bool wait_sockets_is_served(const struct wait_sockets *sockets, const struct wait_socket *one);
void wait_sockets_free(struct wait_sockets *sockets);

enum wait_end {
	WAIT_END_UNKNOWN,
	WAIT_END_WORK,	  /* others come with something to do: a listener, their connections, a
			     terminal */
	WAIT_END_NOTHING, /* an epoll with nothing in it */
	WAIT_END_TIME,	  /* a timer */
	WAIT_END_PEER, /* it has asked somebody: a connection of its own, a pipe, a local socket */
};

/* What the descriptor of a process is, with a phrase for a peer: "10.0.0.5:5432". An epoll's is
 * what is in it. */
enum wait_end wait_peers_of(
	uint32_t pid, const struct wait_sockets *sockets, uint32_t fd, struct str *phrase);
/* The file that a descriptor is of, by its path as the process sees it; false for anything else. */
bool wait_peers_file(uint32_t pid, uint32_t fd, struct str *path);
/* Without a descriptor (poll, select): what it has of connections. */
enum wait_end wait_peers_of_any(
	uint32_t pid, const struct wait_sockets *sockets, struct str *phrase);
/* The sockets of the network namespace that a process is in. */
void wait_peers_read(uint32_t pid, struct wait_sockets *sockets);

#endif
