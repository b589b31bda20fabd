/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What people said about the types of runs: types.jsonl in the state directory, one JSON object a
 * line, to which lines are only ever added. Reports are never touched. A writer that is killed
 * leaves a line that is not whole, which readers pass over and count, and the next begins a new
 * one.
 */
#ifndef TUESDAY_HISTORY_RETYPES_H
#define TUESDAY_HISTORY_RETYPES_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* A larger file takes no more lines; of a line no more than this is read. */
#define RETYPES_MAX_BYTES (4 << 20)
#define RETYPES_LINE_MAX 8192
/* Longer texts are refused by who asks for them. */
#define RETYPES_REASON_MAX 500
#define RETYPES_REF_MAX 100

struct retype_entry {
	char *run;	 /* the report's id */
	uint64_t number; /* of the run in the history */
	char *key; /* of its condition (report/incident_key.h), or "" where nothing was accused */
	const char *derived; /* by the rules then, or NULL for none */
	const char *type;    /* what the person says */
	char *by, *reason;
	char *ref; /* or NULL */
	time_t time;
};

struct retypes {
	struct retype_entry *list; /* the oldest first */
	size_t n, room;
	size_t damaged; /* lines that cannot be read */
};

/* dir NULL is the usual state directory. Returns 0, also where there is no file; -EPERM for a file
 * of somebody else's, or one that others may write to; or -errno. */
int retypes_load(struct retypes *out, const char *dir);
void retypes_free(struct retypes *log);

/* Adds a line that is on the disk when this returns, or is not there at all. Returns 0, -EPERM as
 * above, -EFBIG where the file is full, or -errno. */
int retypes_add(const char *dir, const struct retype_entry *word);

/* The pure part, for tests. Text of whatever kind gives what can be read of it. */
void retypes_parse(struct retypes *out, const char *text, size_t len);

#endif
