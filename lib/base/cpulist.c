/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs does a list of the kernel name, and how many? */
#include "base/banned.h"

#include <string.h>

#include "base/cpulist.h"
#include "base/num.h"

#define CPUS_MAX 65536

/* "0-3" or "8", and the comma behind it. */
static bool cpulist_take_range(const char **at, const char *end, uint64_t *first, uint64_t *last)
{
	if (num_next(at, end, first))
		return false;
	*last = *first;
	if (*at != end && **at == '-') {
		(*at)++;
		if (num_next(at, end, last))
			return false;
	}
	if (*last < *first || *last >= CPUS_MAX)
		return false;
	return *at == end || *(*at)++ == ',';
}

bool cpulist_count(const char *text, size_t len, uint64_t *count)
{
	const char *end = memchr(text, '\n', len), *at = text;
	uint64_t n = 0, first, last;

	if (!end)
		return false;
	while (at != end) {
		if (!cpulist_take_range(&at, end, &first, &last))
			return false;
		n += last - first + 1;
	}
	*count = n;
	return true;
}

bool cpulist_has(const char *text, size_t len, uint64_t number)
{
	const char *end = memchr(text, '\n', len), *at = text;
	uint64_t first, last;

	while (end && at != end && cpulist_take_range(&at, end, &first, &last))
		if (first <= number && number <= last)
			return true;
	return false;
}
