/* SPDX-License-Identifier: GPL-2.0-only */
/* The process behind a target. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_FINDSERVER_H
#define TUESDAY_TOOLS_KEEPALIVE_FINDSERVER_H

struct server;
struct target;

/* Looks for the process that listens on the target, and reads what it may: its title, threads,
 * children and configuration. Needs no right, and finds more with more: capabilities are raised to
 * read, and lowered before anything that was read is parsed. */
void server_find(struct server *server, const struct target *target);

#endif
