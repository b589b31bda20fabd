/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of a driver's statistics say that packets were lost, or that somebody holds them back? */
#include "base/banned.h"

#include "base/str.h"
#include "sample/sink.h"
#include "sources/common/parse_text.h"
#include "sources/net/ethtool_text.h"

/*
 * Fields, and what belongs to each: exact names, without leading blanks and without a number in
 * brackets behind them. Where a driver has one for each queue and no sum they are added up; of one
 * that has both, only the sum may stand here. Names are those of the drivers in the kernel's
 * drivers/net/ethernet and drivers/net/vmxnet3.
 */
static const struct {
	const char *field;
	const char *statistics[16];
} fields[] = {
	/* ena: what Amazon allows an instance. */
	{"bw_in_allowance_exceeded", {"bw_in_allowance_exceeded"}},
	{"bw_out_allowance_exceeded", {"bw_out_allowance_exceeded"}},
	{"pps_allowance_exceeded", {"pps_allowance_exceeded"}},
	{"conntrack_allowance_exceeded", {"conntrack_allowance_exceeded"}},
	{"conntrack_allowance_available", {"conntrack_allowance_available"}},
	{"linklocal_allowance_exceeded", {"linklocal_allowance_exceeded"}},
	/* The card had a packet, and the host had given it no buffer to put it in. */
	{"rx_no_buffer",
		{
			"rx_out_of_buffer",	 /* mlx5 */
			"rx_no_dma_resources",	 /* ixgbe and kin */
			"rx_no_buffer_count",	 /* e1000e, igb */
			"rx_no_buffers_posted",	 /* gve */
			"hc_rx_discards_no_wqe", /* mana */
			"pkts rx OOB",		 /* vmxnet3 */
			"rx_total_discard_pkts", /* bnxt */
			"rx_discards",		 /* tg3 */
			"rx_overruns",		 /* ena */
			"port.rx_discards",	 /* i40e */
			"port.rx_dropped",	 /* i40e, older */
			"rx_dropped.nic",	 /* ice */
		}},
	/* The buffer of the port itself was full: the card waited for the bus, or for the host. */
	{"rx_port_full", {"rx_discards_phy"}},
	{"rx_pause",
		{
			"rx_pause_ctrl_phy",
			"rx_flow_control_xoff",
			"link_xoff_rx",
			"port.link_xoff_rx",
			"link_xoff_rx.nic",
			"rx_pause_frames",
			"rx_xoff_pause_rcvd", /* tg3 */
			"rx_pause",
		}},
	{"tx_pause",
		{
			"tx_pause_ctrl_phy",
			"tx_flow_control_xoff",
			"link_xoff_tx",
			"port.link_xoff_tx",
			"link_xoff_tx.nic",
			"tx_pause_frames",
			"tx_xoff_sent", /* tg3 */
			"tx_pause",
		}},
};

_Static_assert(ARRAY_SIZE(fields) == ETHTOOL_FIELDS, "the header says how many");

const char *ethtool_field_name(size_t i)
{
	return fields[i].field;
}

int ethtool_field_of(const char *statistic)
{
	size_t i, j, len;

	statistic += strspn(statistic, " ");
	len = strcspn(statistic, "[");
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		for (j = 0; j < ARRAY_SIZE(fields[i].statistics); j++) {
			const char *known = fields[i].statistics[j];

			if (!known)
				break;
			if (*known == *statistic && !strncmp(known, statistic, len) && !known[len])
				return (int)i;
		}
	return -1;
}

/* The speeds of link modes, by the number of the mode's bit: ETHTOOL_LINK_MODE_... */
static const struct {
	uint8_t first, last;
	unsigned int mbits;
} speeds[] = {
	{0, 1, 10},
	{2, 3, 100},
	{4, 5, 1000},
	{12, 12, 10000},
	{15, 15, 2500},
	{17, 17, 1000},
	{18, 20, 10000},
	{21, 22, 20000},
	{23, 26, 40000},
	{27, 30, 56000},
	{31, 33, 25000},
	{34, 35, 50000},
	{36, 39, 100000},
	{40, 40, 50000},
	{41, 41, 1000},
	{42, 46, 10000},
	{47, 47, 2500},
	{48, 48, 5000},
	{52, 56, 50000},
	{57, 61, 100000},
	{62, 66, 200000},
	{67, 67, 100},
	{68, 68, 1000},
	{69, 73, 400000},
	{75, 79, 100000},
	{80, 84, 200000},
	{85, 89, 400000},
	{90, 91, 100},
	{92, 92, 10},
};

unsigned int ethtool_fastest(const uint32_t *mask, size_t words)
{
	unsigned int fastest = 0, bit;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++)
		for (bit = speeds[i].first; bit <= speeds[i].last && bit / 32 < words; bit++)
			if (mask[bit / 32] >> bit % 32 & 1 && speeds[i].mbits > fastest)
				fastest = speeds[i].mbits;
	return fastest;
}

void parse_ethtool(struct bytes text, struct sink *sink)
{
	char interface[64];
	struct bytes line, word;
	double value;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &word) || !text_copy(word, interface, sizeof(interface)))
			continue;
		while (text_word(&line, &word) && text_next_number(&line, &value)) {
			if (text_is(word, "missing"))
				sink_missing(
					sink, "the driver of %s did not answer in time", interface);
			else
				text_put(sink, interface, "", word, value);
		}
	}
}
