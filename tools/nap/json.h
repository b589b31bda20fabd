/* SPDX-License-Identifier: GPL-2.0-only */
/* How naps stand in JSON: docs/napdiagnose.md has the keys. */
#ifndef TUESDAY_TOOLS_NAP_JSON_H
#define TUESDAY_TOOLS_NAP_JSON_H

struct heatmap_show;
struct nap_report;
struct str;

/* With "map" as heatmap_show_json() has it, unless show is NULL. */
void nap_write_json(
	struct str *out, const struct nap_report *report, const struct heatmap_show *show);

#endif
