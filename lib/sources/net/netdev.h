/* SPDX-License-Identifier: GPL-2.0-only */
/* Network interfaces. */
#ifndef TUESDAY_SOURCES_NET_NETDEV_H
#define TUESDAY_SOURCES_NET_NETDEV_H

#include "capture/capture.h"

struct sink;

/* /proc/net/dev. Instances are namespace/interface, or the interface alone for "". seen, if not
 * NULL, is called for each interface. */
void parse_netdev(struct bytes text, struct sink *sink, const char *namespace,
	void (*seen)(void *arg, const char *interface), void *arg);

#endif
