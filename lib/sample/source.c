/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sources are linked into this program? */
#include "base/banned.h"

#include "base/culprit.h"
#include "base/suggest.h"
#include "sample/source.h"
#include "base/str.h"

/* Weak, since a program without any source (a unit test) has no such section. */
extern const struct source *const __start_tuesday_sources[] __attribute__((weak));
extern const struct source *const __stop_tuesday_sources[] __attribute__((weak));

void source_each(void (*each)(void *arg, const struct source *source), void *arg)
{
	const struct source *const *at;

	for (at = __start_tuesday_sources; at < __stop_tuesday_sources; at++)
		each(arg, *at);
}

struct source_names {
	const char **list;
	size_t n, room;
};

static void source_add_name(void *arg, const struct source *source)
{
	struct source_names *names = arg;

	ARRAY_GROW(names->list, names->n, names->room);
	names->list[names->n++] = source->name;
}

static const char *nearest_source(const char *name)
{
	struct source_names names = {0};
	const char *nearest;

	source_each(source_add_name, &names);
	nearest = suggest(name, names.list, names.n);
	free(names.list);
	return nearest;
}

bool source_is_known(const char *name, struct str *error)
{
	const char *near;

	if (source_find(name))
		return true;
	near = nearest_source(name);
	str_addf(error, "unknown source '%s'", name);
	if (near)
		str_addf(error, "; did you mean '%s'?", near);
	return false;
}

const struct source *source_find(const char *name)
{
	const struct source *const *at;

	if (*name == '/')
		name = "path";
	for (at = __start_tuesday_sources; at < __stop_tuesday_sources; at++)
		if (str_same((*at)->name, name))
			return *at;
	return NULL;
}

#define KINDS_MAX 16

/* The words of a list, in place. */
static size_t split_kinds(char *list, const char **words)
{
	char *rest = list, *word;
	size_t n = 0;

	while (n < KINDS_MAX && (word = strsep(&rest, " ")))
		if (*word)
			words[n++] = word;
	return n;
}

bool source_has_group(const char *name, const char *kind, struct str *error)
{
	const struct source *source = source_find(name);
	char *list = mem_strdup(source && source->groups ? source->groups : "");
	const char *words[KINDS_MAX], *near;
	size_t n = split_kinds(list, words), i;
	bool found = false;

	for (i = 0; i < n; i++)
		found |= !strcmp(words[i], kind);
	near = found ? NULL : suggest(kind, words, n);
	if (!found && !n)
		str_addf(error, "the instances of %s are in no groups",
			source ? source->name : name);
	else if (!found)
		str_addf(error, "%s has no groups by '%s'", source->name, kind);
	if (near)
		str_addf(error, "; did you mean '%s'?", near);
	else if (!found && n)
		str_addf(error, "; it has %s", source->groups);
	free(list);
	return found;
}

bool source_device_culprit(struct capture *fs, void *state, const char *device, struct culprit *out)
{
	(void)fs;
	(void)state;
	snprintf(out->kind, sizeof(out->kind), "device");
	snprintf(out->name, sizeof(out->name), "%s", device);
	return true;
}
