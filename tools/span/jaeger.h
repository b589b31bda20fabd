/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans for Jaeger's page. */
#ifndef TUESDAY_TOOLS_SPAN_JAEGER_H
#define TUESDAY_TOOLS_SPAN_JAEGER_H

#include "tools/span/convert.h"

/* Traces, those that took longest first, as many as have room in most_bytes. As span_to_chrome().
 */
int span_to_jaeger(const struct span_analysis *analysis, FILE *to, size_t most_bytes,
	struct span_converted *converted);

#endif
