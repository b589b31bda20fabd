/* SPDX-License-Identifier: GPL-2.0-only */
/* The one server that a run talks to, and whether it is this machine's own. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_TARGET_H
#define TUESDAY_TOOLS_KEEPALIVE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct str;
struct url;

struct target {
	const struct url *url;
	const char *unix_path;		 /* a Unix socket instead of the URL's host, or NULL */
	struct sockaddr_storage address; /* what is connected to, and nothing else */
	socklen_t address_len;
	char text[96]; /* the address for people: "127.0.0.1:80", "[::1]:80", "unix:/run/x" */
	bool own;      /* a Unix socket, a loopback address, or an address of this machine */
};

/*
 * Finds the address: the name is looked up once, so that a server does not change during a run; of
 * several, an own one is preferred. Returns 0, or -errno with a phrase in why.
 */
int target_find(
	struct target *target, const struct url *url, const char *unix_path, struct str *why);

#endif
