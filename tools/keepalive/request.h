/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of a request. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_REQUEST_H
#define TUESDAY_TOOLS_KEEPALIVE_REQUEST_H

struct asked;
struct request;

/* Makes the bytes of both requests. Returns 0, or -errno after a message (the body's file). */
int asked_request(const struct asked *asked, const char *program, struct request *request);
void request_free(struct request *request);

#endif
