/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long does one request take? A GET of HTTP/1.1 (RFC 9112) over plain TCP, each with a
 * connection of its own, which is what a user of the service pays at worst.
 *
 * No TLS, no redirects, no names beyond /etc/hosts: what needs these is measured with a program of
 * the person's choice. The answer is whatever the server likes to send: it is read to its end or to
 * HTTP_ANSWER_MAX and nothing of it is kept but the status.
 */
#ifndef TUESDAY_HTTPGET_H
#define TUESDAY_HTTPGET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

struct str;

#define HTTP_ANSWER_MAX (16 << 20)

struct http_url {
	char *host; /* as in the Host header, with the port if it is not 80 */
	char *path; /* with its leading slash and query */
	struct sockaddr_storage address;
	socklen_t address_len;
};

/*
 * "http://ADDRESS[:PORT][/PATH]", ADDRESS being 127.0.0.1, [::1] or a name that hosts, the text of
 * /etc/hosts or NULL, knows. Returns 0, or -EINVAL with a phrase in why. The caller frees.
 */
int http_url_parse(struct http_url *url, const char *text, const char *hosts, struct str *why);
void http_url_free(struct http_url *url);

/*
 * One request. *seconds is the time from the first packet of the connection to the last byte of the
 * answer. Returns the status, 100..599, or an error with a phrase in why: -ETIMEDOUT, -EPROTO for
 * what is no HTTP, -EFBIG, or what connecting or reading failed with.
 */
int http_get(const struct http_url *url, int timeout_ms, double *seconds, struct str *why);

/* The status in the beginning of an answer, or -EAGAIN where more is needed, or -EPROTO. */
int http_status(const char *text, size_t len);

#endif
