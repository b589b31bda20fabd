/* SPDX-License-Identifier: GPL-2.0-only */
/* Which check files are there, in which layers? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>

#include "base/diag.h"
#include "check/check.h"
#include "check/defaults.h"
#include "check/layer_files.h"
#include "check/read_file.h"
#include "base/str.h"
#include "sys/file_trust.h"

extern const struct embedded_check __start_tuesday_checks[] __attribute__((weak));
extern const struct embedded_check __stop_tuesday_checks[] __attribute__((weak));

const struct embedded_check *embedded_check_find(const char *name)
{
	const struct embedded_check *at;

	for (at = __start_tuesday_checks; at != __stop_tuesday_checks; at++)
		if (!strcmp(at->name, name))
			return at;
	return NULL;
}

void checks_note_refused(struct checks *checks, const char *file, size_t at)
{
	const char *why = str_text(checks->errors) + at;
	size_t i;

	for (i = 0; i < checks->n_refused; i++)
		if (!strcmp(checks->refused[i].file, file))
			return;
	ARRAY_GROW(checks->refused, checks->n_refused, checks->room_refused);
	checks->refused[checks->n_refused++] = (struct refused_file){
		.file = mem_strdup(file),
		.why = mem_strndup(why, strcspn(why, "\n")),
	};
}

static bool layer_is_wanted(const struct check_layers *layers, const char *name)
{
	size_t i;

	for (i = 0; i < layers->n_only; i++)
		if (!strcmp(layers->only[i], name))
			return true;
	/* What all checks have, those that are wanted have too. */
	return !layers->n_only || !strcmp(name, DEFAULTS_NAME);
}

static int layers_is_ini(const struct dirent *entry)
{
	return *entry->d_name != '.' && str_ends(entry->d_name, ".ini");
}

static int layers_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void walk_file(const struct check_layers *layers, const struct layer_walk *walk,
	const char *path, struct complaints *complaints)
{
	size_t at = walk->checks->errors->len;
	char *name = check_name_from(path, complaints);

	if (!name)
		checks_note_refused(walk->checks, path, at);
	else if (layer_is_wanted(layers, name))
		walk->file(walk->arg, path, name);
	free(name);
}

static void walk_directory(const struct check_layers *layers, const struct layer_walk *walk,
	const char *dir, bool must_exist)
{
	struct complaints complaints = {.out = walk->checks->errors};
	size_t at = walk->checks->errors->len;
	struct str why = STR_INIT;
	struct dirent **entries;
	int n, i;

	/* Who may write to the directory may replace any file in it. */
	if (!obeyed_directory(dir, &why)) {
		complain(&complaints, dir, 0, "not obeyed: %s", str_text(&why));
		checks_note_refused(walk->checks, dir, at);
		str_free(&why);
		return;
	}
	n = scandir(dir, &entries, layers_is_ini, layers_by_name);
	if (n < 0 && (errno != ENOENT || must_exist)) {
		complain(&complaints, dir, 0, "%s", strerror(errno));
		checks_note_refused(walk->checks, dir, at);
	}
	for (i = 0; i < n; i++) {
		char *path = mem_printf("%s/%s", dir, entries[i]->d_name);

		walk_file(layers, walk, path, &complaints);
		free(path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static void walk_system_directory(
	const struct check_layers *layers, const struct layer_walk *walk, const char *dir)
{
	char *path = mem_printf("%s%s", layers->root ? layers->root : "", dir);

	walk_directory(layers, walk, path, false);
	free(path);
}

void layer_files_each(const struct check_layers *layers, const struct layer_walk *walk)
{
	const struct embedded_check *embedded;
	size_t i;

	for (embedded = __start_tuesday_checks; embedded != __stop_tuesday_checks; embedded++)
		if (layer_is_wanted(layers, embedded->name))
			walk->embedded(walk->arg, embedded);
	if (layers->with_system) {
		walk_system_directory(layers, walk, "/usr/lib/tuesday/checks.d");
		walk_system_directory(layers, walk, "/etc/tuesday/checks.d");
	}
	for (i = 0; i < layers->n_extra; i++)
		walk_directory(layers, walk, layers->extra[i], true);
}
