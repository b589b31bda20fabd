/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any answer of a server break the parser, or mean something else when it comes in pieces?
 */
#include "base/banned.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/http.h"

#define BODY_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* From a buffer of exactly the size of each piece, so that a byte too many is noticed. */
static int feed_pieces(struct http *http, const char *data, size_t size, size_t step, size_t *total)
{
	int status = 0;

	*total = 0;
	while (!status && *total < size) {
		const size_t n = size - *total < step ? size - *total : step;
		char *piece = malloc(n);
		size_t used;

		if (!piece)
			abort();
		memcpy(piece, data + *total, n);
		status = http_feed(http, piece, n, &used);
		free(piece);
		if (used > n || (!status && used != n))
			abort();
		*total += used;
	}
	return status;
}

static void require_sane(const struct http *http, int status)
{
	if (status == 1 && (http->status < 200 || http->status > 599))
		abort();
	if (status >= 0 && http->body_bytes > BODY_MAX)
		abort();
	if (strnlen(http->server, sizeof(http->server)) == sizeof(http->server))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http whole, pieces;
	size_t used, used_pieces;
	int status, status_pieces;

	if (!size)
		return 0;
	http_begin(&whole, data[0] & 1, BODY_MAX);
	http_begin(&pieces, data[0] & 1, BODY_MAX);
	status = feed_pieces(&whole, (const char *)data + 1, size - 1, size, &used);
	status_pieces = feed_pieces(
		&pieces, (const char *)data + 1, size - 1, 1 + (data[0] >> 4), &used_pieces);
	require_sane(&whole, status);
	if (status != status_pieces || (status == 1 && used != used_pieces))
		abort();
	if (status == 1 && (whole.keep != pieces.keep || whole.status != pieces.status))
		abort();
	if (!status && http_end(&whole) != http_end(&pieces))
		abort();
	return 0;
}
