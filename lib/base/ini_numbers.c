/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers does a file of limits name, and is each of them there once? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "base/ini.h"
#include "base/ini_numbers.h"
#include "base/num.h"

/* Returns the index of the number that an entry is, or n. */
static size_t ini_number_of(
	const struct ini_number *numbers, size_t n, const struct ini_entry *entry)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(numbers[i].section, entry->section) &&
			!strcmp(numbers[i].key, entry->key))
			break;
	return i;
}

int ini_numbers_read(void *to, const struct ini_number *numbers, size_t n, const char *file,
	const char *text, size_t len, struct complaints *complaints)
{
	const size_t before = complaints->n;
	struct inifile *ini = inifile_parse(file, text, len, complaints);
	unsigned int seen = 0;
	size_t i;

	if (!ini)
		return -EINVAL;
	for (i = 0; i < inifile_count(ini); i++) {
		const struct ini_entry *entry = inifile_entry(ini, i);
		const size_t at = ini_number_of(numbers, n, entry);
		double value;
		int taken;

		if (!*entry->key)
			continue;
		taken = num_with_unit(entry->value, &value);
		if (at == n)
			complain(complaints, file, entry->line, "[%.40s] has no key '%.40s'",
				entry->section, entry->key);
		else if (taken < 0 || entry->value[taken])
			complain(complaints, file, entry->line, "'%.40s' is not a number",
				entry->value);
		else
			*(double *)(void *)((char *)to + numbers[at].offset) = value;
		if (at < n)
			seen |= 1U << at;
	}
	inifile_free(ini);
	for (i = 0; i < n; i++)
		if (!(seen >> i & 1))
			complain(complaints, file, 0, "[%s] lacks '%s'", numbers[i].section,
				numbers[i].key);
	return complaints->n == before ? 0 : -EINVAL;
}
