/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Did packets wait or get lost before the protocols saw them? One line a CPU, in hexadecimal and
 * without names. The CPU's number is in column 13 since Linux 5.10, where the backlog is too;
 * before that a line is that of the n-th CPU that was online.
 */
#include "base/banned.h"

#include <stdio.h>

#include "sources/common/cpu_node.h"
#include "base/num.h"
#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/net/softnet.h"
#include "sample/source.h"

enum { CPU_COLUMN = 12, COLUMNS = 15 };

/* By column; those without a name are zero nowadays, or not for us. */
static const char *const names[COLUMNS] = {"processed", "dropped", "time_squeeze", NULL, NULL, NULL,
	NULL, NULL, "cpu_collision", "received_rps", "flow_limit", "backlog_len", NULL,
	"input_qlen", "process_qlen"};

static void put_cpu(struct sink *sink, unsigned int number, struct bytes line)
{
	const char *at = line.data, *end = line.data + line.len;
	uint64_t v[COLUMNS];
	char cpu[32];
	size_t n = 0, i;

	while (n < COLUMNS && !num_next_hex(&at, end, &v[n]))
		n++;
	if (n > CPU_COLUMN)
		number = (unsigned int)v[CPU_COLUMN];
	snprintf(cpu, sizeof(cpu), "cpu%u", number);
	for (i = 0; i < n; i++)
		if (names[i])
			sink_put(sink, cpu, names[i], (double)v[i]);
}

void parse_softnet(struct bytes text, struct sink *sink)
{
	struct bytes line;
	unsigned int number = 0;

	while (text_line(&text, &line))
		put_cpu(sink, number++, line);
}

static int read_softnet(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/net/softnet_stat", parse_softnet, sink);
}

SOURCE(softnet) = {
	.name = "net/softnet_stat",
	.what = "/proc/net/softnet_stat: packets received by each CPU, and lost there",
	.read = read_softnet,
	.groups = "node",
	.group_of = cpu_node_group_of,
};
