/* SPDX-License-Identifier: GPL-2.0-only */
/* When was something, how long did it take, and whose was it? */
#include "base/banned.h"

#include <string.h>

#include "heatmap/number.h"
#include "heatmap/pairs.h"

static const char *pairs_separator(const char *at)
{
	return at + strspn(at, " \t,;");
}

bool pairs_line(void *arg, char *line, size_t len)
{
	struct pairs *pairs = arg;
	struct pair pair = {0};
	const char *at = line + strspn(line, " \t"), *second;

	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		line[--len] = 0;
	if (!*at || *at == '#')
		return true;
	if (heatmap_number(&at, pairs->time_unit_ns, &pair.at_ns)) {
		pairs->unread++;
		return true;
	}
	second = pairs_separator(at);
	if (second == at || heatmap_number(&second, pairs->latency_unit_ns, &pair.latency_ns)) {
		pairs->unread++;
		return true;
	}
	pair.name = pairs_separator(second);
	if (*pair.name && pair.name == second) {
		pairs->unread++;
		return true;
	}
	pairs->read++;
	pairs->each(pairs->arg, &pair);
	return true;
}
