/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of checks, for those who need no more than that. */
#ifndef TUESDAY_CHECK_NAMES_H
#define TUESDAY_CHECK_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct check_layers;
struct checks;

struct check_names {
	char **list; /* sorted, each once */
	size_t n, room;
};

/*
 * The checks that any layer has a file for. No file is opened: one that would be refused, or that
 * only switches off what is not there, has a name too. The caller frees.
 */
void check_names_of_layers(struct check_names *names, const struct check_layers *layers);
/* Those that were loaded. */
void check_names_of_checks(struct check_names *names, const struct checks *checks);
void check_names_free(struct check_names *names);

bool check_names_have(const struct check_names *names, const char *name);

/* Says on standard error that none has this name, and which was meant. */
void check_names_unknown(const struct check_names *names, const char *program, const char *name);

#endif
