/* SPDX-License-Identifier: GPL-2.0-only */
/* http://HOST[:PORT][/PATH][?QUERY], and https: the parts of it that a client needs. */
#ifndef TUESDAY_SYS_URL_H
#define TUESDAY_SYS_URL_H

#include <stdbool.h>
#include <stdint.h>

struct url {
	bool tls;
	uint16_t port;	 /* 80 or 443 where none is written */
	char host[256];	 /* without the brackets of an IPv6 address */
	char *authority; /* for Host: as written, without a port that goes without saying */
	char *path;	 /* with the query, without a fragment; begins with '/' */
};

/*
 * Reads a URL. What is accepted has no byte in it that could end a line of a request or a word of
 * it. Returns NULL and fills url, whose texts the caller frees by url_free, or a phrase that says
 * what is wrong.
 */
const char *url_parse(struct url *url, const char *text);
void url_free(struct url *url);

/* The path and the text of a header are sent as they are: whether text is free of what would break
 * a line. With words it may have no blank either. */
bool url_is_clean(const char *text, bool words);

#endif
