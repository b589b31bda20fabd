/* SPDX-License-Identifier: GPL-2.0-only */
/* How naps are told to people. */
#ifndef TUESDAY_TOOLS_NAP_TEXT_H
#define TUESDAY_TOOLS_NAP_TEXT_H

struct nap_report;
struct str;

void nap_write_text(struct str *out, const struct nap_report *report);

#endif
