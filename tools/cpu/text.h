/* SPDX-License-Identifier: GPL-2.0-only */
/* Which function takes the CPU time, in words: the sentence first. */
#ifndef TUESDAY_TOOLS_CPU_TEXT_H
#define TUESDAY_TOOLS_CPU_TEXT_H

struct cpu_look;
struct str;

void cpu_text(struct str *out, const struct cpu_look *look);

#endif
