/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a number is probably counted in, told by its name: a hint for who writes a check, never used
 * for a verdict.
 */
#ifndef TUESDAY_EXPR_UNIT_GUESS_H
#define TUESDAY_EXPR_UNIT_GUESS_H

struct expr;
struct str;

/* "ms", "bytes", "pages" … for a field of a source ("" where the name does not tell). key is as in
 * source:key, or a path for the source "path". */
const char *unit_hint(const char *source, const char *key);

/* The same for a whole expression: "bytes/s", "ratio". Appends nothing where it cannot be told. */
void unit_hint_expr(struct str *out, const struct expr *expr);

#endif
