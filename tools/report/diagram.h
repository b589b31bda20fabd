/* SPDX-License-Identifier: GPL-2.0-only */
/* The system as a diagram. */
#ifndef TUESDAY_TOOLS_REPORT_DIAGRAM_H
#define TUESDAY_TOOLS_REPORT_DIAGRAM_H

struct story;
struct str;

/* Appends the system, with its lights, or nothing. */
void page_diagram(struct str *out, const struct story *story);

#endif
