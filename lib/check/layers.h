/* SPDX-License-Identifier: GPL-2.0-only */
/* The check files of all layers, from the files that are linked in to those of -c DIR. */
#ifndef TUESDAY_CHECK_LAYERS_H
#define TUESDAY_CHECK_LAYERS_H

#include <stdbool.h>
#include <stddef.h>

struct check;
struct str;
struct sweep;

/* A check file that is linked in, as embed/pack.c wrote it. */
struct embedded_check {
	const char *name;
	const char *start;
	const char *end;
};

/* The directories of the layers. extra is each -c DIR, lowest first. root is a prefix for the
 * system directories (tests), "" or NULL usually. */
struct check_layers {
	const char *root;
	const char *const *extra;
	size_t n_extra;
	bool with_system;	 /* read /usr/lib and /etc too */
	const char *const *only; /* the only checks to read, or NULL for all */
	size_t n_only;
	const char *const *asked; /* those that somebody named, among all that are read */
	size_t n_asked;
};

/*
 * Reads all checks of all layers. A file that is wrong is refused as a whole with messages in
 * errors; what the layers below say stays in force, and the other checks are there. Only references
 * that are in force are interned in sweep. Never fails; the caller frees.
 */
struct checks *checks_load(struct sweep *sweep, const struct check_layers *layers);
/* Reads one file as a whole check of its own, for `tuesday check FILE` and lint: it still overrides
 * an embedded check of that name. Returns NULL with messages in errors, one a line. */
struct check *check_read_file(struct sweep *sweep, const char *path, struct str *errors);
/* The same from memory, without layers: for tests and fuzzing. */
struct check *check_parse(
	struct sweep *sweep, const char *name, const char *text, size_t len, struct str *errors);

#endif
