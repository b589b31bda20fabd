/* SPDX-License-Identifier: GPL-2.0-only */
/* What did a TCP connection wait for? The newer fields of struct tcp_info. */
#include "base/banned.h"

#include <linux/tcp.h>
#include <stddef.h>
#include <string.h>

#include "capture/tcp_info.h"

bool tcpinfo_limits(const void *info, size_t len, struct tcp_limits *out)
{
	struct tcp_info known;

	if (len <
		offsetof(struct tcp_info, tcpi_sndbuf_limited) + sizeof(known.tcpi_sndbuf_limited))
		return false;
	memset(&known, 0, sizeof(known));
	memcpy(&known, info, len < sizeof(known) ? len : sizeof(known));
	*out = (struct tcp_limits){.busy_us = known.tcpi_busy_time,
		.receiver_us = known.tcpi_rwnd_limited,
		.buffer_us = known.tcpi_sndbuf_limited};
	return true;
}

bool tcpinfo_marks(const void *info, size_t len, struct tcp_marks *out)
{
	struct tcp_info known;

	if (len < offsetof(struct tcp_info, tcpi_delivered_ce) + sizeof(known.tcpi_delivered_ce))
		return false;
	memset(&known, 0, sizeof(known));
	memcpy(&known, info, len < sizeof(known) ? len : sizeof(known));
	*out = (struct tcp_marks){.delivered = known.tcpi_delivered,
		.marked = known.tcpi_delivered_ce,
		.sent = known.tcpi_data_segs_out,
		.repeated = known.tcpi_total_retrans};
	return true;
}
