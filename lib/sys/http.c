/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does a response end, and does its connection live on? */
#include "base/banned.h"

#include <errno.h>
#include <strings.h>

#include "sys/http.h"
#include "base/num.h"
#include "base/str.h"

void http_begin(struct http *http, bool head_only, uint64_t body_max)
{
	/* Not the line: it is 1 KiB, and this is done for every request. */
	memset(http, 0, offsetof(struct http, line));
	http->head_only = head_only;
	http->body_max = body_max;
}

/* The bytes of a response with an end by close would be taken for ever after an interim one. */
static void http_begin_final(struct http *http)
{
	const unsigned int interim = http->interim;
	const size_t head_bytes = http->head_bytes;

	http_begin(http, http->head_only, http->body_max);
	http->begun = true;
	http->interim = interim + 1;
	http->head_bytes = head_bytes;
}

static const char not_http[] = "it is not HTTP/1.x";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What a person is told. */
static int http_refuse(struct http *http, const char *why)
{
	http->wrong = why;
	return -EBADMSG;
}

/* A record of TLS as RFC 8446 5.1 has it: an alert or a handshake. */
static bool http_is_tls(const char *line)
{
	return (line[0] == 21 || line[0] == 22) && line[1] == 3;
}

/* "HTTP/1.1 200 OK": the reason may be missing, and its blank. */
static int http_read_status_line(struct http *http)
{
	const char *line = http->line;

	if (http->line_len < 12 || strncmp(line, "HTTP/1.", 7) != 0 || !is_digit(line[7]) ||
		line[8] != ' ')
		return http_refuse(http, not_http);
	if (!is_digit(line[9]) || !is_digit(line[10]) || !is_digit(line[11]) ||
		(line[12] && line[12] != ' '))
		return http_refuse(http, "its status line has no status of three digits");
	http->minor_1 = line[7] != '0';
	http->status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
	/* Nobody asked for another protocol. */
	if (http->status == 101)
		return http_refuse(http, "it changes to another protocol, which nobody asked for");
	if (http->status < 100 || http->status > 599)
		return http_refuse(http, "its status is none of HTTP");
	http->step = HTTP_HEADER;
	return 0;
}

/* Whether a list as of Connection has this word. */
static bool http_list_has(const char *list, const char *word)
{
	const size_t len = strlen(word);

	while (*list) {
		list += strspn(list, ", \t");
		if (!strncasecmp(list, word, len) && (!list[len] || strchr(", \t", list[len])))
			return true;
		list += strcspn(list, ",");
	}
	return false;
}

/* Two lengths that differ are the classic way to make two readers see two responses. */
static int http_read_length(struct http *http, const char *value)
{
	uint64_t length;

	if (num_u64(value, 0, INT64_MAX, &length))
		return http_refuse(http, "its Content-Length is no number");
	if (http->has_length && http->left != length)
		return http_refuse(http, "it has two Content-Lengths that contradict each other");
	http->has_length = true;
	http->left = length;
	return 0;
}

/* Chunked is the only coding with an end of its own, and must be the last one. */
static int http_read_encoding(struct http *http, const char *value)
{
	const char *last = strrchr(value, ',');

	if (http->chunked)
		return http_refuse(http, "it has two Transfer-Encodings");
	last = last ? last + 1 : value;
	last += strspn(last, " \t");
	if (strcasecmp(last, "chunked") != 0)
		return http_refuse(http, "its Transfer-Encoding has no end");
	http->chunked = true;
	return 0;
}

static void http_keep_text(char *to, size_t size, const char *value)
{
	const size_t len = strlen(value);
	const size_t kept = len < size ? len : size - 1;

	memcpy(to, value, kept);
	to[kept] = 0;
}

static bool http_is_framing(const char *name)
{
	return !strcasecmp(name, "content-length") || !strcasecmp(name, "transfer-encoding") ||
		!strcasecmp(name, "connection");
}

static int http_read_field(struct http *http, const char *name, const char *value)
{
	if (!strcasecmp(name, "content-length"))
		return http_read_length(http, value);
	if (!strcasecmp(name, "transfer-encoding"))
		return http_read_encoding(http, value);
	if (!strcasecmp(name, "connection")) {
		http->says_close |= http_list_has(value, "close");
		http->says_keep |= http_list_has(value, "keep-alive");
	} else if (!strcasecmp(name, "server")) {
		http_keep_text(http->server, sizeof(http->server), value);
	} else if (!strcasecmp(name, "via")) {
		http_keep_text(http->via, sizeof(http->via), value);
	}
	return 0;
}

static int http_read_header(struct http *http)
{
	char *line = http->line, *colon, *value, *end;

	if (*line == ' ' || *line == '\t') /* the line above goes on: not where it matters */
		return http->framing_line ? http_refuse(http, "a header that frames it is folded")
					  : 0;
	colon = strchr(line, ':');
	if (!colon || colon == line || colon[-1] == ' ' || colon[-1] == '\t')
		return http_refuse(http, "a line of its head is no header");
	*colon = 0;
	http->framing_line = http_is_framing(line);
	if (!http->framing_line && http->line_len > HTTP_LINE_MAX)
		return 0;
	if (http->line_len > HTTP_LINE_MAX)
		return http_refuse(http, "a header that frames it is too long");
	value = colon + 1 + strspn(colon + 1, " \t");
	for (end = value + strlen(value); end > value && strchr(" \t", end[-1]); end--)
		;
	*end = 0;
	return http_read_field(http, line, value);
}

