/* SPDX-License-Identifier: GPL-2.0-only */
/* How many CPUs does a list of the kernel name? */
#include "base/banned.h"

#include <string.h>

#include "base/cpulist.h"
#include "base/num.h"

#define CPUS_MAX 65536

/* "0-3" or "8" */
static bool cpulist_count_range(const char **at, const char *end, uint64_t *count)
{
	uint64_t first, last;

	if (num_next(at, end, &first))
		return false;
	last = first;
	if (*at != end && **at == '-') {
		(*at)++;
		if (num_next(at, end, &last))
			return false;
	}
	if (last < first || last >= CPUS_MAX)
		return false;
	*count += last - first + 1;
	return true;
}

bool cpulist_count(const char *text, size_t len, uint64_t *count)
{
	const char *end = memchr(text, '\n', len), *at = text;
	uint64_t n = 0;

	if (!end)
		return false;
	while (at != end) {
		if (!cpulist_count_range(&at, end, &n) || (at != end && *at++ != ','))
			return false;
	}
	*count = n;
	return true;
}
