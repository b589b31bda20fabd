/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_CPU_WAITS_TEXT_H
#define TUESDAY_TOOLS_CPU_WAITS_TEXT_H

struct cpu_look;
struct str;

/* Appends where it waits, and who ended that. */
void cpu_waits_text(struct str *out, const struct cpu_look *look);

#endif
