/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Did a server serve requests before others that had been there for longer? The truth that the
 * tools are held against, by other means than theirs: this client notes when it sent each request,
 * and on loopback it has arrived then; the server's application writes down when it begins each of
 * them.
 *
 * Each request is GET /?id=N. A line of the server's log is N and a time in seconds since 1970, or
 * several numbers whose sum is that. Load is closed (RATE 0: each of CONNECTIONS has a request at
 * all times) or open (RATE a second at random times, CONNECTIONS at once at most, by whichever was
 * used last, as pools do).
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include "fault.h"

enum { CONNECTIONS_MAX = 256, REQUESTS_MAX = 60000, ANSWER_MAX = 4096, DRAIN_SECONDS = 1 };

/* What is sent within this time, or begun within that, has no order: the scheduler's doing. */
static const double same_arrival_seconds = 0.020, same_start_seconds = 0.010;

struct request {
	double due, sent, began, answered; /* 0: not yet; began INFINITY: never */
	bool later;			   /* not the first on its connection */
};

struct connection {
	int fd; /* -1: none */
	long request, served;
	double used;
	bool sent;
	size_t n;
	char answer[ANSWER_MAX + 1];
};

static struct request requests[REQUESTS_MAX];
static struct connection connections[CONNECTIONS_MAX];
static long n_requests, n_connections, n_waiting, errors, opened;
static long waiting[REQUESTS_MAX]; /* due, and no connection for it yet */
static double rate, ends;
static bool keeps;
static int port, epoll;

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

/* Others may have written to the same log, before or meanwhile. */
static long first_id(void)
{
	return (long)getpid() * 1000000;
}

static void drop(struct connection *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->served = 0;
}

static void connect_to_server(struct connection *c)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = c};
	const int on = 1;

	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		fault_die("socket");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(c->fd, (struct sockaddr *)&to, sizeof(to)) < 0 && errno != EINPROGRESS)
		fault_die("connect");
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event) < 0)
		fault_die("epoll_ctl");
	opened++;
}

/* Where the handshake is not over it is sent when it is. */
static void try_send(struct connection *c)
{
	struct request *r = &requests[c->request];
	char text[128];
	int n = snprintf(text, sizeof(text), "GET /?id=%ld HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n",
		first_id() + c->request, keeps ? "" : "Connection: close\r\n");

	if (send(c->fd, text, (size_t)n, MSG_NOSIGNAL) == n) {
		r->sent = now();
		r->later = c->served > 0;
		c->sent = true;
	}
}

static void begin(struct connection *c, long request)
{
	c->request = request;
	c->sent = false;
	c->n = 0;
	if (c->fd < 0)
		connect_to_server(c);
	try_send(c);
}

/* The one that was used last, or one that is not open yet. NULL where all are busy. */
static struct connection *free_connection(void)
{
	struct connection *best = NULL, *c;

	for (c = connections; c < connections + n_connections; c++)
		if (c->request < 0 &&
			(!best || (c->fd >= 0 && (best->fd < 0 || c->used > best->used))))
			best = c;
	return best;
}

static long new_request(void)
{
	if (n_requests == REQUESTS_MAX)
		return -1;
	requests[n_requests].due = now();
	return n_requests++;
}

static void give_work(void)
{
	struct connection *c;

	while (n_waiting && (c = free_connection())) {
		begin(c, waiting[0]);
		memmove(waiting, waiting + 1, (size_t)--n_waiting * sizeof(*waiting));
	}
	while (rate == 0 && now() < ends && (c = free_connection())) {
		long request = new_request();

		if (request < 0)
			return;
		begin(c, request);
	}
}

/* Whether an answer is whole: by its length, or by the last chunk. */
static bool is_whole(const struct connection *c)
{
	const char *body = strstr(c->answer, "\r\n\r\n"), *length;

	if (!body)
		return false;
	body += 4;
	length = strcasestr(c->answer, "\r\nContent-Length:");
	if (length && length < body)
		return c->answer + c->n >= body + strtol(length + 17, NULL, 10);
	return strcasestr(c->answer, "\r\nTransfer-Encoding: chunked") && strstr(body, "0\r\n\r\n");
}

static void answered(struct connection *c)
{
	bool last = !keeps || strcasestr(c->answer, "\r\nConnection: close");

	requests[c->request].answered = now();
	errors += strncmp(c->answer, "HTTP/1.1 200", 12) && strncmp(c->answer, "HTTP/1.0 200", 12);
	last |= !strncmp(c->answer, "HTTP/1.0", 8);
	c->request = -1;
	c->served++;
	c->used = now();
	c->n = 0;
	if (last)
		drop(c);
}

/* Closed by the server: what it had not begun to answer on a kept connection is sent anew. */
static void ended(struct connection *c, bool orderly)
{
	long request = c->request;
	bool again = request >= 0 && c->served > 0 && !c->n;
	bool whole = orderly && c->n && strstr(c->answer, "\r\n\r\n");

	drop(c);
	if (request < 0)
		return;
	if (again) {
		begin(c, request);
		return;
	}
	if (whole)
		requests[request].answered = now();
	else
		errors++;
	c->request = -1;
}

