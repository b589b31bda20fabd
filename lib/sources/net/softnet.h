/* SPDX-License-Identifier: GPL-2.0-only */
/* The queues between network cards and sockets. */
#ifndef TUESDAY_SOURCES_NET_SOFTNET_H
#define TUESDAY_SOURCES_NET_SOFTNET_H

#include "capture/capture.h"

struct sink;

/* /proc/net/softnet_stat */
void parse_softnet(struct bytes text, struct sink *sink);

#endif
