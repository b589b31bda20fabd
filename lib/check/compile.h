/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the keys of a check's files to a check: what settings.c, checkfile.c, checkmetric.c and
 * layers.c share. Everybody else includes check.h.
 */
#ifndef TUESDAY_CHECKFILE_H
#define TUESDAY_CHECKFILE_H

#include "check/check.h"
#include "base/diag.h"

struct inifile;

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
};

/* The entries of an INI file, as they are; takes over its strings. */
void settings_from(struct settings *settings, struct inifile *ini, const char *file);

/* The entries of a check file as embed/pack.c wrote them, which stay where they are. */
void settings_from_packed(
	struct settings *settings, const char *at, const char *end, const char *file);

/* The same from text, and from a file, which may be refused: /dev/null and an empty file are a
 * check that is off. Both return false after complaints. */
bool settings_parse(struct settings *settings, const char *file, const char *text, size_t len,
	struct complaints *complaints);
bool settings_read(struct settings *settings, const char *path, struct complaints *complaints);

/* The name of the check in the name of its file: "reclaim" for "/etc/…/reclaim.ini". The caller
 * frees; NULL after a complaint. */
char *check_name_from(const char *path, struct complaints *complaints);

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

/*
 * Makes a check of settings that are complete. References are interned in sweep; those of a check
 * that is switched off (see settings_are_off) are not, and neither metrics nor traces are kept of
 * it. Takes over the settings, which are empty then. Returns NULL after complaints, each at the
 * place that its key came from.
 */
struct check *check_compile(struct sweep *sweep, const char *name, bool asked,
	struct settings *settings, struct complaints *complaints);

/* What the compilation of one check works on. */
struct compile {
	struct check *check;
	struct sweep *sweep;
	const struct settings *settings;
	struct complaints *complaints;
};

/* Compiles one [metric NAME] and adds it to the check, whether it is right or not. */
void compile_metric(struct compile *compile, const struct section *section);

/* The same for one [experiment NAME]. */
void compile_experiment(struct compile *compile, const struct section *section);

/* The expression in text, which is a value or a part of one, and the condition that a value is;
 * NULL after a complaint. A trace that they name is one of the same check. */
struct expr *compile_expr(struct compile *compile, const struct setting *setting, const char *text);
struct condition *compile_condition(struct compile *compile, const struct setting *setting);

/* A number with a unit, above one number and at most another; 0 or out of range after a complaint.
 */
double compile_number(
	struct compile *compile, const struct setting *setting, double above, double most);

/* Complains about each {word} in the value that is not one of these. */
void compile_placeholders(
	struct compile *compile, const struct setting *setting, const char *const *words, size_t n);

/* Complains about a key that nobody knows. */
void complain_unknown_key(
	struct compile *compile, const struct setting *setting, const char *const *words, size_t n);

/* A complaint at the place of a setting. */
void complain_at(struct compile *compile, const struct setting *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends "; did you mean 'WORD'?" if one of the words is near to text. */
void add_suggestion(struct str *out, const char *text, const char *const *words, size_t n);

/* Whether text is a name: a small letter, then small letters, digits and those in also. */
bool is_name(const char *text, const char *also);

/* "yes" or "no"; anything else is complained about. */
bool compile_yes(struct compile *compile, const struct setting *setting);

void metric_free(struct metric *metric);

#endif
