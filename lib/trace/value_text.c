/* SPDX-License-Identifier: GPL-2.0-only */
/* What is a value of a tracepoint called? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <inttypes.h>

#include "base/str.h"
#include "trace/event_format.h"
#include "trace/value_text.h"

void trace_number_text(const struct event_format *format, const char *field, bool is_signed,
	__u64 number, char *text, size_t size)
{
	if (format && event_format_symbol(format, field, number, text, size))
		return;
	if (is_signed)
		snprintf(text, size, "%" PRId64, (int64_t)number);
	else
		snprintf(text, size, "%" PRIu64, (uint64_t)number);
}

void trace_address_text(const __u8 address[TRACE_NAME], char *text, size_t size)
{
	static const __u8 mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool is_v4 = !memcmp(address, mapped, sizeof(mapped));

	if (!inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? address + 12 : address, text,
		    (socklen_t)size))
		*text = 0;
}
