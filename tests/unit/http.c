/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the parser of responses find the end of each, however the bytes are cut, and refuse what
 * only looks like one? */
#include "base/banned.h"

#include <errno.h>

#include "base/str.h"
#include "tap.h"
#include "sys/http.h"

#define OK_200 "HTTP/1.1 200 OK\r\n"

/* Feeds text in pieces of step bytes; *used is the sum. */
static int feed(struct http *http, const char *text, size_t step, size_t *used)
{
	const size_t len = strlen(text);
	int status = 0;
	size_t taken;

	http_begin(http, false, 1 << 20);
	for (*used = 0; !status && *used < len; *used += taken)
		status = http_feed(
			http, text + *used, *used + step < len ? step : len - *used, &taken);
	return status;
}

/* The response is complete after all but rest bytes, however it is cut. */
static bool whole(const char *text, size_t rest, int status, bool keep, uint64_t body)
{
	struct http http;
	size_t step, used;

	for (step = 1; step <= strlen(text); step++) {
		if (feed(&http, text, step, &used) != 1 || used != strlen(text) - rest)
			return false;
		if (http.status != status || http.keep != keep || http.body_bytes != body)
			return false;
	}
	return true;
}

static bool refused(const char *text, int err)
{
	struct http http;
	size_t step, used;

	for (step = 1; step <= strlen(text); step++)
		if (feed(&http, text, step, &used) != err)
			return false;
	return true;
}

