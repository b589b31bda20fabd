/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sockets listen, and how full are their queues? */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "sockdiag.h"

#define ANSWER_SECONDS 1
/* The kernel fills datagrams of up to 32 KiB where the reader's buffer has room for them. */
#define DATAGRAM_BYTES 32768
/* A dump ends by itself; this bounds one that does not: 16 MiB of answers. */
#define DATAGRAMS 512

/* linux/unix_diag.h brings no such number, linux/un.h calls it UNIX_PATH_MAX. */
#define UNIX_NAME_BYTES 108
#define ADDRESS_BYTES (sizeof("unix:") + UNIX_NAME_BYTES)

struct query {
	struct nlmsghdr header;
	union {
		struct inet_diag_req_v2 inet;
		struct unix_diag_req unix_;
	} request;
};

int sockdiag_open(void)
{
	const struct timeval wait = {.tv_sec = ANSWER_SECONDS};
	int fd, error;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

static size_t ask_inet(struct query *query, uint8_t family)
{
	query->request.inet = (struct inet_diag_req_v2){
		.sdiag_family = family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_ext = 1 << (INET_DIAG_SKMEMINFO - 1),
		.idiag_states = 1 << TCP_LISTEN,
	};
	return sizeof(query->request.inet);
}

static size_t ask_unix(struct query *query)
{
	query->request.unix_ = (struct unix_diag_req){
		.sdiag_family = AF_UNIX,
		.udiag_states = 1 << TCP_LISTEN,
		.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_RQLEN | UDIAG_SHOW_UID,
	};
	return sizeof(query->request.unix_);
}

static int ask(int fd, enum sockdiag_kind kind, uint32_t sequence)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct query query = {0};
	size_t len;

	if (kind == SOCKDIAG_UNIX)
		len = ask_unix(&query);
	else
		len = ask_inet(&query, kind == SOCKDIAG_TCP4 ? AF_INET : AF_INET6);
	query.header = (struct nlmsghdr){
		.nlmsg_len = (uint32_t)NLMSG_LENGTH(len),
		.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		.nlmsg_seq = sequence,
	};
	if (sendto(fd, &query, query.header.nlmsg_len, 0, (struct sockaddr *)&kernel,
		    sizeof(kernel)) < 0)
		return -errno;
	return 0;
}

/* The attribute of a type among those in bytes, or NULL; its length is in *len. */
static const void *attribute(const char *bytes, size_t left, uint16_t type, size_t *len)
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

/* An attribute of n numbers of 32 bits, of which the kernel may send more than we know. */
static bool attribute_u32(
	const char *bytes, size_t left, uint16_t type, size_t n, uint32_t *out, size_t *got)
{
	const void *data;
	size_t len;

	data = attribute(bytes, left, type, &len);
	if (!data || len < sizeof(*out))
		return false;
	*got = len / sizeof(*out) < n ? len / sizeof(*out) : n;
	memcpy(out, data, *got * sizeof(*out));
	return true;
}

static int parse_inet(const char *data, size_t len, sock_found *found, void *arg)
{
	char ip[INET6_ADDRSTRLEN], address[INET6_ADDRSTRLEN + sizeof("[]:65535")];
	uint32_t memory[SK_MEMINFO_VARS] = {0};
	struct sock_listener listener = {.address = address};
	struct inet_diag_msg message;
	size_t got = 0;

	if (len < sizeof(message))
		return -EBADMSG;
	memcpy(&message, data, sizeof(message));
	if (message.idiag_state != TCP_LISTEN)
		return 0;
	if (!inet_ntop(message.idiag_family, message.id.idiag_src, ip, sizeof(ip)))
		return -EBADMSG;
	snprintf(address, sizeof(address), message.idiag_family == AF_INET6 ? "[%s]:%u" : "%s:%u",
		ip, ntohs(message.id.idiag_sport));
	listener.backlog = message.idiag_rqueue;
	listener.limit = message.idiag_wqueue;
	listener.inode = message.idiag_inode;
	listener.uid = message.idiag_uid;
	listener.has_uid = true;
	if (attribute_u32(data + NLMSG_ALIGN(sizeof(message)), len - sizeof(message),
		    INET_DIAG_SKMEMINFO, SK_MEMINFO_VARS, memory, &got))
		listener.has_drops = got > SK_MEMINFO_DROPS;
	listener.drops = memory[SK_MEMINFO_DROPS];
	found(arg, &listener);
	return 0;
}

