/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which names are meant? A pattern is a piece of a name: "legacy" is anywhere in it, "^com/x/"
 * begins it, "_lock$" ends it, "*" stands for any bytes, and "|" is between several. A backslash
 * takes the next one as it stands. It is no regular expression: the page (flame.js) has the same
 * few rules, so that a command line that it shows makes the same picture, and no pattern takes
 * long.
 *
 * What says of a frame which kind it is ("_[k]") belongs to its name.
 */
#ifndef TUESDAY_FLAME_PATTERN_H
#define TUESDAY_FLAME_PATTERN_H

#include <stdbool.h>

struct flame_tree;

bool flame_pattern_matches(const char *pattern, const char *name);

/* For each name of a tree whether it matches; NULL for no pattern. The caller frees. */
bool *flame_pattern_names(const struct flame_tree *tree, const char *pattern);

#endif
