/* SPDX-License-Identifier: GPL-2.0-only */
/* UDP: datagrams that were lost, and whose. */
#ifndef TUESDAY_SOURCES_NET_UDP_H
#define TUESDAY_SOURCES_NET_UDP_H

#include <stdint.h>

#include "capture/capture.h"

struct sink;

/* The UDP counters of both files together; snmp6 may be empty. Returns the datagrams that found a
 * receive buffer full, negative where neither file says. */
double parse_udp_counters(
	struct bytes snmp, struct bytes snmp6, struct sink *sink, const char *instance);

/* /proc/net/udp and udp6: each socket that lost datagrams in its life, and how many. */
void parse_udp_sockets(
	struct bytes text, void (*each)(void *arg, uint32_t inode, double drops), void *arg);

#endif
