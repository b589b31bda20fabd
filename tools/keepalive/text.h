/* SPDX-License-Identifier: GPL-2.0-only */
/* A conclusion for a person. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_TEXT_H
#define TUESDAY_TOOLS_KEEPALIVE_TEXT_H

#include <stdbool.h>

struct conclusion;
struct str;

/* Appends the whole output for a person. picture: a drawing of characters as well. */
void conclusion_write_text(struct str *out, const struct conclusion *answer, bool picture);

#endif
