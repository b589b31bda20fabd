/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is connected to a name server. */
#ifndef TUESDAY_SOURCES_NET_DNS_WAITS_H
#define TUESDAY_SOURCES_NET_DNS_WAITS_H

#include <stdint.h>

#include "capture/capture.h"

/* /proc/net/udp and udp6: each socket that is connected, to whom. */
void parse_udp_peers(struct bytes text,
	void (*each)(void *arg, const char *address, uint32_t port, uint32_t inode), void *arg);

#endif
