/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often does SELinux know a decision already? One file has a line of counters for each CPU
 * below their names; the fields are those names (lookups, hits, misses, allocations, reclaims,
 * frees) and the sums of all lines.
 */
#include "base/banned.h"
#include "base/str.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/kernel/avc.h"

#define COLUMNS 16

/* One line of numbers, all of them or it is not counted. */
static bool avc_add_line(struct bytes line, double *sums, size_t columns)
{
	double values[COLUMNS];
	size_t n = 0;

	while (n < columns && text_next_number(&line, &values[n]))
		n++;
	if (n < columns)
		return false;
	while (n--)
		sums[n] += values[n];
	return true;
}

void parse_avc(struct bytes text, struct sink *sink)
{
	struct bytes head, line, names[COLUMNS];
	double sums[COLUMNS] = {0};
	size_t n = 0, i;

	if (!text_line(&text, &head))
		return;
	while (n < COLUMNS && text_word(&head, &names[n]))
		n++;
	/* A file that was cut is a sum of some CPUs only. */
	while (text_line(&text, &line))
		if (!avc_add_line(line, sums, n))
			return;
	for (i = 0; i < n && !text.len; i++)
		text_put(sink, "", "", names[i], sums[i]);
}

static int read_avc(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/sys/fs/selinux/avc/cache_stats", parse_avc, sink);
}

SOURCE(avc) = {
	.name = "avc",
	.what = "/sys/fs/selinux/avc/cache_stats: decisions of SELinux, known and not",
	.read = read_avc,
};
