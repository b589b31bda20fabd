/* SPDX-License-Identifier: GPL-2.0-only */
/* A conclusion for a program. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_JSON_H
#define TUESDAY_TOOLS_KEEPALIVE_JSON_H

struct conclusion;
struct str;

/* Appends the whole output for a program. */
void conclusion_write_json(struct str *out, const struct conclusion *answer);

#endif
