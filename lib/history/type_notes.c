/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is to be invited to an incident of this type, and what should they know? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>

#include "check/check.h"
#include "check/compile.h"
#include "base/diag.h"
#include "base/ini.h"
#include "report/report.h"
#include "base/str.h"
#include "report/incident.h"
#include "history/type_notes.h"
#include "check/settings.h"
#include "check/read_file.h"
#include "sys/caller_env.h"

#define DIRECTORY "/etc/tuesday/types.d"
#define FILES_MAX 1000

static void check_entry(const struct setting *setting, struct complaints *complaints)
{
	const char *type = incident_type_find(setting->section);
	const char *nearest = type ? NULL : incident_type_suggest(setting->section);

	if (!type && !*setting->key)
		complain(complaints, setting->file, setting->line, "there is no type '%s'%s%s%s",
			setting->section, nearest ? "; did you mean '" : "", nearest ? nearest : "",
			nearest ? "'?" : "");
	else if (type && *setting->key && strcmp(setting->key, "invite") != 0 &&
		strcmp(setting->key, "notes") != 0)
		complain(complaints, setting->file, setting->line,
			"unknown key '%s'; known are 'invite' and 'notes'", setting->key);
}

static void type_notes_take_all(struct incident_type *type, const struct settings *settings)
{
	size_t i;

	for (i = 0; i < settings->n; i++) {
		const struct setting *setting = &settings->list[i];
		const char *section = incident_type_find(setting->section);
		char **to = !strcmp(setting->key, "invite") ? &type->invite : &type->notes;

		if (!section || strcmp(section, type->name) != 0 || !*setting->key)
			continue;
		free(*to);
		*to = *setting->value ? mem_strdup(setting->value) : NULL;
	}
}

static int take_settings(
	struct incident_type *type, const struct settings *settings, struct complaints *complaints)
{
	size_t i;

	for (i = 0; i < settings->n; i++)
		check_entry(&settings->list[i], complaints);
	if (complaints->n)
		return -EINVAL;
	type_notes_take_all(type, settings);
	return 0;
}

int type_notes_parse(struct incident_type *type, const char *file, const char *text, size_t len,
	struct complaints *complaints)
{
	struct settings settings = {0};
	int err = -EINVAL;

	if (settings_parse(&settings, file, text, len, complaints))
		err = take_settings(type, &settings, complaints);
	settings_free(&settings);
	return err;
}

static int type_notes_is_ini(const struct dirent *entry)
{
	return *entry->d_name != '.' && str_ends(entry->d_name, ".ini");
}

static void note_file(struct incident_type *type, const char *path)
{
	struct str errors = STR_INIT;
	struct complaints complaints = {.out = &errors};
	struct settings settings = {0};

	if (settings_obey(&settings, path, &complaints) && !complaints.n)
		take_settings(type, &settings, &complaints);
	if (errors.len)
		fputs(str_text(&errors), stderr);
	settings_free(&settings);
	str_free(&errors);
}

void type_notes_note(struct incident_type *type)
{
	const char *dir = caller_env("TUESDAY_TYPES_DIR");
	struct dirent **names = NULL;
	int n, i;

	if (!type->name)
		return;
	dir = dir && *dir ? dir : DIRECTORY;
	n = scandir(dir, &names, type_notes_is_ini, alphasort);
	for (i = 0; i < n; i++) {
		char *path = mem_printf("%s/%s", dir, names[i]->d_name);

		if (i < FILES_MAX)
			note_file(type, path);
		free(path);
		free(names[i]);
	}
	free(names);
}
