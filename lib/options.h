/* SPDX-License-Identifier: GPL-2.0-only */
/* What the person who started the program wants: the options that all commands share. */
#ifndef TUESDAY_OPTIONS_H
#define TUESDAY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Exit status for misuse, so that no wrong option looks like a verdict. */
#define EXIT_MISUSE 64

struct options {
	unsigned int windows;  /* 5, or 1 with --quick */
	double window_seconds; /* 2, or 1 with --quick */
	bool quick, deep, no_trace;
	bool ledger, verbose, quiet;
	enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
	const char *format; /* a writer's name; "text" */
	const char *to;	    /* a file, or NULL for standard output */
	const char *root;   /* "/" */
	const char *replay; /* a recording to read instead of this machine, or NULL */
	const char *record; /* a directory to record into, or NULL */
	const char **dirs; /* -c; the pointers belong to argv, the array is freed by options_free */
	size_t n_dirs;
	bool explain; /* instead of running */
	char **names; /* the operands, inside argv */
	size_t n_names;
};

/*
 * Reads the options of a command. Prints help or the version and returns 1 where these were asked
 * for; prints what is wrong and returns -EINVAL where something is; returns 0 otherwise. usage is
 * the command's first line of help ("tuesday run [CHECK...]"), what its second.
 */
int options_parse(
	struct options *options, int argc, char **argv, const char *usage, const char *what);
void options_free(struct options *options);

#endif
