/* SPDX-License-Identifier: GPL-2.0-only */
/* A story on a terminal. */
#ifndef TUESDAY_TOOLS_REPORT_TEXT_H
#define TUESDAY_TOOLS_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct story;
struct str;

/* For a terminal of so many columns. */
void story_as_text(struct str *out, const struct story *story, bool color, size_t columns);

#endif
