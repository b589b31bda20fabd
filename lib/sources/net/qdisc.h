/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue disciplines. */
#ifndef TUESDAY_SOURCES_NET_QDISC_H
#define TUESDAY_SOURCES_NET_QDISC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

struct sink;

/* A queue discipline as the kernel describes it. */
struct qdisc {
	int interface;
	char kind[32];
	bool root;
	uint32_t parent; /* the class that it is below: 1:10 is 0x1000a */
	uint64_t bytes;
	uint32_t packets, drops, overlimits, requeues, qlen, backlog;
};

/* A message of the answer to RTM_GETQDISC. False where it is none with statistics. */
bool qdisc_parse(const char *data, size_t len, struct qdisc *out);

/* Lines of "INTERFACE/KIND BYTES PACKETS …", as a recording has them. Returns how many. */
size_t parse_qdiscs(struct bytes text, struct sink *sink, const char *namespace);

#endif