static int http_finish(struct http *http)
{
	http->step = HTTP_FINISHED;
	return 1;
}

/* The empty line behind the headers. */
static int http_end_head(struct http *http)
{
	if (http->status < 200) {
		if (http->interim >= HTTP_INTERIM_MAX)
			return -EMSGSIZE;
		http_begin_final(http);
		return 0;
	}
	/* A chunked answer of 1.0, or one with a length too, is understood by some differently. */
	http->keep = !http->says_close && (http->minor_1 ? true : http->says_keep) &&
		!(http->chunked && (http->has_length || !http->minor_1));
	if (http->head_only || http->status == 204 || http->status == 304)
		return http_finish(http);
	if (http->chunked) {
		http->step = HTTP_CHUNK_SIZE;
		return 0;
	}
	if (!http->has_length) {
		http->keep = false;
		http->step = HTTP_BODY_CLOSE;
		return 0;
	}
	if (http->left > http->body_max)
		return -EFBIG;
	http->step = HTTP_BODY_LENGTH;
	return http->left ? 0 : http_finish(http);
}

/* "1a2b;name=value" */
static int http_read_chunk_size(struct http *http)
{
	const char *at = http->line;
	int err = num_next_hex(&at, http->line + strlen(http->line), &http->left);

	if (err || at == http->line || strchr(" \t", *http->line) || (*at && !strchr("; \t", *at)))
		return http_refuse(http, "a chunk has no size");
	if (http->left > http->body_max - http->body_bytes)
		return -EFBIG;
	http->step = http->left ? HTTP_CHUNK_DATA : HTTP_TRAILER;
	return 0;
}

static int http_read_line(struct http *http)
{
	switch (http->step) {
	case HTTP_STATUS_LINE:
		return http_read_status_line(http);
	case HTTP_HEADER:
		return *http->line ? http_read_header(http) : http_end_head(http);
	case HTTP_CHUNK_SIZE:
		return http_read_chunk_size(http);
	case HTTP_CHUNK_END:
		http->step = HTTP_CHUNK_SIZE;
		return *http->line ? http_refuse(http, "a chunk is longer than its size") : 0;
	default: /* a trailer says nothing that we ask about */
		return *http->line ? 0 : http_finish(http);
	}
}

/* Collects a line, of which the part beyond HTTP_LINE_MAX is only counted. A NUL in it is refused,
 * since we would read less than was sent. */
static int http_feed_line(struct http *http, const char *data, size_t len, size_t *used)
{
	const char *end = memchr(data, '\n', len);
	const size_t n = end ? (size_t)(end - data) : len;
	const size_t have = http->line_len < HTTP_LINE_MAX ? http->line_len : HTTP_LINE_MAX;
	const size_t room = HTTP_LINE_MAX - have;
	size_t stop;
	int status;

	*used = end ? n + 1 : n;
	http->head_bytes += *used;
	if (http->head_bytes > HTTP_HEAD_MAX)
		return -EMSGSIZE;
	memcpy(http->line + have, data, n < room ? n : room);
	http->line_len += n;
	if (http->step == HTTP_STATUS_LINE && http->line_len >= 2 && http_is_tls(http->line))
		return http_refuse(http, "it is TLS: try https://");
	if (memchr(data, 0, n))
		return http_refuse(http,
			http->step == HTTP_STATUS_LINE ? not_http : "its head has a byte of 0");
	if (!end)
		return 0;
	stop = http->line_len < HTTP_LINE_MAX ? http->line_len : HTTP_LINE_MAX;
	/* Of a line that is cut the last byte kept is not its end, and its length stays. */
	if (stop && stop == http->line_len && http->line[stop - 1] == '\r')
		http->line_len = --stop;
	http->line[stop] = 0;
	status = http_read_line(http);
	http->line_len = 0;
	return status;
}

static int http_feed_body(struct http *http, size_t len, size_t *used)
{
	*used = http->step != HTTP_BODY_CLOSE && http->left < len ? (size_t)http->left : len;
	http->body_bytes += *used;
	if (http->body_bytes > http->body_max)
		return -EFBIG;
	if (http->step == HTTP_BODY_CLOSE)
		return 0;
	http->left -= *used;
	if (http->left)
		return 0;
	if (http->step == HTTP_BODY_LENGTH)
		return http_finish(http);
	/* Chunks of a byte each cost six: what surrounds them counts as part of the head, which
	 * begins anew with each. */
	http->head_bytes = 0;
	http->step = HTTP_CHUNK_END;
	return 0;
}

int http_feed(struct http *http, const char *data, size_t len, size_t *used)
{
	int status = http->step == HTTP_FINISHED;

	*used = 0;
	while (!status && *used < len) {
		size_t taken;

		http->begun = true;
		if (http->step == HTTP_BODY_LENGTH || http->step == HTTP_BODY_CLOSE ||
			http->step == HTTP_CHUNK_DATA)
			status = http_feed_body(http, len - *used, &taken);
		else
			status = http_feed_line(http, data + *used, len - *used, &taken);
		*used += taken;
	}
	return status;
}

int http_end(struct http *http)
{
	if (http->step == HTTP_BODY_CLOSE)
		return http_finish(http);
	if (http->step == HTTP_FINISHED)
		return 1;
	if (!http->begun)
		return -ENODATA;
	http->wrong = http->step <= HTTP_HEADER ? "the connection ended within its head"
						: "the connection ended before its end";
	return -ECONNRESET;
}
