/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of the spans of processes, which can be read whenever its writer is killed. */
#ifndef TUESDAY_TOOLS_SPAN_PROCESSES_FILE_H
#define TUESDAY_TOOLS_SPAN_PROCESSES_FILE_H

#include <stddef.h>
#include <stdint.h>

struct process;
struct processes;

/* A process has ended: its line is written by the next processes_flush(). */
void processes_file_add(struct processes *all, size_t place);

/*
 * Writes the lines of what has ended. What they are within lives still, and has a draft: a line as
 * if it ended now, which is written over again and again, and blanked once the process has its own.
 * So has what lives for a second. Whoever is killed leaves a tree without holes, but for what came
 * since the last call, and at most one line that is cut. Errors are kept in all->failed.
 */
void processes_flush(struct processes *all, uint64_t now_ns);

void processes_file_free(struct processes *all);

#endif
