/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What drivers of network cards count, under the names that each of them gives it, as the fields of
 * the source ethtool; and what a recording of it says.
 */
#ifndef TUESDAY_SOURCES_NET_ETHTOOL_TEXT_H
#define TUESDAY_SOURCES_NET_ETHTOOL_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

struct sink;

/* How many fields there are that statistics are added up in. */
enum { ETHTOOL_FIELDS = 10 };

/* The name of field number i, below ETHTOOL_FIELDS. */
const char *ethtool_field_name(size_t i);

/* The number of the field that a statistic of a driver belongs to, as the driver calls it
 * ("rx_out_of_buffer", "rx_no_buffers_posted[3]", "  pkts rx OOB"), or -1. */
int ethtool_field_of(const char *statistic);

/* The fastest of the link modes in a mask of ETHTOOL_GLINKSETTINGS, in Mbit/s; 0 where it has none
 * that is known. */
unsigned int ethtool_fastest(const uint32_t *mask, size_t words);

/* Lines of "INTERFACE FIELD VALUE FIELD VALUE ...", or "INTERFACE missing 1" for one whose driver
 * did not answer. */
void parse_ethtool(struct bytes text, struct sink *sink);

#endif
