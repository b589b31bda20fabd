/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where does memory go that is swapped out, and how long do reads from there take? Instances are
 * the devices without "/dev/", and the paths of swap files. What a device did is known where all of
 * it is swap: of a file's disk nobody knows which of its reads were swap.
 */
#include "base/banned.h"

#include <stdio.h>
#include <string.h>

#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/block/swaps.h"
#include "sources/block/diskstats.h"
#include "sample/source.h"

static struct bytes swap_name(struct bytes path)
{
	static const char dev[] = "/dev/";

	if (text_starts(path, dev)) {
		path.data += strlen(dev);
		path.len -= strlen(dev);
	}
	return path;
}

/* "/dev/sda2  partition  2097148  1024  -2", in kB; blanks in a path are written as \040. */
void parse_swaps(struct bytes text, struct sink *sink)
{
	struct bytes line, word, type;
	char area[256];
	double value;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &word) || !text_word(&line, &type) ||
			!text_copy(swap_name(word), area, sizeof(area)))
			continue;
		if (!text_next_number(&line, &value))
			continue;
		sink_put(sink, area, "size_bytes", value * 1024);
		if (text_next_number(&line, &value))
			sink_put(sink, area, "used_bytes", value * 1024);
		if (text_next_number(&line, &value))
			sink_put(sink, area, "priority", value);
	}
}

/* Whether a device is swap as a whole. arg is the text of /proc/swaps. */
static bool is_swap(void *arg, const char *device)
{
	struct bytes text = *(const struct bytes *)arg, line, word, type;

	while (text_line(&text, &line))
		if (text_word(&line, &word) && text_is(swap_name(word), device) &&
			text_word(&line, &type) && text_is(type, "partition"))
			return true;
	return false;
}

/* Swap files alone are none of the kind that reads are known of. */
static bool has_device(struct bytes text)
{
	struct bytes line, word;

	while (text_line(&text, &line))
		while (text_word(&line, &word))
			if (text_is(word, "partition"))
				return true;
	return false;
}

static int read_swaps(struct capture *fs, void *state, struct sink *sink)
{
	struct bytes swaps, disks;
	int err = capture_read(fs, "/proc/swaps", &swaps);

	(void)state;
	if (err) {
		sink_missing(sink, "/proc/swaps: %s", strerror(-err));
		return err;
	}
	parse_swaps(swaps, sink);
	if (!has_device(swaps))
		sink_none(sink);
	if (!capture_read(fs, "/proc/diskstats", &disks))
		parse_diskstats(disks, sink, is_swap, &swaps);
	return 0;
}

SOURCE(swaps) = {
	.name = "swaps",
	.what = "/proc/swaps: each swap area, and what a device did that is one",
	.read = read_swaps,
	.culprit = source_device_culprit,
};
