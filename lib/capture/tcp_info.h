/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says of a TCP connection beyond what the C library knows of struct tcp_info. */
#ifndef TUESDAY_CAPTURE_TCP_INFO_H
#define TUESDAY_CAPTURE_TCP_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a connection that had data to send waited for, since it is there. Of busy_us, the time in
 * which there was something to send or unacknowledged, the other two are parts. */
struct tcp_limits {
	uint64_t busy_us;
	uint64_t receiver_us; /* the receive window of the other end was full */
	uint64_t buffer_us;   /* all that its own send buffer holds was on its way */
};

/* What came of the packets with data that a connection sent; each counter has 32 bits and goes on
 * from 0. */
struct tcp_marks {
	uint32_t delivered; /* acknowledged, */
	uint32_t marked;    /* and of these: met congestion on the way, as ECN says */
	uint32_t sent, repeated;
};

/* Reads len bytes of a struct tcp_info. False where the kernel does not tell (before Linux 4.10).
 */
bool tcpinfo_limits(const void *info, size_t len, struct tcp_limits *out);

/* The same; before Linux 4.18 it does not tell. */
bool tcpinfo_marks(const void *info, size_t len, struct tcp_marks *out);

#endif
