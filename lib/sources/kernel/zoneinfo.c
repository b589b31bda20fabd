/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much memory is free in each zone, in pieces of which size, and how far is that from the
 * watermarks at which reclaim starts? Instances are "node0/Normal"; everything is in pages.
 */
#include "base/banned.h"

#include <stdio.h>

#include "base/str.h"
#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/kernel/zoneinfo.h"
#include "sample/source.h"

/* No kernel has as many; what claims more is no buddyinfo. */
#define ORDERS 32

/* Takes "Node 0, zone   Normal" from the start of a line as "node0/Normal". */
static bool zone_name(struct bytes *line, char *buf, size_t size)
{
	struct bytes at = *line, word, node, zone;
	char name[32];
	int n;

	if (!text_word(&at, &word) || !text_is(word, "Node") || !text_until(&at, ',', &node))
		return false;
	if (!text_word(&node, &word) || !text_copy(word, name, sizeof(name)))
		return false;
	if (!text_word(&at, &word) || !text_is(word, "zone") || !text_word(&at, &zone))
		return false;
	n = snprintf(
		buf, size, "node%s/%.*s", name, (int)(zone.len < 64 ? zone.len : 64), zone.data);
	if (n < 0 || (size_t)n >= size)
		return false;
	*line = at;
	return true;
}

void parse_buddyinfo(struct bytes text, struct sink *sink)
{
	struct bytes line;
	char zone[128], field[16];

	while (text_line(&text, &line)) {
		double count, free_pages = 0, pages = 1;
		unsigned int order;

		if (!zone_name(&line, zone, sizeof(zone)))
			continue;
		for (order = 0; order < ORDERS && text_next_number(&line, &count); order++) {
			snprintf(field, sizeof(field), "order%u", order);
			sink_put(sink, zone, field, count);
			free_pages += count * pages;
			pages *= 2;
		}
		if (order)
			sink_put(sink, zone, "free_pages", free_pages);
	}
}

/* A line of the block that begins with "pages free" and ends before "protection:". Names that end
 * in a colon belong to the per-CPU page sets. */
static void put_watermark(struct sink *sink, const char *zone, struct bytes line)
{
	static const char *const names[] = {"free", "boost", "min", "low", "high", "promo",
		"spanned", "present", "managed", "cma"};
	struct bytes name;
	double value;
	size_t i;

	if (!text_word(&line, &name) || !text_next_number(&line, &value))
		return;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (text_is(name, names[i]))
			sink_put(sink, zone, names[i], value);
}

void parse_zoneinfo(struct bytes text, struct sink *sink)
{
	struct bytes line, rest, word;
	char zone[128] = "";
	bool inside = false;

	while (text_line(&text, &line)) {
		if (text_starts(line, "Node")) {
			inside = false;
			if (!zone_name(&line, zone, sizeof(zone)))
				*zone = 0;
			continue;
		}
		rest = line;
		if (!text_word(&rest, &word))
			continue;
		if (text_is(word, "pages")) {
			inside = true;
			line = rest;
		} else if (text_is(word, "protection:")) {
			inside = false;
		}
		if (inside && *zone)
			put_watermark(sink, zone, line);
	}
}

static int read_buddyinfo(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/buddyinfo", parse_buddyinfo, sink);
}

static int read_zoneinfo(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/zoneinfo", parse_zoneinfo, sink);
}

/* "node0" of "node0/Normal" */
static bool zone_group_of(
	struct capture *fs, void *state, const char *instance, const char *kind, struct str *out)
{
	(void)fs;
	(void)state;
	(void)kind;
	str_addn(out, instance, strcspn(instance, "/"));
	return out->len > 0;
}

SOURCE(buddyinfo) = {
	.name = "buddyinfo",
	.what = "/proc/buddyinfo: free memory by size of its pieces",
	.read = read_buddyinfo,
	.groups = "node",
	.group_of = zone_group_of,
};

SOURCE(zoneinfo) = {
	.name = "zoneinfo",
	.what = "/proc/zoneinfo: free pages and watermarks of each memory zone",
	.read = read_zoneinfo,
	.groups = "node",
	.group_of = zone_group_of,
};
