/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of a request. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_REQUEST_H
#define TUESDAY_TOOLS_KEEPALIVE_REQUEST_H

struct keepalive_options;
struct request;

/* Makes the bytes of both requests. Returns 0, or -errno after a message (the body's file). */
int keepalive_options_request(
	const struct keepalive_options *asked, const char *program, struct request *request);
void request_free(struct request *request);

#endif
