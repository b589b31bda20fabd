/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_CPU_JSON_H
#define TUESDAY_TOOLS_CPU_JSON_H

struct cpu_look;
struct str;

/* Appends what a look saw for another program: docs/cpudiagnose.md has the keys, which stay. */
void cpu_json(struct str *out, const struct cpu_look *look);

#endif
