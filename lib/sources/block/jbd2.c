/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long does a commit of the journal take? Instances are the journals of ext4 by device, "sda1".
 */
#include "base/banned.h"

#include <string.h>

#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "capture/glob.h"
#include "sources/block/jbd2.h"
#include "sample/source.h"

#define PATTERN "/proc/fs/jbd2/*/info"

void parse_jbd2(struct bytes text, struct sink *sink, const char *instance)
{
	struct bytes line, word, rest;
	double value;

	while (text_line(&text, &line)) {
		rest = line;
		if (!text_word(&rest, &word))
			continue;
		if (text_number(word, &value)) {
			if (!text_word(&rest, &word) || !text_is(word, "transactions"))
				continue;
			sink_put(sink, instance, "transactions", value);
			/* The averages are not there before the first. */
			if (value == 0)
				sink_put(sink, instance, "average_commit_us", 0);
		} else if (text_cut_end(&word, "us") && text_number(word, &value)) {
			if (text_word(&rest, &word) && text_is(word, "average"))
				sink_put(sink, instance, "average_commit_us", value);
		}
	}
}

struct reading {
	struct capture *fs;
	struct sink *sink;
	bool any;
};

/* "sda1-8": the journal is the file with the number 8. */
static int read_journal(void *arg, const char *path, const char *star)
{
	struct reading *reading = arg;
	const char *dash = strrchr(star, '-');
	char *device = mem_strndup(star, dash ? (size_t)(dash - star) : strlen(star));
	struct bytes text;
	int err = capture_read(reading->fs, path, &text);

	reading->any = true;
	if (err)
		sink_missing(reading->sink, "%s: %s", path, strerror(-err));
	else
		parse_jbd2(text, reading->sink, device);
	free(device);
	return 0;
}

static int read_jbd2(struct capture *fs, void *state, struct sink *sink)
{
	struct reading reading = {fs, sink, false};

	(void)state;
	capture_glob(fs, PATTERN, read_journal, &reading);
	if (!reading.any)
		sink_none(sink);
	return 0;
}

SOURCE(jbd2) = {
	.name = "jbd2",
	.what = PATTERN ": transactions of ext4's journals and how long they take",
	.read = read_jbd2,
};