static void readable(struct connection *c)
{
	for (;;) {
		ssize_t n = c->fd < 0
			? -1
			: recv(c->fd, c->answer + c->n, ANSWER_MAX - c->n, MSG_DONTWAIT);

		if (n < 0 && (c->fd < 0 || errno == EAGAIN))
			return;
		if (n <= 0) {
			ended(c, n == 0);
			return;
		}
		c->n += (size_t)n;
		c->answer[c->n] = 0;
		if (c->request >= 0 && is_whole(c))
			answered(c);
	}
}

static void run(double seconds)
{
	struct epoll_event events[64];
	double next = now();

	ends = next + seconds;
	while (now() < ends + DRAIN_SECONDS) {
		double until =
			rate > 0 && next < ends ? next - now() : ends + DRAIN_SECONDS - now();
		int n = epoll_wait(
			epoll, events, 64, until <= 0 ? 0 : 1 + (int)(fmin(until, 0.1) * 1000));

		for (int i = 0; i < n; i++) {
			struct connection *c = events[i].data.ptr;

			if (events[i].events & EPOLLOUT && c->request >= 0 && !c->sent)
				try_send(c);
			if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
				readable(c);
		}
		for (; rate > 0 && next <= now() && next < ends; next -= log1p(-drand48()) / rate) {
			long request = new_request();

			if (request >= 0)
				waiting[n_waiting++] = request;
		}
		give_work();
	}
}

static void read_log(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];

	if (!file)
		fault_die(path);
	while (fgets(line, sizeof(line), file)) {
		char *at = line, *end;
		long id = strtol(line, &at, 10) - first_id();
		double sum = 0, value;

		for (; value = strtod(at, &end), end != at; at = end)
			sum += value;
		if (at == line || id < 0 || id >= n_requests || sum < 1)
			continue;
		if (requests[id].began == 0)
			requests[id].began = sum;
	}
	fclose(file);
}

static int by_sent(const void *a, const void *b)
{
	double x = ((const struct request *)a)->sent, y = ((const struct request *)b)->sent;

	return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct order {
	long begun, overtaking, on_kept, overtaken;
	double longest; /* wait of one that was overtaken, in seconds */
};

/* Whoever began while one that had been sent earlier had not; then whoever was overtaken so. */
static struct order judge_order(double end)
{
	struct order order = {0};
	double latest = 0, first = INFINITY;
	long i, older = 0, younger = n_requests - 1;

	for (i = 0; i < n_requests; i++) {
		const struct request *r = &requests[i];

		for (; requests[older].sent + same_arrival_seconds < r->sent; older++)
			latest = fmax(latest, requests[older].began);
		if (isinf(r->began))
			continue;
		order.begun++;
		if (latest > r->began + same_start_seconds) {
			order.overtaking++;
			order.on_kept += r->later;
		}
	}
	for (i = n_requests - 1; i >= 0; i--) {
		const struct request *r = &requests[i];

		for (; requests[younger].sent > r->sent + same_arrival_seconds; younger--)
			first = fmin(first, requests[younger].began);
		if (first + same_start_seconds < r->began) {
			order.overtaken++;
			order.longest = fmax(order.longest, fmin(r->began, end) - r->sent);
		}
	}
	return order;
}

static long sort_latencies(double *out)
{
	long n = 0;

	for (long i = 0; i < n_requests; i++)
		if (requests[i].answered > 0)
			out[n++] = requests[i].answered - requests[i].due;
	qsort(out, (size_t)n, sizeof(*out), by_value);
	return n;
}

static void report(double end)
{
	static double latencies[REQUESTS_MAX];
	struct order order;
	long i, n = 0, answers;

	answers = sort_latencies(latencies);
	for (i = 0; i < n_requests; i++) {
		if (requests[i].began == 0)
			requests[i].began = INFINITY;
		if (requests[i].sent > 0)
			requests[n++] = requests[i];
	}
	n_requests = n;
	qsort(requests, (size_t)n, sizeof(*requests), by_sent);
	order = judge_order(end);
	printf("{\"sent\": %ld, \"answered\": %ld, \"begun\": %ld, \"errors\": %ld, "
	       "\"connections\": "
	       "%ld,\n \"overtaking\": %ld, \"overtaking_on_kept\": %ld, \"overtaken\": %ld, "
	       "\"longest_seconds\": %.3f,\n \"p50_seconds\": %.4f, \"p99_seconds\": %.4f}\n",
		n, answers, order.begun, errors, opened, order.overtaking, order.on_kept,
		order.overtaken, order.longest, answers ? latencies[answers / 2] : 0,
		answers ? latencies[answers * 99 / 100] : 0);
}

int main(int argc, char **argv)
{
	double seconds;

	if (argc != 7 || (strcmp(argv[2], "kept") && strcmp(argv[2], "closed"))) {
		fputs("usage: witness PORT kept|closed CONNECTIONS RATE SECONDS LOG\n", stderr);
		return FAULT_MISUSE;
	}
	port = (int)fault_number(argv[1], 1, 65535);
	keeps = !strcmp(argv[2], "kept");
	n_connections = fault_number(argv[3], 1, CONNECTIONS_MAX);
	rate = (double)fault_number(argv[4], 0, 1000);
	seconds = (double)fault_number(argv[5], 1, FAULT_SECONDS_MAX - 5);
	fault_bound(FAULT_SECONDS_MAX);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0)
		fault_die("epoll_create1");
	for (long i = 0; i < n_connections; i++)
		connections[i] = (struct connection){.fd = -1, .request = -1};
	run(seconds);
	read_log(argv[6]);
	report(now());
	return 0;
}
