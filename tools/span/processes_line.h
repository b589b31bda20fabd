/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_SPAN_PROCESSES_LINE_H
#define TUESDAY_TOOLS_SPAN_PROCESSES_LINE_H

#include <stdint.h>

struct process;
struct processes;
struct str;

/* Appends the line of a process; of one that lives, as if it ended now. */
void processes_line(
	struct processes *all, struct process *process, uint64_t now_ns, struct str *line);

#endif
