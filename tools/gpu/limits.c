/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers does limits.ini name, and is each of them there once? */
#include "base/banned.h"

#include <errno.h>

#include "base/diag.h"
#include "base/ini.h"
#include "tools/gpu/limits.h"
#include "base/num.h"
#include "base/str.h"

extern const char gpu_limits_ini[], gpu_limits_ini_end[];

#define KEY(section, key) \
	{ \
#section, #key, offsetof(struct gpu_limits, section.key) \
	}

static const struct {
	const char *section, *key;
	size_t offset;
} keys[] = {
	KEY(enough, samples),
	KEY(enough, windows),
	KEY(lost, maybe),
	KEY(lost, unknown),
	KEY(odd, bad_end_flags),
	KEY(odd, saturated),
	KEY(stall, good),
	KEY(stall, much),
	KEY(name, reason),
	KEY(name, instruction),
	KEY(name, other),
};

/* Returns the key's index, or how many there are. */
static size_t index_of(const struct ini_entry *entry)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].section, entry->section) && !strcmp(keys[i].key, entry->key))
			break;
	return i;
}

/* Returns the key's bit, or 0 for what is none. */
static unsigned int gpu_limits_read_entry(struct gpu_limits *limits, const char *file,
	const struct ini_entry *entry, struct complaints *complaints)
{
	const size_t at = index_of(entry);
	double value;
	int n;

	if (!*entry->key)
		return 0;
	n = num_with_unit(entry->value, &value);
	if (at == ARRAY_SIZE(keys))
		complain(complaints, file, entry->line, "[%.40s] has no key '%.40s'",
			entry->section, entry->key);
	else if (n < 0 || entry->value[n])
		complain(complaints, file, entry->line, "'%.40s' is not a number", entry->value);
	else
		*(double *)(void *)((char *)limits + keys[at].offset) = value;
	return at < ARRAY_SIZE(keys) ? 1U << at : 0;
}

int gpu_limits_read(struct gpu_limits *limits, const char *file, const char *text, size_t len,
	struct complaints *complaints)
{
	const size_t before = complaints->n;
	struct inifile *ini = inifile_parse(file, text, len, complaints);
	unsigned int seen = 0;

	if (!ini)
		return -EINVAL;
	for (size_t i = 0; i < inifile_count(ini); i++)
		seen |= gpu_limits_read_entry(limits, file, inifile_entry(ini, i), complaints);
	inifile_free(ini);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!(seen >> i & 1))
			complain(complaints, file, 0, "[%s] lacks '%s'", keys[i].section,
				keys[i].key);
	return complaints->n == before ? 0 : -EINVAL;
}

void gpu_limits_default(struct gpu_limits *limits)
{
	struct complaints none = {0};

	*limits = (struct gpu_limits){0};
	gpu_limits_read(limits, "limits.ini", gpu_limits_ini,
		(size_t)(gpu_limits_ini_end - gpu_limits_ini), &none);
}
