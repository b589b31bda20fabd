/* SPDX-License-Identifier: GPL-2.0-only */
/* Which check files are there, in which layers? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/diag.h"
#include "check/check.h"
#include "check/defaults.h"
#include "check/layer_files.h"
#include "check/read_file.h"
#include "base/str.h"
#include "sys/file_trust.h"
#include "sys/privileged_call.h"

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

struct layer_names {
	char **list;
	size_t n, room;
};

static int layers_take_entry(void *arg, const char *name, unsigned char type)
{
	struct layer_names *names = arg;

	(void)type;
	if (*name == '.' || !str_ends(name, ".ini"))
		return 0;
	ARRAY_GROW(names->list, names->n, names->room);
	names->list[names->n++] = mem_strdup(name);
	return 0;
}

static int layers_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of its check files, sorted. Returns 0 or -errno. */
static int layers_list(const char *dir, struct layer_names *names)
{
	int fd = privileged_openat(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = privileged_list(fd, layers_take_entry, names);
	close(fd);
	if (names->n)
		qsort(names->list, names->n, sizeof(*names->list), layers_by_name);
	return err;
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
	struct layer_names names = {0};
	size_t i;
	int err;

	/* Who may write to the directory may replace any file in it. */
	if (!obeyed_directory(dir, &why)) {
		complain(&complaints, dir, 0, "not obeyed: %s", str_text(&why));
		checks_note_refused(walk->checks, dir, at);
		str_free(&why);
		return;
	}
	err = layers_list(dir, &names);
	if (err && (err != -ENOENT || must_exist)) {
		complain(&complaints, dir, 0, "%s", strerror(-err));
		checks_note_refused(walk->checks, dir, at);
	}
	for (i = 0; i < names.n; i++) {
		char *path = mem_printf("%s/%s", dir, names.list[i]);

		walk_file(layers, walk, path, &complaints);
		free(path);
		free(names.list[i]);
	}
	free(names.list);
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
