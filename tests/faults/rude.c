/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What may a server do wrong? Everything that a client must survive, chosen by the first word of
 * the request's path, each connection in a thread of its own.
 *
 * ADDRESS is a port, or an address of IPv4 and a port (10.0.0.1:443). With CERT, a file of a key
 * and its certificate, it is TLS; with "silent" or "close" in its place the handshake is never
 * answered, or cut.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include "fault.h"

#define OK_ "HTTP/1.1 200 OK\r\n"
#define OK_3 OK_ "Content-Length: 3\r\n"

struct connection {
	int fd;
	SSL *tls;
};

static SSL_CTX *context;
static const char *handshake; /* what becomes of it, or NULL */

static bool put_bytes(struct connection *c, const char *text, size_t len)
{
	while (len) {
		const ssize_t n = c->tls ? SSL_write(c->tls, text, (int)len)
					 : send(c->fd, text, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

static bool put(struct connection *c, const char *text)
{
	return put_bytes(c, text, strlen(text));
}

static bool say_ok(struct connection *c)
{
	return put(c, OK_3 "\r\nok\n");
}

/* The same again and again, until the other end has enough. */
static bool repeat(struct connection *c, const char *text)
{
	enum { BYTES = 16384 };
	const size_t len = strlen(text);
	char many[BYTES];

	for (size_t at = 0; at + len <= BYTES; at += len)
		memcpy(many + at, text, len);
	while (put_bytes(c, many, BYTES / len * len))
		;
	return false;
}

static bool trickle(struct connection *c, const char *text)
{
	for (; *text; text++) {
		if (!put_bytes(c, text, 1))
			return false;
		fault_sleep_ns(50000000);
	}
	return true;
}

static bool reset(struct connection *c)
{
	const struct linger now = {.l_onoff = 1};

	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	return false;
}

static bool early(struct connection *c)
{
	(void)c;
	return false;
}

static bool early_line(struct connection *c)
{
	return put(c, "HTTP/1.1 2") && false;
}

static bool early_head(struct connection *c)
{
	return put(c, OK_3 "Server: ru") && false;
}

static bool early_behind_head(struct connection *c)
{
	return put(c, OK_3 "\r\n") && false;
}

static bool early_body(struct connection *c)
{
	return put(c, OK_3 "\r\nok") && false;
}

static bool early_chunk(struct connection *c)
{
	return put(c, OK_ "Transfer-Encoding: chunked\r\n\r\n5\r\nab") && false;
}

static bool trickle_head(struct connection *c)
{
	return trickle(c, OK_3 "X-Long: the way\r\n\r\nok\n");
}

static bool trickle_body(struct connection *c)
{
	return put(c, OK_ "Content-Length: 1000\r\n\r\n") &&
		trickle(c, "a byte at a time, as a line of forty characters and two ends");
}

static bool silent(struct connection *c)
{
	(void)c;
	fault_sleep_ns(FAULT_SECONDS_MAX * 1000000000L);
	return false;
}

static bool garbage(struct connection *c)
{
	return put(c, "\001\002 no HTTP\n\n") && false;
}

static bool noise(struct connection *c)
{
	char bytes[4096];
	uint64_t state = 88172645463325252ull;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		bytes[i] = (char)state;
	}
	return put_bytes(c, bytes, sizeof(bytes)) && false;
}

static bool zeros(struct connection *c)
{
	static const char bytes[4096];

	return put(c, OK_) && put_bytes(c, bytes, sizeof(bytes)) && false;
}

static bool other_status(struct connection *c)
{
	return put(c, "HTTP/1.1 999 What\r\n\r\n");
}

static bool switches(struct connection *c)
{
	return put(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n");
}

static bool endless_head(struct connection *c)
{
	return put(c, OK_) && repeat(c, "X-Header: one more\r\n");
}

static bool endless_line(struct connection *c)
{
	return put(c, OK_ "X-Header: ") && repeat(c, "on and on ");
}

static bool endless_interim(struct connection *c)
{
	return repeat(c, "HTTP/1.1 100 Continue\r\n\r\n");
}

static bool endless_chunk(struct connection *c)
{
	return put(c, OK_ "Transfer-Encoding: chunked\r\n\r\nffffffffffff\r\n") && repeat(c, "a");
}

static bool endless_chunks(struct connection *c)
{
	return put(c, OK_ "Transfer-Encoding: chunked\r\n\r\n") && repeat(c, "1\r\na\r\n");
}

static bool endless_size(struct connection *c)
{
	return put(c, OK_ "Transfer-Encoding: chunked\r\n\r\n") && repeat(c, "0");
}

static bool bad_chunk(struct connection *c)
{
	return put(c, OK_ "Transfer-Encoding: chunked\r\n\r\n-5\r\n");
}

static bool two_lengths(struct connection *c)
{
	return put(c, OK_3 "Content-Length: 4\r\n\r\nok\n");
}

static bool length_of_words(struct connection *c)
{
	return put(c, OK_ "Content-Length: three\r\n\r\nok\n");
}

static bool ten_gigabytes(struct connection *c)
{
	return put(c, OK_ "Content-Length: 10737418240\r\n\r\n") && repeat(c, "0123456789abcdef");
}

static bool no_end(struct connection *c)
{
	return put(c, OK_ "\r\n") && repeat(c, "0123456789abcdef");
}

static bool longer(struct connection *c)
{
	return put(c, OK_3 "\r\nok\nand what nobody asked for");
}

static bool error(struct connection *c)
{
	return put(c, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
}

/* The first ten are good, of the next hundred 5 are not, of those after them 15. */
static bool error_grows(struct connection *c)
{
	static unsigned long asked;
	const unsigned long n = __sync_fetch_and_add(&asked, 1);

	return n * 37 % 100 < n / 10 ? error(c) : say_ok(c);
}

static bool redirect(struct connection *c)
{
	return put(c,
		"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n");
}

static bool interim(struct connection *c)
{
	return put(c, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n") &&
		say_ok(c);
}

static bool says_close(struct connection *c)
{
	return put(c, OK_3 "Connection: close\r\n\r\nok\n") && false;
}

static bool closes_unsaid(struct connection *c)
{
	return say_ok(c) && false;
}

static bool old(struct connection *c)
{
	return put(c, "HTTP/1.0 200 OK\r\n\r\nok\n") && false;
}

static bool old_kept(struct connection *c)
{
	return put(c, "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nok\n");
}

static const struct {
	const char *path;
	bool (*answer)(struct connection *c); /* returns whether the connection lives on */
} manners[] = {
	{"ok", say_ok},
	{"reset", reset},
	{"early", early},
	{"early-line", early_line},
	{"early-head", early_head},
	{"early-behind-head", early_behind_head},
	{"early-body", early_body},
	{"early-chunk", early_chunk},
	{"trickle-head", trickle_head},
	{"trickle-body", trickle_body},
	{"silent", silent},
	{"garbage", garbage},
	{"noise", noise},
	{"zeros", zeros},
	{"status", other_status},
	{"switches", switches},
	{"endless-head", endless_head},
	{"endless-line", endless_line},
	{"endless-interim", endless_interim},
	{"endless-chunk", endless_chunk},
	{"endless-chunks", endless_chunks},
	{"endless-size", endless_size},
	{"bad-chunk", bad_chunk},
	{"two-lengths", two_lengths},
	{"length-of-words", length_of_words},
	{"ten-gigabytes", ten_gigabytes},
	{"no-end", no_end},
	{"longer", longer},
	{"error", error},
	{"error-grows", error_grows},
	{"redirect", redirect},
	{"interim", interim},
	{"says-close", says_close},
	{"closes-unsaid", closes_unsaid},
	{"old", old},
	{"old-kept", old_kept},
};

/* One request, which fits into one read. */
static bool serve(struct connection *c)
{
	char request[8192], path[64] = "";
	const ssize_t n = c->tls ? SSL_read(c->tls, request, sizeof(request) - 1)
				 : recv(c->fd, request, sizeof(request) - 1, 0);

	if (n <= 0)
		return false;
	request[n] = 0;
	sscanf(request, "%*s /%63[^ ?]", path);
	for (size_t i = 0; i < sizeof(manners) / sizeof(*manners); i++)
		if (!strcmp(path, manners[i].path))
			return manners[i].answer(c);
	return put(c, "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
}

static void *talk(void *arg)
{
	struct connection c = {.fd = (int)(intptr_t)arg};
	const int on = 1;

	setsockopt(c.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (handshake && !strcmp(handshake, "silent"))
		silent(&c);
	if (context && !handshake) {
		c.tls = SSL_new(context);
		SSL_set_fd(c.tls, c.fd);
	}
	if (!handshake && (!c.tls || SSL_accept(c.tls) == 1))
		while (serve(&c))
			;
	SSL_free(c.tls);
	close(c.fd);
	return NULL;
}

static int listen_on(char *where)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	char *colon = strchr(where, ':');

	if (colon) {
		*colon = 0;
		if (inet_pton(AF_INET, where, &address.sin_addr) != 1)
			fault_die("address");
		where = colon + 1;
	}
	address.sin_port = htons((uint16_t)fault_number(where, 1, 65535));
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
		bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1024))
		fault_die("listen");
	return fd;
}

static void read_certificate(const char *path)
{
	context = SSL_CTX_new(TLS_server_method());
	if (!context || SSL_CTX_use_certificate_file(context, path, SSL_FILETYPE_PEM) != 1 ||
		SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM) != 1)
		fault_die("certificate");
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int listener;

	if (argc < 3 || argc > 4) {
		fputs("usage: rude ADDRESS SECONDS [CERT|silent|close]\n", stderr);
		return FAULT_MISUSE;
	}
	fault_bound(fault_number(argv[2], 1, FAULT_SECONDS_MAX));
	signal(SIGPIPE, SIG_IGN);
	if (argc == 4 && (!strcmp(argv[3], "silent") || !strcmp(argv[3], "close")))
		handshake = argv[3];
	else if (argc == 4)
		read_certificate(argv[3]);
	listener = listen_on(argv[1]);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	fault_ready();
	for (;;) {
		const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0 && pthread_create(&thread, &attributes, talk, (void *)(intptr_t)fd))
			close(fd);
	}
}
