/* SPDX-License-Identifier: GPL-2.0-only */
/* Which bytes are a check file in the program, and which keys are these bytes? */
#include "base/banned.h"

#include <stdint.h>

#include "base/ini.h"
#include "base/str.h"
#include "check/packed.h"
#include "check/settings.h"

static void put_number(struct str *out, size_t number, size_t bytes)
{
	for (; bytes; bytes--, number >>= 8)
		str_addc(out, (char)(number & 0xff));
}

/* An INI file has no longer names and values, nor more of them, than these bytes can say. */
static void put_entry(struct str *out, const struct ini_entry *entry)
{
	const char *value = *entry->key ? entry->value : entry->section;
	size_t key_len = strlen(entry->key), value_len = strlen(value);

	put_number(out, (size_t)entry->line, 2);
	put_number(out, key_len, 1);
	put_number(out, value_len, 2);
	str_addn(out, entry->key, key_len + 1);
	str_addn(out, value, value_len + 1);
}

bool packed_write(struct str *out, const struct inifile *ini)
{
	size_t n = inifile_count(ini), first = 0, i;

	while (first < n && !strcmp(inifile_entry(ini, first)->section, "check"))
		first++;
	put_number(out, n, 2);
	put_number(out, first, 2);
	for (i = 0; i < n; i++)
		put_entry(out, inifile_entry(ini, i));
	return first && inifile_entry(ini, n - 1)->line <= UINT16_MAX;
}

static size_t take_number(const char **at, size_t bytes)
{
	const unsigned char *from = (const unsigned char *)*at;
	size_t number = from[0];

	if (bytes > 1)
		number |= (size_t)from[1] << 8;
	*at += bytes;
	return number;
}

void settings_from_packed(
	struct settings *settings, const char *packed, const char *file, bool whole)
{
	size_t all = take_number(&packed, 2), first = take_number(&packed, 2);
	const char *section = "";
	size_t key_len, value_len;

	settings->shipped = true;
	settings->room = whole ? all : first;
	settings->list = mem_realloc_array(NULL, settings->room, sizeof(*settings->list));
	while (settings->n < settings->room) {
		struct setting *setting = &settings->list[settings->n++];

		setting->file = file;
		setting->line = (int)take_number(&packed, 2);
		key_len = take_number(&packed, 1);
		value_len = take_number(&packed, 2);
		setting->key = packed;
		setting->value = packed + key_len + 1;
		if (!key_len) {
			section = setting->value;
			setting->value = setting->key;
		}
		setting->section = section;
		packed += key_len + value_len + 2;
	}
}
