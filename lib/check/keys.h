/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The keys that a section of a check file may have, as a table: what a key is called, where its
 * value goes, and how it is read. Whoever adds a key adds a row; what was meant by a misspelt one
 * is told from the same table.
 */
#ifndef TUESDAY_CHECK_KEYS_H
#define TUESDAY_CHECK_KEYS_H

#include <stddef.h>

struct compile;
struct section;
struct setting;
struct key;

/* One key of one section on its way into the thing that the section declares. */
struct key_job {
	struct compile *compile;
	const struct setting *setting;
	const struct key *key;
	void *thing; /* a struct check, metric, trace_spec or experiment */
	void *field; /* the part of it that the row names */
	/* What stands behind the dot of the key: "nvme" of maybe.nvme. NULL without one. */
	const char *rest;
};

struct key {
	const char *name;
	enum key_shape {
		KEY_PLAIN, /* NAME */
		KEY_CLASS, /* NAME, or NAME.CLASS for a class of instances */
		KEY_NAMED, /* NAME.WORD.PART only */
	} shape;
	/* Reads a value, which is not empty; complains where it is wrong. NULL: the section looks
	 * at this key itself, once all are there. */
	void (*take)(const struct key_job *job);
	size_t at;	    /* offset of the field in the thing */
	double above, most; /* for key_take_number: the range */
};

struct keys {
	const struct key *list;
	size_t n;
	/* What is said of a key that has no row; NULL: complain_unknown_key. */
	void (*unknown)(struct compile *compile, const struct setting *setting);
};

/* Takes all keys of a section into thing. */
void compile_keys(struct compile *compile, const struct section *section, const struct keys *keys,
	void *thing);

/* Complains about a key that has no row: "unknown key 'mabe'; did you mean 'maybe'?" */
void complain_unknown_key(
	struct compile *compile, const struct setting *setting, const struct keys *keys);

/* The name in the table that text is nearest to, or NULL. */
const char *key_nearest(const struct keys *keys, const char *text);

/* Takers for fields of the types in brackets. */
void key_take_text(const struct key_job *job);	 /* [const char *] that of the settings */
void key_take_copy(const struct key_job *job);	 /* [char *] a copy, for the thing to free */
void key_take_yes(const struct key_job *job);	 /* [bool] */
void key_take_number(const struct key_job *job); /* [double] above key->above, at most key->most */

#endif
