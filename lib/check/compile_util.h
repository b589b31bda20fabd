/* SPDX-License-Identifier: GPL-2.0-only */
/* What the compilers of sections have in common: complaints, and values that many keys have. */
#ifndef TUESDAY_CHECK_COMPILE_UTIL_H
#define TUESDAY_CHECK_COMPILE_UTIL_H

#include "check/compile.h"

/* What the compilation of one check works on. */
struct compile {
	struct check *check;
	const struct trend_rule *trend; /* of limits that do not say it; NULL: none */
	const struct settings *settings;
	struct complaints *complaints;
	bool only_judged; /* experiments are left out */
};

/*
 * Whether the settings are those of a shipped check as it is: what may stand in a value, and
 * whether all is there and makes sense together, was asked by the project's own tests (tuesday lint
 * reads the text), and is not asked again in each run.
 */
bool compile_trusts(const struct compile *compile);

/* The expression in text, which is a value or a part of one, and the condition that a value is;
 * NULL after a complaint. A trace that they name is one of the same check. */
struct expr *compile_expr(struct compile *compile, const struct setting *setting, const char *text);
struct condition *compile_condition(struct compile *compile, const struct setting *setting);

/* A number with a unit, above one number and at most another; 0 or out of range after a complaint.
 */
double compile_number(
	struct compile *compile, const struct setting *setting, double above, double most);

/* Whether the value is empty; complains if so. */
bool is_empty(struct compile *compile, const struct setting *setting);

/* Complains about each {word} in the value that is not one of these. */
void compile_placeholders(
	struct compile *compile, const struct setting *setting, const char *const *words, size_t n);

/* Complains about text, which should be one of these words; what is what it is, "class". */
void complain_unknown(struct compile *compile, const struct setting *setting, const char *what,
	const char *text, const char *const *words, size_t n);

/* A complaint at the place of a setting. */
void complain_at(struct compile *compile, const struct setting *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends "; did you mean 'WORD'?" if one of the words is near to text. */
void add_suggestion(struct str *out, const char *text, const char *const *words, size_t n);

/* Whether text is a name: a small letter, then small letters, digits and those in also. */
bool is_name(const char *text, const char *also);

/* "yes" or "no"; anything else is complained about. */
bool compile_yes(struct compile *compile, const struct setting *setting);

#endif
