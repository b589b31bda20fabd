/* SPDX-License-Identifier: GPL-2.0-only */
/* How names are resolved. */
#ifndef TUESDAY_SOURCES_NET_RESOLVER_H
#define TUESDAY_SOURCES_NET_RESOLVER_H

#include "capture/capture.h"

struct sink;

/* resolv.conf(5) */
void parse_resolv_conf(struct bytes text, struct sink *sink);

#endif
