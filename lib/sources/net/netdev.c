/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What did each network interface do, and what did it lose? Instances are "eth0" for our own
 * network namespace and "NAMESPACE/eth0" for others. What /proc/net/dev sums up, or leaves out, is
 * read from sysfs where somebody asks for it; sysfs shows our own namespace only.
 */
#include "base/banned.h"

#include <stdio.h>

#include "sources/net/net_namespaces.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/net/netdev.h"
#include "sources/common/value_files.h"

static const char *const columns[] = {"rx_bytes", "rx_packets", "rx_errors", "rx_dropped",
	"rx_fifo", "rx_frame", "rx_compressed", "rx_multicast", "tx_bytes", "tx_packets",
	"tx_errors", "tx_dropped", "tx_fifo", "collisions", "tx_carrier", "tx_compressed"};

/* Below /sys/class/net/NAME/. */
static const struct {
	const char *field;
	const char *file;
} extras[] = {
	{"rx_missed_errors", "statistics/rx_missed_errors"},
	{"rx_crc_errors", "statistics/rx_crc_errors"},
	{"rx_over_errors", "statistics/rx_over_errors"},
	{"rx_length_errors", "statistics/rx_length_errors"},
	{"rx_nohandler", "statistics/rx_nohandler"},
	{"carrier_down_count", "carrier_down_count"},
	{"carrier_changes", "carrier_changes"},
	{"speed", "speed"},
};

void parse_netdev(struct bytes text, struct sink *sink, const char *namespace,
	void (*seen)(void *arg, const char *interface), void *arg)
{
	char interface[64], instance[256];
	struct bytes line, before, name;

	while (text_line(&text, &line)) {
		if (!text_until(&line, ':', &before) || !text_word(&before, &name) ||
			!text_copy(name, interface, sizeof(interface)))
			continue;
		if (snprintf(instance, sizeof(instance), "%s%s%s", namespace, *namespace ? "/" : "",
			    interface) >= (int)sizeof(instance))
			continue;
		text_put_columns(sink, instance, columns, ARRAY_SIZE(columns), line);
		if (seen)
			seen(arg, interface);
	}
}

struct extra_reader {
	struct capture *fs;
	struct sink *sink;
	bool wanted[ARRAY_SIZE(extras)];
	bool physical;
	bool any;
};

static void read_extras(void *arg, const char *interface)
{
	struct extra_reader *reader = arg;
	struct bytes text;
	char path[160];
	double value;
	size_t i;

	if (strchr(interface, '/'))
		return;
	/* Bridges, tunnels and what is made of other interfaces have no device behind them. */
	if (reader->physical) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/device", interface);
		sink_put(reader->sink, interface, "physical", capture_exists(reader->fs, path));
	}
	for (i = 0; i < ARRAY_SIZE(extras); i++) {
		if (!reader->wanted[i])
			continue;
		snprintf(path, sizeof(path), "/sys/class/net/%s/%s", interface, extras[i].file);
		/* The speed of what has none is -1. */
		if (!capture_read(reader->fs, path, &text) && parse_value(text, 0, &value) &&
			value >= 0)
			sink_put(reader->sink, interface, extras[i].field, value);
	}
}

static void parse_other(struct bytes text, struct sink *sink, const char *namespace)
{
	parse_netdev(text, sink, namespace, NULL, NULL);
}

static int read_netdev(struct capture *fs, void *state, struct sink *sink)
{
	struct extra_reader reader = {.fs = fs, .sink = sink};
	struct bytes text;
	size_t i;
	int err = capture_read(fs, "/proc/net/dev", &text);

	reader.physical = sink_wants(sink, "physical");
	reader.any = reader.physical;
	for (i = 0; i < ARRAY_SIZE(extras); i++) {
		reader.wanted[i] = sink_wants(sink, extras[i].field);
		reader.any |= reader.wanted[i];
	}
	if (err)
		sink_missing(sink, "/proc/net/dev: %s", strerror(-err));
	else
		parse_netdev(text, sink, "", reader.any ? read_extras : NULL, &reader);
	if (netfamily_wanted(state, sink))
		netfamily_each(fs, state, "dev", sink, parse_other);
	return err;
}

SOURCE(netdev) = {
	.name = "net/dev",
	.what = "/proc/net/dev: what each network interface did and lost",
	.open = netfamily_open,
	.read = read_netdev,
	.culprit = source_device_culprit,
};
