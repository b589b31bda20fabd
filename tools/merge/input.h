/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports wherever they lie: files, folders, standard input; one after the other in a file (NDJSON
 * or not), compressed by gzip or not.
 *
 * Who sends them may be hostile, so what a file costs is bounded: in reports, in bytes unpacked, in
 * refusals, and in bytes that are read twice because what they begin is no report. What is beyond
 * is refused and counted; nothing is left out in silence.
 */
#ifndef TUESDAY_TOOLS_MERGE_INPUT_H
#define TUESDAY_TOOLS_MERGE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

/* Of a file no more refusals than these are told one by one. */
#define REFUSALS_TOLD 20

struct input {
	/* Called for each report; it is forgotten afterwards. folder is what was named to find
	 * the file in, or NULL where the file itself was named. Returns NULL, or why the report is
	 * refused all the same. */
	const char *(*report)(
		void *arg, const char *file, const char *folder, const struct report *report);
	/* Called for what could not be read. number is the report's in its file, from 1 on; 0 is
	 * the file. file is not escaped. */
	void (*refuse)(void *arg, const char *file, size_t number, const char *why);
	/* Called behind a file of which n more were refused than were told. */
	void (*refuse_more)(void *arg, const char *file, size_t n);
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
