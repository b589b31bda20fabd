/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A response of HTTP/1.x, parsed as its bytes come (RFC 9112).
 *
 * Nothing of a body is kept, and of the head only what ours ask about. Whatever a server
 * sends, memory is bounded by this struct.
 */
#ifndef TUESDAY_SYS_HTTP_H
#define TUESDAY_SYS_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line may be longer, but then it is none that framing depends on. */
#define HTTP_LINE_MAX 1024
/* Status lines, headers and trailers of a response together, and interim responses. */
#define HTTP_HEAD_MAX (256 * 1024)
#define HTTP_INTERIM_MAX 16

enum http_step {
	HTTP_STATUS_LINE,
	HTTP_HEADER,
	HTTP_BODY_LENGTH, /* so many bytes are left */
	HTTP_BODY_CLOSE,  /* until the connection ends */
	HTTP_CHUNK_SIZE,
	HTTP_CHUNK_DATA,
	HTTP_CHUNK_END,
	HTTP_TRAILER,
	HTTP_FINISHED
};

struct http {
	enum http_step step;
	bool head_only; /* the request was HEAD: whatever the headers say, there is no body */
	int status;	/* 100 to 599, once the status line was read */
	bool minor_1;	/* HTTP/1.1, or a later 1.x */
	bool keep;	/* the server lets the connection live: valid once finished */
	bool begun;	/* a byte of it was seen */

	uint64_t body_bytes; /* seen, of the final response */
	uint64_t body_max;   /* more is refused */
	char server[64];     /* Server:, cut; "" for none. Hostile */
	char via[64];	     /* Via:, the same */
	const char *wrong;   /* a phrase about an answer that was refused, "it is ...", or NULL */

	/* Of the parser itself. */
	uint64_t left;
	size_t head_bytes;
	unsigned int interim;
	bool has_length, chunked, says_close, says_keep, framing_line;
	size_t line_len;
	char line[HTTP_LINE_MAX + 1];
};

/* Begins a response, to a request of HEAD or another one. body_max is the most bytes of body. */
void http_begin(struct http *http, bool head_only, uint64_t body_max);

/*
 * Takes len bytes; *used says how many of them belong to this response. Returns 1 where it is
 * complete, 0 where more must come, -EBADMSG for what is no HTTP/1.x response, -EMSGSIZE for a head
 * that is too large, or -EFBIG for such a body.
 */
int http_feed(struct http *http, const char *data, size_t len, size_t *used);

/* The connection ended. Returns 1 where that ends the response well, -ENODATA where not a byte of
 * it had come, or -ECONNRESET where it is cut. */
int http_end(struct http *http);

#endif
