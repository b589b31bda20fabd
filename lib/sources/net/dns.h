/* SPDX-License-Identifier: GPL-2.0-only */
/* Name servers: what they answer, and how fast. */
#ifndef TUESDAY_SOURCES_NET_DNS_H
#define TUESDAY_SOURCES_NET_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

struct sink;

/* The address of a line "nameserver ADDRESS" of resolv.conf. */
bool dns_parse_server(struct bytes line, char *address, size_t size);
/* The result code of an answer to the question of that number, or -1 where the bytes are none. */
int dns_parse_answer(const void *bytes, size_t len, uint16_t id);
/* Lines of "ADDRESS SECONDS CODE", or "ADDRESS" alone, as a recording has them. */
void parse_dns(struct bytes text, struct sink *sink);

#endif
