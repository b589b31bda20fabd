/* SPDX-License-Identifier: GPL-2.0-only */
/* What do tracers of connections read of a socket? As kernel.h: only what is read, found by name.
 */
#ifndef TUESDAY_BPF_SOCKET_H
#define TUESDAY_BPF_SOCKET_H

#include "kernel.h"

#define ADDRESS_INET 2
#define ADDRESS_INET6 10
#define PROTOCOL_TCP 6
#define PROTOCOL_MPTCP 262

#define TCP_ESTABLISHED 1
#define TCP_SYN_SENT 2
#define TCP_SYN_RECV 3
#define TCP_FIN_WAIT1 4
#define TCP_CLOSE 7
#define TCP_CLOSE_WAIT 8
#define TCP_LISTEN 10

struct ns_common {
	unsigned int inum;
} FROM_KERNEL;

struct net {
	struct ns_common ns;
} FROM_KERNEL;

typedef struct {
	struct net *net;
} possible_net_t;

struct in6_addr {
	__u8 s6_addr[16];
};

struct sock_common {
	__be32 skc_daddr;
	__be16 skc_dport;
	__u16 skc_num; /* the local port, in the host's order; 0: none yet, or none any more */
	unsigned short skc_family;
	volatile unsigned char skc_state;
	unsigned char skc_reuseport : 1;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
} FROM_KERNEL;

struct inode {
	unsigned long i_ino;
} FROM_KERNEL;

struct file {
	struct inode *f_inode;
} FROM_KERNEL;

struct socket {
	struct sock *sk;
	struct file *file;
} FROM_KERNEL;

struct sk_buff_head {
	__u32 qlen;
} FROM_KERNEL;

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket; /* NULL: not accepted yet */
	__u16 sk_protocol;
	__u16 sk_type;
	struct sk_buff_head sk_receive_queue;
} FROM_KERNEL;

struct unix_address;

struct unix_sock {
	struct sock sk;
	struct unix_address *addr; /* a connection that was accepted shares its listener's */
} FROM_KERNEL;

struct request_sock {
	struct request_sock *dl_next; /* that waits to be accepted */
	struct sock *sk;
} FROM_KERNEL;

struct inet_connection_sock {
	struct {
		__u8 rskq_defer_accept; /* not 0: a connection is made by its first data */
		struct request_sock *rskq_accept_head;
	} icsk_accept_queue;
} FROM_KERNEL;

struct mptcp_sock {
	struct sock *first;
} FROM_KERNEL;

struct tcp_sock {
	__u32 rcv_nxt;
	__u32 copied_seq;
	__u32 write_seq; /* behind the last byte that the program has written */
	__u32 segs_out;
	bool is_mptcp; /* with CONFIG_MPTCP */
} FROM_KERNEL;

#endif
