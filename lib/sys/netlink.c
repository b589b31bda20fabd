/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the kernel answer over netlink? */
#include "base/banned.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/caps.h"
#include "sys/netlink.h"

#define ANSWER_SECONDS 1
/* The kernel fills datagrams of up to 32 KiB where the reader's buffer has room for them. */
#define DATAGRAM_BYTES 32768
/* A dump ends by itself; this bounds one that does not: 64 MiB of answers. */
#define DATAGRAMS 2048
#define REQUEST_BYTES 128

int netlink_open(int protocol)
{
	const struct timeval wait = {.tv_sec = ANSWER_SECONDS};
	int fd, error;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

const void *netlink_attribute(const char *bytes, size_t left, uint16_t type, size_t *len)
{
	struct rtattr head;
	size_t step;

	while (left >= sizeof(head)) {
		memcpy(&head, bytes, sizeof(head));
		if (head.rta_len < sizeof(head) || head.rta_len > left)
			return NULL;
		if (head.rta_type == type) {
			*len = head.rta_len - sizeof(head);
			return bytes + sizeof(head);
		}
		step = RTA_ALIGN(head.rta_len);
		if (step >= left)
			return NULL;
		bytes += step;
		left -= step;
	}
	return NULL;
}

bool netlink_u32(
	const char *bytes, size_t left, uint16_t type, size_t n, uint32_t *out, size_t *got)
{
	const void *data;
	size_t len;

	data = netlink_attribute(bytes, left, type, &len);
	if (!data || len < sizeof(*out))
		return false;
	*got = len / sizeof(*out) < n ? len / sizeof(*out) : n;
	memcpy(out, data, *got * sizeof(*out));
	return true;
}

/* The kernel's refusal: in an error message, or in place of the end of a dump. */
static int netlink_refusal(const char *data, size_t len, int otherwise)
{
	int error;

	if (len < sizeof(error))
		return otherwise;
	memcpy(&error, data, sizeof(error));
	if (error >= 0)
		return otherwise;
	return error < -4095 ? -EBADMSG : error;
}

static int parse_message(
	const struct nlmsghdr *header, const char *data, netlink_message *each, void *arg)
{
	size_t len = header->nlmsg_len - sizeof(*header);

	switch (header->nlmsg_type) {
	case NLMSG_DONE:
		return netlink_refusal(data, len, 1);
	case NLMSG_ERROR:
		return netlink_refusal(data, len, -EBADMSG);
	default:
		return each(arg, header->nlmsg_type, data, len);
	}
}

int netlink_parse(
	const void *bytes, size_t len, uint32_t sequence, netlink_message *each, void *arg)
{
	const char *at = bytes;
	struct nlmsghdr header;
	size_t step;
	int result;

	while (len >= sizeof(header)) {
		memcpy(&header, at, sizeof(header));
		if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > len)
			return -EBADMSG;
		if (header.nlmsg_seq == sequence) {
			result = parse_message(&header, at + NLMSG_HDRLEN, each, arg);
			if (result)
				return result;
		}
		step = NLMSG_ALIGN(header.nlmsg_len);
		if (step > len)
			step = len;
		at += step;
		len -= step;
	}
	return len ? -EBADMSG : 0;
}

static int netlink_ask(int fd, uint16_t type, const void *request, size_t len, uint32_t sequence)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct {
		struct nlmsghdr header;
		char request[REQUEST_BYTES];
	} query = {0};

	if (len > sizeof(query.request))
		return -EMSGSIZE;
	query.header = (struct nlmsghdr){
		.nlmsg_len = (uint32_t)NLMSG_LENGTH(len),
		.nlmsg_type = type,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		.nlmsg_seq = sequence,
	};
	if (len)
		memcpy(query.request, request, len);
	if (sendto(fd, &query, query.header.nlmsg_len, 0, (struct sockaddr *)&kernel,
		    sizeof(kernel)) < 0)
		return -errno;
	return 0;
}

/* A datagram of the kernel; 0 bytes for one of another process, which could send to us as well. */
static ssize_t netlink_receive(int fd, char *buffer, size_t size)
{
	struct sockaddr_nl from = {0};
	socklen_t from_len = sizeof(from);
	ssize_t got;

	got = recvfrom(fd, buffer, size, MSG_TRUNC, (struct sockaddr *)&from, &from_len);
	if (got < 0)
		return errno == EINTR ? 0 : -errno;
	if (from_len != sizeof(from) || from.nl_pid)
		return 0;
	return (size_t)got > size ? -EMSGSIZE : got;
}

int netlink_dump_with(int caps, int fd, uint16_t type, const void *request, size_t len,
	netlink_message *each, void *arg)
{
	char buffer[DATAGRAM_BYTES];
	uint32_t sequence;
	ssize_t got;
	int i, result;

	/* It need only differ from that of a question whose answer came too late. */
	sequence = (uint32_t)(monotonic_ns() / 1000);
	if (caps)
		caps_raise(caps);
	result = netlink_ask(fd, type, request, len, sequence);
	if (caps)
		caps_lower(caps);
	for (i = 0; i < DATAGRAMS && !result; i++) {
		got = netlink_receive(fd, buffer, sizeof(buffer));
		if (got < 0)
			return (int)got;
		result = netlink_parse(buffer, (size_t)got, sequence, each, arg);
	}
	return result == 1 ? 0 : result ? result : -EMSGSIZE;
}

int netlink_dump(
	int fd, uint16_t type, const void *request, size_t len, netlink_message *each, void *arg)
{
	return netlink_dump_with(0, fd, type, request, len, each, arg);
}
