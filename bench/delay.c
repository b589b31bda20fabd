/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long did each request take in truth? "delay PORT MICROSECONDS" answers HTTP on 127.0.0.1,
 * one connection after the other, each request after a random time of this mean, and takes its
 * times from the kernel: of the request's arrival, and of the answer's departure, which over
 * loopback is the arrival at the client. When a connection ends it prints how many requests it had
 * and the 50th, 90th and 99th percentile of these times in microseconds.
 */
#include "base/banned.h"

#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "stats/quantile.h"

#define REQUESTS_MAX 100000

static const char answer[] =
	"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nok\n";
static double microseconds[REQUESTS_MAX];

/* Receives, with the kernel's time of it in nanoseconds in *when, 0 where it has none. */
static ssize_t receive(int fd, char *data, size_t size, int flags, int64_t *when)
{
	union {
		struct cmsghdr header;
		char bytes[512];
	} control;
	struct iovec part = {data, size};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	struct cmsghdr *one;
	ssize_t n = recvmsg(fd, &message, flags);

	*when = 0;
	for (one = n < 0 ? NULL : CMSG_FIRSTHDR(&message); one; one = CMSG_NXTHDR(&message, one)) {
		struct scm_timestamping stamps;

		if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_TIMESTAMPING)
			continue;
		memcpy(&stamps, CMSG_DATA(one), sizeof(stamps));
		*when = stamps.ts[0].tv_sec * 1000000000LL + stamps.ts[0].tv_nsec;
	}
	return n;
}

/* The time of departure of what was sent last, which the kernel puts into a queue of its own. */
static int64_t departed(int fd)
{
	struct pollfd errors = {.fd = fd};
	char data[256];
	int64_t when;

	while (poll(&errors, 1, 100) == 1 && errors.revents & POLLERR)
		if (receive(fd, data, sizeof(data), MSG_ERRQUEUE | MSG_DONTWAIT, &when) >= 0 &&
			when)
			return when;
	return 0;
}

/* From half to one and a half of the mean. */
static void wait_for(uint64_t mean_us)
{
	static uint64_t state = 88172645463325252ull;
	struct timespec pause = {0};

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	pause.tv_nsec = (long)((double)mean_us * (500 + (double)(state % 1000)));
	nanosleep(&pause, NULL);
}

static void serve(int fd, uint64_t mean_us)
{
	const int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_TX_SOFTWARE |
		SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY;
	size_t n = 0;

	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags));
	for (;;) {
		char request[4096];
		int64_t arrived, left;

		if (receive(fd, request, sizeof(request), 0, &arrived) <= 0)
			break;
		wait_for(mean_us);
		if (send(fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL) < 0)
			break;
		left = departed(fd);
		if (arrived && left > arrived && n < REQUESTS_MAX)
			microseconds[n++] = (double)(left - arrived) / 1e3;
	}
	stats_sort(microseconds, n);
	if (n)
		printf("%zu %.1f %.1f %.1f\n", n, stats_quantile(microseconds, n, 0.5),
			stats_quantile(microseconds, n, 0.9),
			stats_quantile(microseconds, n, 0.99));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
	uint64_t port, mean_us;

	if (argc != 3 || num_u64(argv[1], 1, UINT16_MAX, &port) ||
		num_u64(argv[2], 1, 600000, &mean_us)) {
		fputs("usage: delay PORT MICROSECONDS\n", stderr);
		return 64;
	}
	address.sin_port = htons((uint16_t)port);
	if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
		bind(listener, (const struct sockaddr *)&address, sizeof(address)) ||
		listen(listener, 16)) {
		perror("delay");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	for (;;) {
		const int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			continue;
		serve(fd, mean_us);
		close(fd);
	}
}
