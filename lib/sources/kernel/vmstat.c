/* SPDX-License-Identifier: GPL-2.0-only */
/* How often did memory management do what? The fields are those of /proc/vmstat. */
#include "base/banned.h"
#include "sources/common/parse_text.h"
#include "sources/kernel/vmstat.h"
#include "sample/source.h"

void parse_vmstat(struct bytes text, struct sink *sink)
{
	text_put_pairs(text, sink, "", "");
}

static int read_vmstat(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/vmstat", parse_vmstat, sink);
}

SOURCE(vmstat) = {
	.name = "vmstat",
	.what = "/proc/vmstat: events and pages of memory management",
	.read = read_vmstat,
};
