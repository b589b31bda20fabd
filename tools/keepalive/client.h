/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client: one thread, one epoll, every request's times to the nanosecond.
 */
#ifndef TUESDAY_TOOLS_KEEPALIVE_CLIENT_H
#define TUESDAY_TOOLS_KEEPALIVE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

struct dialer;
struct round;
struct round_plan;

/* A request as bytes: one that lets the connection live, and one that ends it. */
struct request {
	char *keep, *close;
	size_t keep_len, close_len;
	bool head;	 /* the answer has no body */
	bool repeatable; /* may be sent again where it is not known whether it was received */
};

struct client;

/* Returns 0 or -errno. SIGPIPE is ignored from here to client_free. */
int client_new(struct client **out, struct dialer *dialer, const struct request *request);
void client_free(struct client *client);

/*
 * Runs one round, with no connection open before and after it. tick, called about ten times a
 * second, may be NULL. Ctrl-C (see progress.h) ends a round. Returns 0, or -errno where this
 * machine failed, not the server; round is filled in every case and freed by round_free.
 */
int client_round(struct client *client, const struct round_plan *plan, struct round *round,
	void (*tick)(void *arg, const struct round *round), void *arg);

#endif
