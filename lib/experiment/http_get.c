/* SPDX-License-Identifier: GPL-2.0-only */
/* How long does a web server take to answer? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "experiment/http_get.h"
#include "sys/http.h"

static bool server_set_address(struct http_server *server, const char *host)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&server->address;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&server->address;

	memset(&server->address, 0, sizeof(server->address));
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(server->url.port);
		server->address_len = sizeof(*v4);
		return true;
	}
	if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(server->url.port);
		server->address_len = sizeof(*v6);
		return true;
	}
	return false;
}

/* The words of one line; whether one behind the first is the name. */
static bool hosts_line_names(const char *line, size_t len, const char *name, char **address)
{
	size_t at = 0;
	bool first = true, found = false;

	free(*address);
	*address = NULL;
	while (at < len && line[at] != '#') {
		size_t word = strspn(line + at, " \t"), n;

		at += word;
		n = strcspn(line + at, " \t#\n");
		if (!n || at >= len)
			break;
		if (first)
			*address = mem_strndup(line + at, n);
		else
			found |= n == strlen(name) && !memcmp(line + at, name, n);
		first = false;
		at += n;
	}
	return found;
}

static bool server_look_up(struct http_server *server, const char *hosts)
{
	char *address = NULL;
	bool found = false;

	while (hosts && *hosts && !found) {
		size_t len = strcspn(hosts, "\n");

		found = hosts_line_names(hosts, len, server->url.host, &address) && address &&
			server_set_address(server, address);
		hosts += len + (hosts[len] == '\n');
	}
	free(address);
	return found;
}

int http_server_find(
	struct http_server *server, const char *text, const char *hosts, struct str *why)
{
	const char *wrong;

	*server = (struct http_server){0};
	wrong = url_parse(&server->url, text);
	if (wrong)
		str_add(why, wrong);
	else if (server->url.tls)
		str_add(why, "https is not supported: use --metric with a program that speaks it");
	else if (!server_set_address(server, server->url.host) && !server_look_up(server, hosts))
		str_addf(why, "'%.60s' is no address and not in /etc/hosts", server->url.host);
	else
		return 0;
	http_server_free(server);
	return -EINVAL;
}

void http_server_free(struct http_server *server)
{
	url_free(&server->url);
	*server = (struct http_server){0};
}

/* One request under way. */
struct request {
	int fd;
	int64_t deadline_ns;
	struct http answer;
};

static int request_wait(const struct request *request, short events)
{
	struct pollfd poll_fd = {.fd = request->fd, .events = events};

	for (;;) {
		int64_t left_ms = (request->deadline_ns - (int64_t)monotonic_ns()) / 1000000;
		int n;

		if (left_ms <= 0)
			return -ETIMEDOUT;
		n = poll(&poll_fd, 1, left_ms > 1000000 ? 1000000 : (int)left_ms);
		if (n > 0)
			return 0;
		if (n < 0)
			return -errno;
	}
}

static int request_connect(struct request *request, const struct http_server *server)
{
	socklen_t size = sizeof(int);
	int err, failed = 0;

	request->fd =
		socket(server->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (request->fd < 0)
		return -errno;
	if (!connect(request->fd, (const struct sockaddr *)&server->address, server->address_len))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	err = request_wait(request, POLLOUT);
	if (!err && getsockopt(request->fd, SOL_SOCKET, SO_ERROR, &failed, &size))
		err = -errno;
	return err ? err : -failed;
}

static int request_send(const struct request *request, const char *text, size_t len)
{
	while (len) {
		ssize_t n = send(request->fd, text, len, MSG_NOSIGNAL);
		int err;

		if (n > 0) {
			text += n;
			len -= (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		err = request_wait(request, POLLOUT);
		if (err)
			return err;
	}
	return 0;
}

/* To the end of the answer. Returns the status. */
static int request_receive(struct request *request)
{
	struct http *answer = &request->answer;
	char buf[16384];
	size_t used;
	int err = 0;

	http_begin(answer, false, HTTP_ANSWER_MAX);
	while (!err) {
		ssize_t n = recv(request->fd, buf, sizeof(buf), 0);

		if (n > 0)
			err = http_feed(answer, buf, (size_t)n, &used);
		else if (!n)
			err = http_end(answer);
		else if (errno == EAGAIN || errno == EINTR)
			err = request_wait(request, POLLIN);
		else
			err = -errno;
	}
	return err > 0 ? answer->status : err;
}

/* What went wrong, as the contract has it. */
static int request_explain(const struct request *request, int err, struct str *why)
{
	if (err == -ENODATA) {
		str_add(why, "the connection ended without an answer");
		return -EPROTO;
	}
	if (request->answer.wrong) {
		str_addf(why, "the answer cannot be used: %s", request->answer.wrong);
		return -EPROTO;
	}
	if (err == -EFBIG || err == -EMSGSIZE) {
		str_add(why, "the answer does not end");
		return -EFBIG;
	}
	str_add(why, strerror(-err));
	return err;
}

int http_get(const struct http_server *server, int timeout_ms, double *seconds, struct str *why)
{
	char *text = mem_printf("GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: tuesday\r\n"
				"Accept: */*\r\nConnection: close\r\n\r\n",
		server->url.path, server->url.authority);
	const uint64_t start_ns = monotonic_ns();
	struct request request = {
		.fd = -1, .deadline_ns = (int64_t)start_ns + (int64_t)timeout_ms * 1000000};
	int status = request_connect(&request, server);

	if (!status)
		status = request_send(&request, text, strlen(text));
	if (!status)
		status = request_receive(&request);
	*seconds = (double)(monotonic_ns() - start_ns) / 1e9;
	if (request.fd >= 0)
		close(request.fd);
	free(text);
	return status < 0 ? request_explain(&request, status, why) : status;
}
