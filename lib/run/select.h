/* SPDX-License-Identifier: GPL-2.0-only */
/* Which checks are there, which of them does a run judge, and what has to be read for them? */
#ifndef TUESDAY_RUN_SELECT_H
#define TUESDAY_RUN_SELECT_H

#include <stddef.h>

struct check;
struct check_layers;
struct check_names;
struct checks;
struct options;
struct capture;
struct sweep;

/* The layers that the options name, for the checks of these names or, without any, for all. The
 * strings stay those of options and names. */
struct check_layers run_layers(
	const struct options *options, const char *const *names, size_t n_names);

/*
 * Loads the check files of all layers, or only the named ones. Never fails: see checks->n_errors.
 * The caller frees.
 */
struct checks *run_load(const struct options *options, const char *const *names, size_t n_names);

/* The same of what the options name, where of a check that is skipped nothing is wanted but its
 * [check]: selection_bind() reads the rest of the others. */
struct checks *run_load_for_selection(const struct options *options);

/* The names of all checks, of which no file is read: see check_names_of_layers. The caller frees.
 */
void run_load_names(const struct options *options, struct check_names *names);

/* 0 where all names in options are checks, else the exit status, with a message. A refused check is
 * no typing error: its own message is printed. */
int run_check_names(
	const char *program, const struct options *options, const struct checks *checks);

/* The checks of a run. */
struct selection {
	struct check **checks; /* those that are not switched off */
	char **skipped; /* of each, why it has nothing to say of this machine, or NULL; owned */
	bool *unknown;	/* of each that is skipped: it may have, but nobody can tell */
	size_t n;
};

/* Those that are run; skipped has nothing but NULL yet. The checks stay those of checks. */
void selection_make(struct selection *selection, const struct checks *checks);
void selection_free(struct selection *selection);

/*
 * Which checks were loaded that run only where they are named, have something to say of this
 * machine, and are not among those of the run. Returns how many; *names is then the caller's to
 * free, with each name. What is asked becomes a part of a recording.
 */
size_t selection_not_asked(const struct checks *checks, struct capture *fs, char ***names);

/*
 * Asks of each check whether it has anything to say here, instead of what was known. What is asked
 * becomes a part of a recording.
 */
void selection_skip(struct selection *selection, struct capture *fs);

/* Completes and binds those that have: what is only read for the others is not read. */
void selection_bind(struct selection *selection, struct sweep *sweep);

#endif
