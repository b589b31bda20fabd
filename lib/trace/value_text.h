/* SPDX-License-Identifier: GPL-2.0-only */
/* What a value of a tracepoint is called. */
#ifndef TUESDAY_TRACE_VALUE_TEXT_H
#define TUESDAY_TRACE_VALUE_TEXT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "bpf/trace.h"

struct event_format;

/* A number, with the name that the tracepoint has for it; format may be NULL. */
void trace_number_text(const struct event_format *format, const char *field, bool is_signed,
	__u64 number, char *text, size_t size);

/* "10.0.0.7", "::1": IPv6, or IPv4 mapped into it. */
void trace_address_text(const __u8 address[TRACE_NAME], char *text, size_t size);

#endif
