/* SPDX-License-Identifier: GPL-2.0-only */
/* Which check files there are, in which layers. Nothing is read of them here. */
#ifndef TUESDAY_CHECK_LAYER_FILES_H
#define TUESDAY_CHECK_LAYER_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct checks;

/* A check file that is linked in. */
struct embedded_check {
	const char *name;
	const char *file;   /* for messages: there is no such file */
	const char *packed; /* see check/packed.h */
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
	bool parts_later; /* of shipped checks only [check]: see check_complete() */
};

/* What is done with each check that is linked in and with each file. name is that of its check;
 * both strings are gone after the call. */
struct layer_walk {
	/* Gets a message for a directory that may not be believed or cannot be read, and for a file
	 * whose name is no check's. */
	struct checks *checks;
	void (*embedded)(void *arg, const struct embedded_check *embedded);
	void (*file)(void *arg, const char *path, const char *name);
	void *arg;
};

/* Walks over all layers, the lowest first, and in each by name. Of layers->only, if it is there,
 * and of nothing else. */
void layer_files_each(const struct check_layers *layers, const struct layer_walk *walk);

/* The check of that name that is linked in, or NULL. */
const struct embedded_check *embedded_check_find(const char *name);

/* Counts a file or directory as refused, once; of the messages, those from at on are about it. */
void checks_note_refused(struct checks *checks, const char *file, size_t at);

#endif
