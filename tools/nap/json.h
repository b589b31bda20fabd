/* SPDX-License-Identifier: GPL-2.0-only */
/* How naps stand in JSON: docs/napdiagnose.md has the keys. */
#ifndef TUESDAY_TOOLS_NAP_JSON_H
#define TUESDAY_TOOLS_NAP_JSON_H

struct nap_report;
struct str;

void nap_write_json(struct str *out, const struct nap_report *report);

#endif
