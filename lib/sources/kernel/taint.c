/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has happened to this kernel that its developers would ask about first? Each bit of
 * /proc/sys/kernel/tainted is a field, 0 or 1.
 */
#include "base/banned.h"
#include "base/num.h"
#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/kernel/taint.h"
#include "sample/source.h"

static const struct {
	const char *field;
	int bit;
} bits[] = {
	{"proprietary_module", 0},
	{"forced_module", 1},
	{"out_of_specification", 2},
	{"machine_check", 4},
	{"bad_page", 5},
	{"died", 7},
	{"warned", 9},
	{"staging_module", 10},
	{"foreign_module", 12},
	{"unsigned_module", 13},
	{"soft_lockup", 14},
	{"live_patched", 15},
};

void parse_taint(struct bytes text, struct sink *sink)
{
	struct bytes line, word;
	const char *at, *end;
	uint64_t value;
	size_t i;

	if (!text_line(&text, &line) || !text_word(&line, &word))
		return;
	at = word.data;
	end = word.data + word.len;
	if (num_next(&at, end, &value) || at != end)
		return;
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		sink_put(sink, "", bits[i].field, (double)(value >> bits[i].bit & 1));
}

static int read_taint(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/sys/kernel/tainted", parse_taint, sink);
}

SOURCE(taint) = {
	.name = "taint",
	.what = "/proc/sys/kernel/tainted: what happened to this kernel, bit by bit",
	.read = read_taint,
};
