/* SPDX-License-Identifier: GPL-2.0-only */
/* The ports that this machine has for connections of its own. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_PORTS_H
#define TUESDAY_TOOLS_KEEPALIVE_PORTS_H

/* How many there are (/proc/sys/net/ipv4/ip_local_port_range), 28232 where that is not to be read:
 * the kernel's default. */
double ports_count(void);

/* Connections in TIME_WAIT in this network namespace (/proc/net/sockstat), or NAN. */
double ports_waiting(void);

#endif
