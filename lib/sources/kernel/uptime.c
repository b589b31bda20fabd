/* SPDX-License-Identifier: GPL-2.0-only */
/* For how long is the machine up? Fields uptime and idle (summed over CPUs), in seconds. */
#include "base/banned.h"
#include "sources/common/parse_text.h"
#include "sources/kernel/uptime.h"
#include "sample/source.h"

void parse_uptime(struct bytes text, struct sink *sink)
{
	static const char *const names[] = {"uptime", "idle"};
	struct bytes line;

	if (text_line(&text, &line))
		text_put_columns(sink, "", names, 2, line);
}

static int uptime_read(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/uptime", parse_uptime, sink);
}

SOURCE(uptime) = {
	.name = "uptime",
	.what = "/proc/uptime: seconds since boot",
	.read = uptime_read,
};
