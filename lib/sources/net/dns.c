/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How soon do the name servers of /etc/resolv.conf answer? Asked once a sample for the servers of
 * the root, which every resolver knows without asking further. Instances are their addresses.
 *
 * Nothing waits: a question is sent in one sample and its answer taken in the next, with the time
 * at which the kernel got it. So the first sample has no values, and the sample interval is how
 * long a server has.
 */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/net/dns.h"
#include "sample/source.h"

#define SERVERS_MAX 3 /* as the resolver of the C library */
#define HEADER_BYTES 12
#define QUESTION_BYTES 17
#define PORT 53
#define BLOB "dns"

struct server {
	char address[INET6_ADDRSTRLEN + IF_NAMESIZE];
	int fd; /* or -errno */
	bool asked;
	uint16_t id;
	struct timespec sent;
	bool answered;
	double seconds;
	int code;
};

struct servers {
	struct server list[SERVERS_MAX];
	size_t n;
};

bool dns_parse_server(struct bytes line, char *address, size_t size)
{
	struct bytes word;

	return text_word(&line, &word) && text_is(word, "nameserver") && text_word(&line, &word) &&
		text_copy(word, address, size);
}

/* Whether the bytes answer the question of that number: its result code, or -1. */
int dns_parse_answer(const void *bytes, size_t len, uint16_t id)
{
	const uint8_t *at = bytes;

	if (len < HEADER_BYTES || (at[0] << 8 | at[1]) != id || !(at[2] & 0x80))
		return -1;
	return at[3] & 0x0f;
}

static int connect_to(const char *address)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(PORT)};
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	bool is_four = inet_pton(AF_INET, address, &four.sin_addr) == 1;
	char plain[INET6_ADDRSTRLEN];
	size_t n = strcspn(address, "%");
	int fd, err = 0, on = 1;

	if (!is_four) {
		if (n >= sizeof(plain))
			return -EINVAL;
		memcpy(plain, address, n);
		plain[n] = 0;
		if (inet_pton(AF_INET6, plain, &six.sin6_addr) != 1)
			return -EINVAL;
		six.sin6_scope_id = address[n] ? if_nametoindex(address + n + 1) : 0;
	}
	fd = socket(is_four ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) ||
		(is_four ? connect(fd, (struct sockaddr *)&four, sizeof(four))
			 : connect(fd, (struct sockaddr *)&six, sizeof(six))))
		err = -errno;
	if (err)
		close(fd);
	return err ? err : fd;
}

static void dns_add_server(struct servers *servers, const char *address)
{
	struct server *server = &servers->list[servers->n++];

	snprintf(server->address, sizeof(server->address), "%s", address);
	server->fd = connect_to(address);
}

static int dns_open(struct capture *fs, void **out)
{
	struct servers *servers = mem_zalloc(sizeof(*servers));
	char address[sizeof(servers->list[0].address)];
	struct bytes text, line;
	int err;

	*out = servers;
	if (!capture_is_live(fs))
		return 0;
	err = capture_read(fs, "/etc/resolv.conf", &text);
	if (err)
		return err;
	while (servers->n < SERVERS_MAX && text_any_line(&text, &line))
		if (dns_parse_server(line, address, sizeof(address)))
			dns_add_server(servers, address);
	return 0;
}

/* ". NS IN", recursion desired. */
static void dns_ask(struct server *server)
{
	uint8_t question[QUESTION_BYTES] = {[2] = 1, [5] = 1, [14] = 2, [16] = 1};

	server->asked = false;
	server->answered = false;
	if (server->fd < 0 ||
		getrandom(&server->id, sizeof(server->id), GRND_NONBLOCK) != sizeof(server->id))
		return;
	question[0] = (uint8_t)(server->id >> 8);
	question[1] = (uint8_t)server->id;
	clock_gettime(CLOCK_REALTIME, &server->sent);
	/* What cannot be sent, since nobody is there or no way leads there, gets no answer. */
	server->asked = true;
	if (send(server->fd, question, sizeof(question), 0) < 0 && errno == EAGAIN)
		server->asked = false;
}

