/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports wherever they lie: files, folders, standard input; one after the other in a file (NDJSON
 * or not), compressed by gzip or not.
 */
#ifndef TUESDAY_TOOLS_MERGE_INPUT_H
#define TUESDAY_TOOLS_MERGE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

struct input {
	/* Called for each report; it is forgotten afterwards. */
	void (*report)(void *arg, const struct report *report);
	/* Called for what could not be read. number is the report's in its file, from 1 on; 0 is
	 * the file. file is not escaped. */
	void (*refuse)(void *arg, const char *file, size_t number, const char *why);
	/* Whether to stop early. */
	bool (*stop)(void *arg);
	void *arg;
};

struct inputs;

struct inputs *inputs_new(const struct input *input);
void inputs_free(struct inputs *inputs);

/* Reads a file, what is below a folder (*.json, *.ndjson, *.jsonl, also with .gz behind), or
 * standard input for "-". */
void inputs_read(struct inputs *inputs, const char *path);

/* The same from memory, as a file of that name. */
void inputs_read_text(struct inputs *inputs, const char *name, const char *text, size_t len);

#endif
