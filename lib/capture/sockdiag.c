/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sockets listen, and how full are their queues? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/packet_diag.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>

#include "sys/netlink.h"
#include "capture/sockdiag.h"

/* linux/unix_diag.h brings no such number, linux/un.h calls it UNIX_PATH_MAX. */
#define UNIX_NAME_BYTES 108
#define ADDRESS_BYTES (sizeof("unix:") + UNIX_NAME_BYTES)

union request {
	struct inet_diag_req_v2 inet;
	struct unix_diag_req unix_;
};

struct finding {
	enum sockdiag_kind kind;
	sock_found *found;
	void *arg;
};

int sockdiag_open(void)
{
	return netlink_open(NETLINK_SOCK_DIAG);
}

static size_t ask_inet(union request *request, uint8_t family)
{
	request->inet = (struct inet_diag_req_v2){
		.sdiag_family = family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_ext = 1 << (INET_DIAG_SKMEMINFO - 1),
		.idiag_states = 1 << TCP_LISTEN,
	};
	return sizeof(request->inet);
}

static size_t ask_unix(union request *request)
{
	request->unix_ = (struct unix_diag_req){
		.sdiag_family = AF_UNIX,
		.udiag_states = 1 << TCP_LISTEN,
		.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_RQLEN | UDIAG_SHOW_UID,
	};
	return sizeof(request->unix_);
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
	if (netlink_u32(data + NLMSG_ALIGN(sizeof(message)), len - sizeof(message),
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

	name = netlink_attribute(bytes, left, UNIX_DIAG_NAME, &len);
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
	if (!netlink_u32(data, len, UNIX_DIAG_RQLEN, 2, queue, &got) || got != 2)
		return -EBADMSG;
	unix_address(data, len, address);
	listener.inode = message.udiag_ino;
	listener.backlog = queue[0];
	listener.limit = queue[1];
	listener.has_uid = netlink_u32(data, len, UNIX_DIAG_UID, 1, &listener.uid, &got);
	found(arg, &listener);
	return 0;
}

static int parse_socket(void *arg, uint16_t type, const char *data, size_t len)
{
	const struct finding *finding = arg;

	if (type != SOCK_DIAG_BY_FAMILY)
		return 0;
	if (finding->kind == SOCKDIAG_UNIX)
		return parse_unix(data, len, finding->found, finding->arg);
	return parse_inet(data, len, finding->found, finding->arg);
}

int sockdiag_parse(const void *bytes, size_t len, enum sockdiag_kind kind, uint32_t sequence,
	sock_found *found, void *arg)
{
	struct finding finding = {kind, found, arg};

	return netlink_parse(bytes, len, sequence, parse_socket, &finding);
}

int sockdiag_listeners(int fd, enum sockdiag_kind kind, sock_found *found, void *arg)
{
	struct finding finding = {kind, found, arg};
	union request request;
	size_t len;

	if (kind == SOCKDIAG_UNIX)
		len = ask_unix(&request);
	else
		len = ask_inet(&request, kind == SOCKDIAG_TCP4 ? AF_INET : AF_INET6);
	return netlink_dump(fd, SOCK_DIAG_BY_FAMILY, &request, len, parse_socket, &finding);
}

int sockdiag_parse_connection(const char *data, size_t len, sock_connected *found, void *arg)
{
	struct sock_connection connection;
	struct inet_diag_msg message;

	if (len < sizeof(message))
		return -EBADMSG;
	memcpy(&message, data, sizeof(message));
	connection = (struct sock_connection){
		.family = message.idiag_family,
		.local_port = ntohs(message.id.idiag_sport),
		.remote_port = ntohs(message.id.idiag_dport),
		.inode = message.idiag_inode,
		.time_wait = message.idiag_state == TCP_TIME_WAIT,
		.left_ms = message.idiag_state == TCP_TIME_WAIT ? message.idiag_expires : 0,
		.listens = message.idiag_state == TCP_LISTEN,
	};
	if (connection.family != AF_INET && connection.family != AF_INET6)
		return -EBADMSG;
	len = connection.family == AF_INET ? 4 : 16;
	memcpy(connection.local, message.id.idiag_src, len);
	memcpy(connection.remote, message.id.idiag_dst, len);
	found(arg, &connection);
	return 0;
}

struct connection_finding {
	sock_connected *found;
	void *arg;
};

static int take_connection(void *arg, uint16_t type, const char *data, size_t len)
{
	const struct connection_finding *finding = arg;

	if (type != TCPDIAG_GETSOCK)
		return 0;
	return sockdiag_parse_connection(data, len, finding->found, finding->arg);
}

/* The request from before Linux 3.3 asks for both families at once, which the later one cannot:
 * each costs a walk through a table that is far larger than what is in it. */
int sockdiag_connections(int fd, sock_connected *found, void *arg)
{
	struct connection_finding finding = {found, arg};
	const struct inet_diag_req request = {
		.idiag_family = AF_INET,
		.idiag_states = 1 << TCP_ESTABLISHED | 1 << TCP_SYN_SENT | 1 << TCP_FIN_WAIT1 |
			1 << TCP_FIN_WAIT2 | 1 << TCP_TIME_WAIT | 1 << TCP_CLOSE_WAIT |
			1 << TCP_LAST_ACK | 1 << TCP_CLOSING | 1 << TCP_LISTEN,
	};

	return netlink_dump(
		fd, TCPDIAG_GETSOCK, &request, sizeof(request), take_connection, &finding);
}

/* What struct tcp_info has of it, as far as this kernel fills it. */
static void take_tcp_info(const void *info, size_t len, struct sock_waiting *waiting)
{
	struct tcp_info times = {0};

	if (len < offsetof(struct tcp_info, tcpi_pmtu))
		return;
	memcpy(&times, info, len < sizeof(times) ? len : sizeof(times));
	waiting->has_times = true;
	waiting->since_received_ms = times.tcpi_last_data_recv;
	waiting->since_sent_ms = times.tcpi_last_data_sent;
	waiting->since_acked_ms = times.tcpi_last_ack_recv;
	waiting->repeated = times.tcpi_retransmits;
	waiting->segment_bytes = times.tcpi_snd_mss;
	waiting->has_limits = tcpinfo_limits(info, len, &waiting->limits);
}

/* The kernel calls it "dctcp-reno" where the other end has no ECN (tcp_dctcp.c). */
static void take_congestion(const char *data, size_t len, const void *info, size_t info_len,
	struct sock_waiting *waiting)
{
	size_t got = 0;
	const char *name = netlink_attribute(data + NLMSG_ALIGN(sizeof(struct inet_diag_msg)),
		len - sizeof(struct inet_diag_msg), INET_DIAG_CONG, &got);

	if (!name)
		return;
	got = strnlen(name, got);
	if (got == strlen("dctcp") && !memcmp(name, "dctcp", got))
		waiting->dctcp = SOCK_DCTCP;
	else if (got == strlen("dctcp-reno") && !memcmp(name, "dctcp-reno", got))
		waiting->dctcp = SOCK_DCTCP_RENO;
	if (waiting->dctcp != SOCK_NOT_DCTCP)
		tcpinfo_marks(info, info_len, &waiting->marks);
}

int sockdiag_parse_waiting(const char *data, size_t len, sock_waits *found, void *arg)
{
	struct sock_waiting waiting;
	struct inet_diag_msg message;
	const void *info;
	size_t got = 0;

	if (len < sizeof(message))
		return -EBADMSG;
	memcpy(&message, data, sizeof(message));
	waiting = (struct sock_waiting){
		.local_port = ntohs(message.id.idiag_sport),
		.listens = message.idiag_state == TCP_LISTEN,
		.inode = message.idiag_inode,
	};
	if (waiting.listens) {
		found(arg, &waiting);
		return 0;
	}
	waiting.unread_bytes = message.idiag_rqueue;
	waiting.queued_bytes = message.idiag_wqueue;
	waiting.family = message.idiag_family;
	waiting.remote_port = ntohs(message.id.idiag_dport);
	waiting.cookie = (uint64_t)message.id.idiag_cookie[1] << 32 | message.id.idiag_cookie[0];
	got = waiting.family == AF_INET ? 4 : 16;
	memcpy(waiting.local, message.id.idiag_src, got);
	memcpy(waiting.remote, message.id.idiag_dst, got);
	info = netlink_attribute(
		data + NLMSG_ALIGN(sizeof(message)), len - sizeof(message), INET_DIAG_INFO, &got);
	if (info)
		take_tcp_info(info, got, &waiting);
	if (info)
		take_congestion(data, len, info, got, &waiting);
	found(arg, &waiting);
	return 0;
}

struct waiting_finding {
	sock_waits *found;
	void *arg;
};

static int take_waiting(void *arg, uint16_t type, const char *data, size_t len)
{
	const struct waiting_finding *finding = arg;

	if (type != TCPDIAG_GETSOCK)
		return 0;
	return sockdiag_parse_waiting(data, len, finding->found, finding->arg);
}

/* Of both families at once, as sockdiag_connections. */
int sockdiag_waiting(int fd, bool congestion, sock_waits *found, void *arg)
{
	struct waiting_finding finding = {found, arg};
	const struct inet_diag_req request = {
		.idiag_family = AF_INET,
		.idiag_ext = (uint8_t)(1 << (INET_DIAG_INFO - 1) |
			(congestion ? 1 << (INET_DIAG_CONG - 1) : 0)),
		.idiag_states = 1 << TCP_ESTABLISHED | 1 << TCP_LISTEN,
	};

	return netlink_dump(fd, TCPDIAG_GETSOCK, &request, sizeof(request), take_waiting, &finding);
}

int sockdiag_parse_unix_waiting(const char *data, size_t len, sock_unix_waits *found, void *arg)
{
	char address[ADDRESS_BYTES];
	struct unix_diag_msg message;
	uint32_t queue[2] = {0};
	size_t got = 0;

	if (len < sizeof(message))
		return -EBADMSG;
	memcpy(&message, data, sizeof(message));
	data += sizeof(message);
	len -= sizeof(message);
	if (message.udiag_type != SOCK_STREAM ||
		!netlink_u32(data, len, UNIX_DIAG_RQLEN, 2, queue, &got) || got != 2)
		return 0;
	unix_address(data, len, address);
	if (address[strlen("unix:")])
		found(arg, address, queue[0]);
	return 0;
}

struct unix_finding {
	sock_unix_waits *found;
	void *arg;
};

static int take_unix_waiting(void *arg, uint16_t type, const char *data, size_t len)
{
	const struct unix_finding *finding = arg;

	if (type != SOCK_DIAG_BY_FAMILY)
		return 0;
	return sockdiag_parse_unix_waiting(data, len, finding->found, finding->arg);
}

int sockdiag_unix_waiting(int fd, sock_unix_waits *found, void *arg)
{
	struct unix_finding finding = {found, arg};
	const struct unix_diag_req request = {
		.sdiag_family = AF_UNIX,
		.udiag_states = 1 << TCP_ESTABLISHED,
		.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_RQLEN,
	};

	return netlink_dump(
		fd, SOCK_DIAG_BY_FAMILY, &request, sizeof(request), take_unix_waiting, &finding);
}

int sockdiag_parse_packet(const char *data, size_t len, sock_packet_found *found, void *arg)
{
	uint32_t memory[SK_MEMINFO_VARS] = {0};
	struct packet_diag_msg message;
	size_t got = 0;

	if (len < sizeof(message))
		return -EBADMSG;
	memcpy(&message, data, sizeof(message));
	if (netlink_u32(data + sizeof(message), len - sizeof(message), PACKET_DIAG_MEMINFO,
		    SK_MEMINFO_VARS, memory, &got) &&
		got > SK_MEMINFO_DROPS)
		found(arg, message.pdiag_ino, memory[SK_MEMINFO_DROPS]);
	return 0;
}

struct packet_finding {
	sock_packet_found *found;
	void *arg;
};

static int take_packet(void *arg, uint16_t type, const char *data, size_t len)
{
	const struct packet_finding *finding = arg;

	if (type != SOCK_DIAG_BY_FAMILY)
		return 0;
	return sockdiag_parse_packet(data, len, finding->found, finding->arg);
}

int sockdiag_packets(int fd, sock_packet_found *found, void *arg)
{
	struct packet_finding finding = {found, arg};
	const struct packet_diag_req request = {
		.sdiag_family = AF_PACKET,
		.pdiag_show = PACKET_SHOW_MEMINFO,
	};

	return netlink_dump(
		fd, SOCK_DIAG_BY_FAMILY, &request, sizeof(request), take_packet, &finding);
}