/* An abstract name starts with a 0 and may hold more: /proc/net/unix shows them as @ too. */
static void unix_address(const char *bytes, size_t left, char *address)
{
	const char *name;
	size_t len = 0, i;

	name = attribute(bytes, left, UNIX_DIAG_NAME, &len);
	if (!name)
		len = 0;
	if (len > UNIX_NAME_BYTES)
		len = UNIX_NAME_BYTES;
	/* The name of a file ends at its 0, where the kernel sent that. */
	if (len && name[0])
		len = strnlen(name, len);
	memcpy(address, "unix:", 5);
	for (i = 0; i < len; i++)
		address[5 + i] = name[i] ? name[i] : '@';
	address[5 + len] = '\0';
}

static int parse_unix(const char *data, size_t len, sock_found *found, void *arg)
{
	char address[ADDRESS_BYTES];
	uint32_t queue[2] = {0};
	struct sock_listener listener = {.address = address};
	struct unix_diag_msg message;
	size_t got = 0;

	if (len < sizeof(message))
		return -EBADMSG;
	memcpy(&message, data, sizeof(message));
	if (message.udiag_state != TCP_LISTEN)
		return 0;
	data += sizeof(message);
	len -= sizeof(message);
	if (!attribute_u32(data, len, UNIX_DIAG_RQLEN, 2, queue, &got) || got != 2)
		return -EBADMSG;
	unix_address(data, len, address);
	listener.inode = message.udiag_ino;
	listener.backlog = queue[0];
	listener.limit = queue[1];
	listener.has_uid = attribute_u32(data, len, UNIX_DIAG_UID, 1, &listener.uid, &got);
	found(arg, &listener);
	return 0;
}

/* The kernel's refusal: in an error message, or in place of the end of a dump. */
static int refusal(const char *data, size_t len, int otherwise)
{
	int error;

	if (len < sizeof(error))
		return otherwise;
	memcpy(&error, data, sizeof(error));
	if (error >= 0)
		return otherwise;
	return error < -4095 ? -EBADMSG : error;
}

static int parse_message(const struct nlmsghdr *header, const char *data, size_t len,
	enum sockdiag_kind kind, sock_found *found, void *arg)
{
	switch (header->nlmsg_type) {
	case NLMSG_DONE:
		return refusal(data, len, 1);
	case NLMSG_ERROR:
		return refusal(data, len, -EBADMSG);
	case SOCK_DIAG_BY_FAMILY:
		if (kind == SOCKDIAG_UNIX)
			return parse_unix(data, len, found, arg);
		return parse_inet(data, len, found, arg);
	default:
		return 0;
	}
}

int sockdiag_parse(const void *bytes, size_t len, enum sockdiag_kind kind, uint32_t sequence,
	sock_found *found, void *arg)
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
			result = parse_message(&header, at + NLMSG_HDRLEN,
				header.nlmsg_len - sizeof(header), kind, found, arg);
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

/* A datagram of the kernel; 0 bytes for one of another process, which could send to us as well. */
static ssize_t receive(int fd, char *buffer, size_t size)
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

int sockdiag_listeners(int fd, enum sockdiag_kind kind, sock_found *found, void *arg)
{
	char buffer[DATAGRAM_BYTES];
	struct timespec now;
	uint32_t sequence;
	ssize_t got;
	int i, result;

	/* It need only differ from that of a question whose answer came too late. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	sequence = (uint32_t)(now.tv_sec * 1000000 + now.tv_nsec / 1000);
	result = ask(fd, kind, sequence);
	for (i = 0; i < DATAGRAMS && !result; i++) {
		got = receive(fd, buffer, sizeof(buffer));
		if (got < 0)
			return (int)got;
		result = sockdiag_parse(buffer, (size_t)got, kind, sequence, found, arg);
	}
	return result == 1 ? 0 : result ? result : -EMSGSIZE;
}
