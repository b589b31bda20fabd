/* SPDX-License-Identifier: GPL-2.0-only */
/* Which keys are in force when several layers speak about one check? */
#include "base/banned.h"

#include "check/compile.h"
#include "base/ini.h"
#include "base/str.h"
#include "check/settings.h"

/* Takes over the text, which lives as long as the settings. */
static const char *own(struct settings *settings, char *text)
{
	ARRAY_GROW(settings->texts, settings->n_texts, settings->room_texts);
	settings->texts[settings->n_texts++] = text;
	return text;
}

static const char *settings_add_text(char **room, const char *text)
{
	const char *copy = *room;

	*room = stpcpy(*room, text) + 1;
	return copy;
}

static struct setting settings_copy_of(struct settings *owner, const struct setting *setting)
{
	char *room = mem_alloc(strlen(setting->section) + strlen(setting->key) +
		strlen(setting->value) + strlen(setting->file) + 4);

	own(owner, room);
	return (struct setting){
		.section = settings_add_text(&room, setting->section),
		.key = settings_add_text(&room, setting->key),
		.value = settings_add_text(&room, setting->value),
		.file = settings_add_text(&room, setting->file),
		.line = setting->line,
	};
}

/* Strings that are not the settings' own must be made so by the caller. */
static void settings_place_at(struct settings *settings, size_t at, const struct setting *setting)
{
	ARRAY_GROW(settings->list, settings->n, settings->room);
	memmove(&settings->list[at + 1], &settings->list[at],
		(settings->n - at) * sizeof(*settings->list));
	settings->list[at] = *setting;
	settings->n++;
}

static void settings_insert(struct settings *settings, size_t at, const struct setting *setting)
{
	const struct setting copy = settings_copy_of(settings, setting);

	settings_place_at(settings, at, &copy);
}

/* Its strings stay until all go. */
static void take_away(struct settings *settings, size_t at)
{
	settings->n--;
	memmove(&settings->list[at], &settings->list[at + 1],
		(settings->n - at) * sizeof(*settings->list));
}

void settings_from(struct settings *settings, struct inifile *ini, const char *file)
{
	const char *own_file = own(settings, mem_strdup(file));
	size_t i;

	own(settings, inifile_take_text(ini));
	for (i = 0; i < inifile_count(ini); i++) {
		const struct ini_entry *entry = inifile_entry(ini, i);
		const struct setting setting = {
			entry->section, entry->key, entry->value, own_file, entry->line};

		settings_place_at(settings, settings->n, &setting);
	}
}

/* Where the section of that name begins and ends; both are n where it is not there. */
static size_t settings_find_section(const struct settings *settings, const char *name, size_t *end)
{
	size_t begin, i;

	for (begin = 0; begin < settings->n; begin++)
		if (!strcmp(settings->list[begin].section, name))
			break;
	for (i = begin; i < settings->n && !strcmp(settings->list[i].section, name); i++)
		;
	*end = i;
	return begin;
}

/* A metric without a value is none: so this is how a layer takes one away. */
static void remove_key(struct settings *base, size_t begin, size_t at, size_t end)
{
	if (!strcmp(base->list[at].key, "value") && str_starts(base->list[at].section, "metric ")) {
		while (end > begin)
			take_away(base, --end);
		return;
	}
	take_away(base, at);
}

/* A key of a section that the base does not have, or has no more. */
static void insert_section(struct settings *base, const struct setting *first)
{
	struct setting header = *first;

	header.key = "";
	header.value = "";
	settings_insert(base, base->n, &header);
	settings_insert(base, base->n, first);
}

static void merge_one(struct settings *base, const struct setting *setting)
{
	size_t end, begin = settings_find_section(base, setting->section, &end), at;

	for (at = begin; at < end; at++)
		if (!strcmp(base->list[at].key, setting->key))
			break;
	if (!*setting->key) {
		if (begin == end)
			settings_insert(base, end, setting);
	} else if (*setting->value && at < end) {
		base->list[at] = settings_copy_of(base, setting);
	} else if (*setting->value && begin == end) {
		insert_section(base, setting);
	} else if (*setting->value) {
		settings_insert(base, end, setting);
	} else if (at < end) {
		remove_key(base, begin, at, end);
	}
}

void settings_merge(struct settings *base, const struct settings *layer)
{
	bool is_first = base->n == 0;
	size_t i;

	base->shipped = false;
	for (i = 0; i < layer->n; i++) {
		if (is_first)
			settings_insert(base, base->n, &layer->list[i]);
		else
			merge_one(base, &layer->list[i]);
	}
}

void settings_free(struct settings *settings)
{
	size_t i;

	for (i = 0; i < settings->n_texts; i++)
		free(settings->texts[i]);
	free(settings->texts);
	free(settings->list);
	*settings = (struct settings){0};
}

struct section section_at(const struct settings *settings, size_t at)
{
	struct section section = {.list = &settings->list[at]};
	const char *name = section.list->section;

	while (at + section.n < settings->n &&
		(section.list[section.n].section == name ||
			!strcmp(section.list[section.n].section, name)))
		section.n++;
	section.kind = name;
	section.kind_len = strcspn(name, " ");
	section.name = name + section.kind_len + (name[section.kind_len] == ' ');
	return section;
}

bool section_is(const struct section *section, const char *kind)
{
	return strlen(kind) == section->kind_len && !memcmp(kind, section->kind, section->kind_len);
}

const struct setting *section_find(const struct section *section, const char *key)
{
	size_t i;

	for (i = 1; i < section->n; i++)
		if (str_same(section->list[i].key, key))
			return &section->list[i];
	return NULL;
}

const struct setting *section_place(const struct section *section, const char *key)
{
	const struct setting *found = section_find(section, key);

	return found ? found : section->list;
}

bool settings_are_off(const struct settings *settings, bool asked)
{
	size_t i;

	for (i = 0; i < settings->n; i++) {
		const struct setting *setting = &settings->list[i];

		if (!strcmp(setting->section, "check") && !strcmp(setting->key, "enabled"))
			return !strcmp(setting->value, "no") ||
				(!asked &&
					(!strcmp(setting->value, "named") ||
						!strcmp(setting->value, "given")));
	}
	return false;
}
