/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where is the memory? The fields are those of /proc/meminfo, in bytes where it says kB.
 * "Active(anon)" is also there as Active_anon, since an expression gives parentheses a meaning.
 */
#include "base/banned.h"
#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/kernel/meminfo.h"
#include "sample/source.h"

static void put_alias(struct sink *sink, struct bytes name, double value)
{
	char alias[64], *open;

	if (!text_cut_end(&name, ")") || !text_copy(name, alias, sizeof(alias)))
		return;
	open = strchr(alias, '(');
	if (!open)
		return;
	*open = '_';
	sink_put(sink, "", alias, value);
}

void parse_meminfo(struct bytes text, struct sink *sink)
{
	struct bytes line, name, unit;
	double value;

	while (text_line(&text, &line)) {
		if (!text_until(&line, ':', &name) || !text_next_number(&line, &value))
			continue;
		if (text_word(&line, &unit)) {
			if (!text_is(unit, "kB"))
				continue;
			value *= 1024;
		}
		text_put(sink, "", "", name, value);
		put_alias(sink, name, value);
	}
}

static int read_meminfo(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/meminfo", parse_meminfo, sink);
}

SOURCE(meminfo) = {
	.name = "meminfo",
	.what = "/proc/meminfo: what memory is used for, in bytes",
	.read = read_meminfo,
};
