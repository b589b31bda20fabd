/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long does one request take? A GET of HTTP/1.1 (RFC 9112) over plain TCP, each with a
 * connection of its own, which is what a user of the service pays at worst.
 *
 * No TLS, no redirects, no names beyond /etc/hosts: what needs these is measured with a program of
 * the person's choice. The answer is whatever the server likes to send: it is read to its end or to
 * HTTP_ANSWER_MAX and nothing of it is kept but the status.
 */
#ifndef TUESDAY_EXPERIMENT_HTTP_GET_H
#define TUESDAY_EXPERIMENT_HTTP_GET_H

#include <sys/socket.h>

#include "sys/url.h"

struct str;

#define HTTP_ANSWER_MAX (16 << 20)

struct http_server {
	struct url url;
	struct sockaddr_storage address;
	socklen_t address_len; /* 0 for no server */
};

/*
 * "http://ADDRESS[:PORT][/PATH]", ADDRESS being 127.0.0.1, [::1] or a name that hosts, the text of
 * /etc/hosts or NULL, knows. Returns 0, or -EINVAL with a phrase in why. The caller frees.
 */
int http_server_find(
	struct http_server *server, const char *text, const char *hosts, struct str *why);
void http_server_free(struct http_server *server);

/*
 * One request. *seconds is the time from the first packet of the connection to the last byte of the
 * answer. Returns the status, 200..599, or an error with a phrase in why: -ETIMEDOUT, -EPROTO for
 * an answer that is no whole one of HTTP, -EFBIG, or what connecting or reading failed with.
 */
int http_get(const struct http_server *server, int timeout_ms, double *seconds, struct str *why);

#endif