static bool received_at(struct msghdr *message, struct timespec *out)
{
	struct cmsghdr *part;

	for (part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part))
		if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SO_TIMESTAMPNS) {
			memcpy(out, CMSG_DATA(part), sizeof(*out));
			return true;
		}
	return false;
}

/* Takes what has come since, answers to older questions among it. False where nothing is left. */
static bool dns_take_answer(struct server *server)
{
	union {
		struct cmsghdr align;
		char bytes[256];
	} control;
	char answer[2048];
	struct iovec part = {answer, sizeof(answer)};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	struct timespec when;
	ssize_t n = recvmsg(server->fd, &message, 0);
	int code;

	if (n < 0)
		return errno == EINTR || errno == ECONNREFUSED;
	code = dns_parse_answer(answer, (size_t)n, server->id);
	if (code < 0 || server->answered || !received_at(&message, &when))
		return true;
	server->answered = true;
	server->code = code;
	server->seconds = (double)(when.tv_sec - server->sent.tv_sec) +
		(double)(when.tv_nsec - server->sent.tv_nsec) / 1e9;
	return true;
}

/* A line "ADDRESS SECONDS CODE" for each server, "ADDRESS" for one that did not answer. */
static void dns_collect(struct server *server, struct str *text)
{
	int i;

	if (server->fd < 0) {
		str_addf(text, "! %s: %s\n", server->address, strerror(-server->fd));
		return;
	}
	for (i = 0; i < 64 && dns_take_answer(server); i++)
		;
	if (!server->asked)
		return;
	str_add(text, server->address);
	/* A clock that was set meanwhile tells no time. */
	if (server->answered && server->seconds >= 0)
		str_addf(text, " %.6f %d", server->seconds, server->code);
	str_addc(text, '\n');
}

void parse_dns(struct bytes text, struct sink *sink)
{
	char server[64], phrase[128];
	struct bytes line, word;
	double seconds, code;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &word) || !text_copy(word, server, sizeof(server)))
			continue;
		if (!strcmp(server, "!")) {
			if (text_copy(line, phrase, sizeof(phrase)))
				sink_missing(sink, "name server%s", phrase);
			continue;
		}
		sink_put(sink, server, "answered", 0);
		if (!text_next_number(&line, &seconds) || !text_next_number(&line, &code) ||
			seconds < 0)
			continue;
		sink_put(sink, server, "answered", 1);
		sink_put(sink, server, "seconds", seconds);
		sink_put(sink, server, "code", code);
	}
}

static int dns_read(struct capture *fs, void *arg, struct sink *sink)
{
	struct servers *servers = arg;
	struct str text = STR_INIT;
	struct bytes recorded;
	size_t i;
	int err = 0;

	if (capture_is_replay(fs)) {
		err = capture_get_blob(fs, BLOB, &recorded);
		if (!err)
			parse_dns(recorded, sink);
		return err;
	}
	if (!servers->n) {
		sink_missing(sink, "/etc/resolv.conf names no server");
		return -ENOENT;
	}
	for (i = 0; i < servers->n; i++) {
		dns_collect(&servers->list[i], &text);
		dns_ask(&servers->list[i]);
	}
	capture_put_blob(fs, BLOB, str_text(&text), text.len);
	parse_dns((struct bytes){str_text(&text), text.len}, sink);
	str_free(&text);
	return 0;
}

static void dns_close(void *arg)
{
	struct servers *servers = arg;
	size_t i;

	for (i = 0; i < servers->n; i++)
		if (servers->list[i].fd >= 0)
			close(servers->list[i].fd);
	free(servers);
}

static bool dns_culprit(struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	(void)fs;
	(void)state;
	snprintf(out->kind, sizeof(out->kind), "remote");
	snprintf(out->name, sizeof(out->name), "%s", instance);
	return true;
}

SOURCE(dns) = {
	.name = "dns",
	.what = "name servers of /etc/resolv.conf: each is asked once a sample",
	.open = dns_open,
	.read = dns_read,
	.close = dns_close,
	.culprit = dns_culprit,
};
