/* SPDX-License-Identifier: GPL-2.0-only */
/* How long does a web server take to answer? */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "experiment/http_get.h"
#include "base/num.h"
#include "base/str.h"

#define URL_MAX 4096
#define STATUS_LINE 12 /* "HTTP/1.1 200" */

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static bool parse_address(struct http_url *url, const char *host, uint16_t port)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&url->address;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&url->address;

	memset(&url->address, 0, sizeof(url->address));
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		url->address_len = sizeof(*v4);
		return true;
	}
	if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		url->address_len = sizeof(*v6);
		return true;
	}
	return false;
}

/* The words of one line; whether one behind the first is the name. */
static bool line_names(const char *line, size_t len, const char *name, char **address)
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

static bool look_up(struct http_url *url, const char *hosts, const char *name, uint16_t port)
{
	char *address = NULL;
	bool found = false;

	while (hosts && *hosts && !found) {
		size_t len = strcspn(hosts, "\n");

		found = line_names(hosts, len, name, &address) && address &&
			parse_address(url, address, port);
		hosts += len + (hosts[len] == '\n');
	}
	free(address);
	return found;
}

/* Takes "[::1]:80" or "name:80" apart. Returns false where it is neither. */
static bool split_authority(const char *text, size_t len, char **host, uint64_t *port)
{
	char *all = mem_strndup(text, len), *end, *rest;
	bool right = len > 0;

	*port = 80;
	if (*all == '[') {
		end = strchr(all, ']');
		*host = mem_strndup(all + 1, end ? (size_t)(end - all - 1) : 0);
		rest = end ? end + 1 : all + len;
		right = end != NULL;
	} else {
		rest = all + strcspn(all, ":");
		*host = mem_strndup(all, (size_t)(rest - all));
	}
	if (*rest == ':')
		right &= !num_u64(rest + 1, 1, 65535, port);
	else
		right &= !*rest;
	right &= **host != 0;
	free(all);
	return right;
}

int http_url_parse(struct http_url *url, const char *text, const char *hosts, struct str *why)
{
	const char *at = text + strlen("http://");
	char *host = NULL;
	uint64_t port;
	size_t len;

	*url = (struct http_url){0};
	if (!str_starts(text, "http://") || strlen(text) > URL_MAX || !is_plain(text)) {
		str_add(why,
			str_starts(text, "https://")
				? "https is not spoken here: use --metric with a program that does"
				: "no URL that begins with http://");
		return -EINVAL;
	}
	len = strcspn(at, "/?#");
	if (!split_authority(at, len, &host, &port)) {
		str_add(why, "behind http:// stands an address, or an address:port");
	} else if (!parse_address(url, host, (uint16_t)port) &&
		!look_up(url, hosts, host, (uint16_t)port)) {
		str_addf(why, "'%.60s' is no address and not in /etc/hosts", host);
	} else {
		const char *path = at + len;
		size_t path_len = strcspn(path, "#");

		url->host = mem_strndup(at, len);
		url->path = *path == '/' ? mem_strndup(path, path_len)
					 : mem_printf("/%.*s", (int)path_len, path);
	}
	free(host);
	return url->host ? 0 : -EINVAL;
}

void http_url_free(struct http_url *url)
{
	free(url->host);
	free(url->path);
	*url = (struct http_url){0};
}

int http_status(const char *text, size_t len)
{
	static const char start[] = "HTTP/1.";
	size_t known = len < strlen(start) ? len : strlen(start);
	int status;

	if (memcmp(text, start, known) != 0)
		return -EPROTO;
	if (len < STATUS_LINE)
		return -EAGAIN;
	if (text[8] != ' ' || text[9] < '1' || text[9] > '5' || text[10] < '0' || text[10] > '9' ||
		text[11] < '0' || text[11] > '9')
		return -EPROTO;
	status = (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
	return status;
}

/* One request under way. */
struct request {
	int fd;
	int64_t deadline_ns;
	size_t received;
	char start[STATUS_LINE];
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int wait_for(const struct request *request, short events)
{
	struct pollfd poll_fd = {.fd = request->fd, .events = events};

	for (;;) {
		int64_t left_ms = (request->deadline_ns - now_ns()) / 1000000;
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

static int connect_to(struct request *request, const struct http_url *url)
{
	socklen_t size = sizeof(int);
	int err, failed = 0;

	request->fd = socket(url->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (request->fd < 0)
		return -errno;
	if (!connect(request->fd, (const struct sockaddr *)&url->address, url->address_len))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	err = wait_for(request, POLLOUT);
	if (!err && getsockopt(request->fd, SOL_SOCKET, SO_ERROR, &failed, &size))
		err = -errno;
	return err ? err : -failed;
}

static int send_all(const struct request *request, const char *text, size_t len)
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
		err = wait_for(request, POLLOUT);
		if (err)
			return err;
	}
	return 0;
}

static void keep_start(struct request *request, const char *bytes, size_t n)
{
	size_t room = sizeof(request->start);

	if (request->received < room) {
		room -= request->received;
		memcpy(request->start + request->received, bytes, n < room ? n : room);
	}
	request->received += n;
}

/* To the end of the connection, which was asked for. Returns the status. */
static int receive(struct request *request)
{
	char buf[16384];

	while (request->received <= HTTP_ANSWER_MAX) {
		ssize_t n = recv(request->fd, buf, sizeof(buf), 0);
		int err;

		if (n > 0) {
			keep_start(request, buf, (size_t)n);
			continue;
		}
		if (!n) {
			int status = http_status(request->start,
				request->received < STATUS_LINE ? request->received : STATUS_LINE);

			return status == -EAGAIN ? -EPROTO : status;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		err = wait_for(request, POLLIN);
		if (err)
			return err;
	}
	return -EFBIG;
}

int http_get(const struct http_url *url, int timeout_ms, double *seconds, struct str *why)
{
	char *text = mem_printf("GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: tuesday\r\n"
				"Accept: */*\r\nConnection: close\r\n\r\n",
		url->path, url->host);
	int64_t start_ns = now_ns();
	struct request request = {
		.fd = -1, .deadline_ns = start_ns + (int64_t)timeout_ms * 1000000};
	int status = connect_to(&request, url);

	if (!status)
		status = send_all(&request, text, strlen(text));
	if (!status)
		status = receive(&request);
	*seconds = (double)(now_ns() - start_ns) / 1e9;
	if (request.fd >= 0)
		close(request.fd);
	free(text);
	if (status == -EPROTO)
		str_add(why, "the answer is no HTTP");
	else if (status == -EFBIG)
		str_add(why, "the answer does not end");
	else if (status < 0)
		str_add(why, strerror(-status));
	return status;
}
