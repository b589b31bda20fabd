/* SPDX-License-Identifier: GPL-2.0-only */
/* How a nudge is asked for, and its answer told. */
#ifndef TUESDAY_TOOLS_NUDGE_TEXT_H
#define TUESDAY_TOOLS_NUDGE_TEXT_H

struct nudging;
struct str;

/* Appends what will be done, for a person to say yes to. */
void nudging_describe(const struct nudging *nudging, struct str *out);

/* Appends the answer. */
void nudging_write_text(struct str *out, const struct nudging *nudging);
void nudging_write_json(struct str *out, const struct nudging *nudging);

#endif
