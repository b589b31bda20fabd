/* SPDX-License-Identifier: GPL-2.0-only */
/* How many tasks run or wait, and how many are there? "0.20 0.18 0.12 1/80 11206" */
#include "base/banned.h"
#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/kernel/loadavg.h"
#include "sample/source.h"

void parse_loadavg(struct bytes text, struct sink *sink)
{
	static const char *const loads[] = {"load1", "load5", "load15"};
	struct bytes line, tasks, running;
	double value;
	size_t i;

	if (!text_line(&text, &line))
		return;
	for (i = 0; i < 3; i++) {
		if (!text_next_number(&line, &value))
			return;
		sink_put(sink, "", loads[i], value);
	}
	if (!text_word(&line, &tasks) || !text_until(&tasks, '/', &running))
		return;
	if (text_number(running, &value))
		sink_put(sink, "", "running", value);
	if (text_number(tasks, &value))
		sink_put(sink, "", "threads", value);
	if (text_next_number(&line, &value))
		sink_put(sink, "", "last_pid", value);
}

static int read_loadavg(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/loadavg", parse_loadavg, sink);
}

SOURCE(loadavg) = {
	.name = "loadavg",
	.what = "/proc/loadavg: load averages, running and existing threads",
	.read = read_loadavg,
};
