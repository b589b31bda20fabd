/* SPDX-License-Identifier: GPL-2.0-only */
/* A fleet for programs. */
#ifndef TUESDAY_TOOLS_MERGE_JSON_H
#define TUESDAY_TOOLS_MERGE_JSON_H

struct fleet;
struct str;

/* One object, schema "tuesday-merge/1": docs/json.md. */
void fleet_as_json(struct str *out, const struct fleet *fleet);

#endif
