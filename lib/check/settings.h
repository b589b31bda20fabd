/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys of check files, laid over each other layer by layer, and their sections. */
#ifndef TUESDAY_CHECK_SETTINGS_H
#define TUESDAY_CHECK_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

struct inifile;

/* An effective key and the place that it came from. */
struct setting {
	const char *section, *key, *value;
	const char *file;
	int line;
};

/*
 * Keys with the places that they came from. The keys of a section stand together, behind its
 * header, which is a setting with the key "". Their strings are owned by all of them together:
 * there are so many that one by one they would cost more than all else that is done with them.
 */
struct settings {
	struct setting *list;
	size_t n, room;
	char **texts; /* the memory of the strings */
	size_t n_texts, room_texts;
	/* As they were linked in: whether they make sense together was asked by the project's own
	 * tests. Nothing that is merged is. */
	bool shipped;
};

/* The entries of an INI file, as they are; takes over its strings. */
void settings_from(struct settings *settings, struct inifile *ini, const char *file);

/*
 * Lays the settings of a higher layer over those of the lower ones, key by key. An empty value
 * takes the key away; without its value a metric goes as a whole. On an empty base nothing is taken
 * away: there an empty value is a mistake, left for check_compile to find.
 */
void settings_merge(struct settings *base, const struct settings *layer);
void settings_free(struct settings *settings);

/* A section among the settings: a slice of them, its header first. */
struct section {
	const struct setting *list;
	size_t n;
	const char *kind; /* "metric"; a word of list[0].section, not terminated there */
	size_t kind_len;
	const char *name; /* "runq_seconds", or "" */
};

/* The section that begins at setting number at, which is a header. */
struct section section_at(const struct settings *settings, size_t at);
bool section_is(const struct section *section, const char *kind);
/* The setting of a key, or NULL. */
const struct setting *section_find(const struct section *section, const char *key);
/* The same or, for a message about a key that may be missing, the header. */
const struct setting *section_place(const struct section *section, const char *key);

/* Whether the settings switch the check off; asked: somebody named it, which switches on what is
 * enabled = named. */
bool settings_are_off(const struct settings *settings, bool asked);

#endif
