/* SPDX-License-Identifier: GPL-2.0-only */
/* The check files of all layers, from the files that are linked in to those of -c DIR. */
#ifndef TUESDAY_CHECK_LAYERS_H
#define TUESDAY_CHECK_LAYERS_H

#include <stddef.h>

#include "check/layer_files.h"

struct check;
struct str;

/*
 * Reads all checks of all layers. A file that is wrong is refused as a whole with messages in
 * errors; what the layers below say stays in force, and the other checks are there. No source is
 * asked for anything: see check_bind. Never fails; the caller frees.
 */
struct checks *checks_load(const struct check_layers *layers);

/* Reads one file as a whole check of its own: it still overrides an embedded check of that name.
 * Returns NULL with messages in errors, one a line. What is only looked at, by lint, may be
 * anybody's; what is run must be a file that this process obeys (sys/file_trust.h). */
struct check *check_read_file(const char *path, struct str *errors);
struct check *check_obey_file(const char *path, struct str *errors);
/* The same from memory, without layers: for tests and fuzzing. */
struct check *check_parse(const char *name, const char *text, size_t len, struct str *errors);

#endif