static void test_framing(void)
{
	ok(whole(OK_200 "Content-Length: 3\r\n\r\nabcHTTP", 4, 200, true, 3),
		"a length ends the body, and what follows is left");
	ok(whole(OK_200 "content-length:0\r\n\r\n", 0, 200, true, 0), "an empty body is one");
	ok(whole("HTTP/1.1 204 \r\n\r\n", 0, 204, true, 0), "204 has no body");
	ok(whole("HTTP/1.1 304\n\n", 0, 304, true, 0), "a reason and carriage returns may lack");
	ok(whole(OK_200 "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n"
			"Trailer: x\r\n\r\nX",
		   1, 200, true, 13),
		"chunks, their extensions and trailers");
	ok(whole("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
		 "HTTP/1.1 500 No\r\nConnection: foo, Close\r\nContent-Length: 1\r\n\r\nx",
		   0, 500, false, 1),
		"interim responses are passed over");
	ok(whole("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 0, 200, false, 1),
		"HTTP/1.0 does not keep");
	ok(whole("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", 0, 200,
		   true, 1),
		"HTTP/1.0 keeps where it says so");
	ok(whole(OK_200 "Connection: closed\r\nContent-Length: 1\r\n\r\nx", 0, 200, true, 1),
		"closed is not the word close");
	ok(whole(OK_200 "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0, 200,
		   false, 0),
		"a length beside chunks is not believed, nor the connection");
	ok(whole(OK_200 "X: a\r\n b\r\nContent-Length: 1\r\n\r\nx", 0, 200, true, 1),
		"a folded line that does not matter is passed over");
}

/* Whether it is refused with these words. */
static bool refused_for(const char *text, const char *why)
{
	struct http http;
	size_t used;

	http_begin(&http, false, 100);
	return http_feed(&http, text, strlen(text), &used) == -EBADMSG && http.wrong &&
		strstr(http.wrong, why);
}

static void test_reasons(void)
{
	struct http http;
	size_t used;

	ok(refused_for("\x15\x03\x01", "https://"), "an alert of TLS is recognised");
	ok(refused_for("SSH-2.0-x\r\n", "not HTTP"), "another protocol is called one");
	ok(refused_for(OK_200 "Content-Length: 1\r\nContent-Length: 2\r\n", "contradict"),
		"lengths that contradict each other are called so");
	http_begin(&http, false, 100);
	ok(!http_feed(&http, OK_200, strlen(OK_200), &used) && http_end(&http) == -ECONNRESET &&
			strstr(http.wrong, "within its head"),
		"where an answer was cut is told");
}

/* "Content-Length: 5", blanks up to the last byte that is kept, that byte, and a digit more. */
static bool refused_cut(char last)
{
	struct str text = STR_INIT;
	bool was;

	str_addf(
		&text, OK_200 "%-*s%c7\r\n\r\nhello", HTTP_LINE_MAX - 1, "Content-Length: 5", last);
	was = refused(str_text(&text), -EBADMSG);
	str_free(&text);
	return was;
}

static void test_hostile(void)
{
	struct str text = STR_INIT;
	struct http http;
	size_t i, used;

	ok(refused("SSH-2.0-OpenSSH\r\n", -EBADMSG), "another protocol is refused");
	ok(refused("HTTP/2 200 OK\r\n", -EBADMSG), "HTTP/2 is refused");
	ok(refused("HTTP/1.1 2000 OK\r\n", -EBADMSG), "a status of four digits is refused");
	ok(refused("HTTP/1.1 099 OK\r\n", -EBADMSG), "a status below 100 is refused");
	ok(refused("HTTP/1.1 999 OK\r\n", -EBADMSG), "a status beyond 599 is refused");
	ok(refused("HTTP/1.1x200 OK\r\n", -EBADMSG), "a status without its blank is refused");
	ok(refused("HTTP/1.1 101 Switch\r\n", -EBADMSG), "nobody asked for another protocol");
	ok(refused(OK_200 "Content-Length: -1\r\n", -EBADMSG), "a negative length is refused");
	ok(refused(OK_200 "Content-Length: 99999999999999999999\r\n", -EBADMSG),
		"a length beyond 64 bits is refused");
	ok(refused(OK_200 "Content-Length: 10000000000\r\n\r\n", -EFBIG),
		"a body of 10 GB is refused before it comes");
	ok(refused(OK_200 "Content-Length: 1\r\nContent-Length: 2\r\n", -EBADMSG),
		"two lengths are refused");
	ok(refused(OK_200 "Content-Length: 1, 1\r\n", -EBADMSG), "a list of lengths is refused");
	ok(refused(OK_200 "Content-Length: 1\r\n 0\r\n", -EBADMSG), "a folded length is refused");
	ok(refused(OK_200 "Content-Length : 1\r\n", -EBADMSG),
		"a blank before the colon is refused");
	ok(refused(OK_200 "Transfer-Encoding: chunked, gzip\r\n", -EBADMSG),
		"chunks inside of another coding are refused");
	ok(refused(OK_200 "Transfer-Encoding: chunked\r\n\r\n-1\r\n", -EBADMSG),
		"a negative chunk is refused");
	ok(refused(OK_200 "Transfer-Encoding: chunked\r\n\r\n\r\n", -EBADMSG),
		"a chunk without a size is refused");
	ok(refused(OK_200 "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", -EBADMSG),
		"a chunk beyond 64 bits is refused");
	ok(refused(OK_200 "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", -EFBIG),
		"a chunk of all bytes that there are is refused");
	ok(refused(OK_200 "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", -EBADMSG),
		"a chunk that is longer than it says is refused");
	ok(refused(OK_200 "no colon\r\n", -EBADMSG), "a header without a colon is refused");
	http_begin(&http, false, 100);
	ok(http_feed(&http, "HTTP/1.1 200 \0\r\n", 16, &used) == -EBADMSG, "a NUL is refused");

	str_add(&text, OK_200 "X: ");
	for (i = 0; i < HTTP_HEAD_MAX; i++)
		str_addc(&text, 'x');
	http_begin(&http, false, 100);
	ok(http_feed(&http, str_text(&text), text.len, &used) == -EMSGSIZE,
		"a header without an end is refused");
	str_clear(&text);
	str_add(&text, OK_200 "Content-Length: ");
	for (i = 0; i < 2 * HTTP_LINE_MAX; i++)
		str_addc(&text, '0');
	str_add(&text, "1\r\n\r\nx");
	http_begin(&http, false, 100);
	ok(http_feed(&http, str_text(&text), text.len, &used) == -EBADMSG,
		"a length that is cut is refused");
	ok(refused_cut('\r'), "so is one whose cut is behind a carriage return");
	ok(refused_cut(' '), "and one whose cut is behind a blank");
	str_clear(&text);
	for (i = 0; i <= HTTP_INTERIM_MAX; i++)
		str_add(&text, "HTTP/1.1 100 Continue\r\n\r\n");
	http_begin(&http, false, 100);
	ok(http_feed(&http, str_text(&text), text.len, &used) == -EMSGSIZE,
		"interim responses without an end are refused");
	str_free(&text);
}

static void test_long_lines(void)
{
	struct str text = STR_INIT;
	struct http http;
	size_t i, used;

	str_add(&text, OK_200 "Set-Cookie: ");
	for (i = 0; i < 8000; i++)
		str_addc(&text, 'c');
	str_add(&text, "\r\nServer: ");
	for (i = 0; i < 500; i++)
		str_addc(&text, 's');
	str_add(&text, "\r\nContent-Length: 2\r\n\r\nxy");
	http_begin(&http, false, 100);
	ok(http_feed(&http, str_text(&text), text.len, &used) == 1 && used == text.len,
		"a cookie of 8000 bytes does no harm");
	ok(strlen(http.server) == sizeof(http.server) - 1, "the name of a server is cut");
	str_free(&text);
}

static void test_ends(void)
{
	struct http http;
	size_t used;

	ok(feed(&http, OK_200 "\r\nabc", 4, &used) == 0 && http_end(&http) == 1 &&
			http.body_bytes == 3 && !http.keep,
		"a body without a length ends with its connection");
	http_begin(&http, false, 2);
	ok(http_feed(&http, OK_200 "\r\nabc", 22, &used) == -EFBIG, "such a body is bounded");
	ok(feed(&http, OK_200 "Content-Length: 9\r\n\r\nabc", 4, &used) == 0 &&
			http_end(&http) == -ECONNRESET,
		"a body that lacks bytes is cut");
	ok(feed(&http, "HTTP/1.1 20", 4, &used) == 0 && http_end(&http) == -ECONNRESET,
		"half a status line is cut");
	http_begin(&http, false, 100);
	ok(http_end(&http) == -ENODATA, "nothing at all is told from that");
	http_begin(&http, true, 100);
	ok(http_feed(&http, OK_200 "Content-Length: 5000\r\n\r\n", 41, &used) == 1 && http.keep,
		"the answer to HEAD has no body, whatever its length says");
}

int main(void)
{
	test_framing();
	test_hostile();
	test_reasons();
	test_long_lines();
	test_ends();
	return tap_done();
}
