/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which sockets listen, and how full are their queues? Asked of the kernel by netlink, listeners
 * only: that takes microseconds where /proc/net/tcp takes milliseconds.
 *
 * A socket for asking stays in the network namespace that it was opened in.
 */
#ifndef TUESDAY_CAPTURE_SOCKDIAG_H
#define TUESDAY_CAPTURE_SOCKDIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/tcp_info.h"

/*
 * A listening socket as the kernel describes it. address is "0.0.0.0:80", "[::]:80",
 * "unix:/run/x.sock", "unix:@abstract" (bytes of 0 in it come out as @) or "unix:" where it has
 * none; valid during the call of found only.
 */
struct sock_listener {
	const char *address;
	uint32_t backlog; /* connections that wait to be accepted */
	uint32_t limit;	  /* what listen() asked for, cut by somaxconn */
	uint32_t inode;
	bool has_uid, has_drops;
	uint32_t uid;
	uint32_t drops; /* of this socket; TCP only, a Unix socket lets its clients wait */
};

typedef void sock_found(void *arg, const struct sock_listener *listener);

enum sockdiag_kind { SOCKDIAG_TCP4, SOCKDIAG_TCP6, SOCKDIAG_UNIX };

/* A socket for asking in the present network namespace. Returns it or -errno. */
int sockdiag_open(void);

/*
 * Calls found for each listener of a kind. Returns 0 or -errno: -ENOENT where the kernel has no
 * such interface, -EAGAIN where it did not answer within a second.
 */
int sockdiag_listeners(int fd, enum sockdiag_kind kind, sock_found *found, void *arg);

/* A TCP connection that is not one that this machine answers SYNs for. */
struct sock_connection {
	uint8_t family;		       /* AF_INET, with the first 4 bytes of each address */
	uint8_t local[16], remote[16]; /* in network order */
	uint16_t local_port, remote_port;
	uint32_t inode; /* 0 where no program has it any more */
	bool time_wait;
	uint32_t left_ms; /* of TIME_WAIT: until it is over */
	bool listens; /* no connection but a listener, of which local and local_port are known */
};

typedef void sock_connected(void *arg, const struct sock_connection *connection);

/* Calls found for each TCP connection and each listener, of IPv4 and IPv6 in one go through the
 * kernel's table. Takes milliseconds, since that is gone through whole. Returns as
 * sockdiag_listeners. */
int sockdiag_connections(int fd, sock_connected *found, void *arg);

/* A message of such an answer. Returns 0 or -EBADMSG. */
int sockdiag_parse_connection(const char *data, size_t len, sock_connected *found, void *arg);

/* A TCP connection whose other end may wait for an answer, or a listener that accepts such. */
struct sock_waiting {
	uint16_t local_port;
	bool listens;	       /* no connection: only its inode is known besides */
	uint32_t inode;	       /* 0 where no program has accepted it */
	uint32_t unread_bytes; /* of which nobody has read one */
	bool has_times;
	uint32_t since_received_ms, since_sent_ms; /* the last data, each way */
	uint32_t since_acked_ms;       /* the last acknowledgement, alone or with data */
	uint8_t family;		       /* AF_INET, with the first 4 bytes of each address */
	uint8_t local[16], remote[16]; /* in network order */
	uint16_t remote_port;
	uint64_t cookie;	/* no other connection of this boot has it */
	uint8_t repeated;	/* how often in a row the same data was sent again in vain */
	uint32_t queued_bytes;	/* sent and not acknowledged, or not sent yet */
	uint32_t segment_bytes; /* the most that goes into a packet */
	bool has_limits;
	struct tcp_limits limits;
	/* Where the congestion control was asked for. With SOCK_DCTCP_RENO ECN was not negotiated,
	 * and the kernel runs Reno where DCTCP was wanted. */
	enum { SOCK_NOT_DCTCP, SOCK_DCTCP, SOCK_DCTCP_RENO } dctcp;
	struct tcp_marks marks; /* of those that are DCTCP */
};

typedef void sock_waits(void *arg, const struct sock_waiting *waiting);

/* Calls found for each established TCP connection and each listener, of IPv4 and IPv6 in one go
 * through the kernel's table; costs and returns as sockdiag_connections. congestion: their
 * congestion control is asked for as well. */
int sockdiag_waiting(int fd, bool congestion, sock_waits *found, void *arg);

/* Of a connection of a Unix socket that has a name, as one that was accepted has its listener's:
 * the bytes that nobody has read. */
typedef void sock_unix_waits(void *arg, const char *address, uint32_t unread_bytes);

/* Calls found for each; those that nobody has accepted are in their listener's backlog only. */
int sockdiag_unix_waiting(int fd, sock_unix_waits *found, void *arg);

/* Of a packet socket, as tcpdump and DHCP clients have: what found no room in its receive buffer.
 * What did not fit into a ring that the program shares with the kernel is not in it. */
typedef void sock_packet_found(void *arg, uint32_t inode, uint32_t drops);

/* Calls found for each packet socket. Returns as sockdiag_listeners. */
int sockdiag_packets(int fd, sock_packet_found *found, void *arg);

/* A message of such an answer. Returns 0 or -EBADMSG. */
int sockdiag_parse_packet(const char *data, size_t len, sock_packet_found *found, void *arg);

/* A message of such an answer. Returns 0 or -EBADMSG. */
int sockdiag_parse_unix_waiting(const char *data, size_t len, sock_unix_waits *found, void *arg);

/* A message of such an answer. Returns 0 or -EBADMSG. */
int sockdiag_parse_waiting(const char *data, size_t len, sock_waits *found, void *arg);

/*
 * One datagram of an answer: calls found for each listener in it. Returns 1 at the end of the
 * answer, 0 where more is to come, -errno of the kernel's refusal, or -EBADMSG for bytes that are
 * no answer. Messages of another sequence are skipped.
 */
int sockdiag_parse(const void *bytes, size_t len, enum sockdiag_kind kind, uint32_t sequence,
	sock_found *found, void *arg);

#endif
