/* SPDX-License-Identifier: GPL-2.0-only */
/* One connection to the target: TCP or a Unix socket, with TLS over it where the URL says https. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_CONN_H
#define TUESDAY_TOOLS_KEEPALIVE_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ssl_ctx_st;
struct ssl_st;
struct target;

/* What all connections to one target share. */
struct dialer {
	const struct target *target;
	struct ssl_ctx_st *tls; /* NULL for http */
	bool verify;
	char error[160];     /* what TLS had to say about its last failure, or "" */
	char untrusted[160]; /* why the certificate would have been refused, if verified, or "" */
};

/*
 * verify: the certificate must be one that this machine trusts and that names the host. Returns 0
 * or -ENOMEM. dialer_close frees what it holds.
 */
int dialer_open(struct dialer *dialer, const struct target *target, bool verify);
void dialer_close(struct dialer *dialer);

enum conn_step { CONN_CLOSED, CONN_CONNECTING, CONN_HANDSHAKE, CONN_OPEN };

struct conn {
	enum conn_step step;
	int fd;
	struct ssl_st *tls;
};

/* All are without blocking; errors are -errno, and -EPROTO one of TLS (see dialer.error). */

/* Begins to connect. */
int conn_dial(struct conn *conn, struct dialer *dialer);
/* Goes on with it, once the socket can be written to or read from. Returns 1 where it is open, 0
 * where it waits. */
int conn_advance(struct conn *conn, struct dialer *dialer);
/* Returns the number of bytes, 0 at the end of the stream (receiving), or -EAGAIN. */
ssize_t conn_send(struct conn *conn, struct dialer *dialer, const void *data, size_t len);
/* *arrived_ns: when the kernel got the last of it, CLOCK_REALTIME, 0 where it does not say (it does
 * for TCP in clear): what passes until this process runs is no part of an answer's time. */
ssize_t conn_receive(
	struct conn *conn, struct dialer *dialer, void *data, size_t len, uint64_t *arrived_ns);
void conn_close(struct conn *conn);

#endif
