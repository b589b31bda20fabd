/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said alike of what runs and of what waits. */
#ifndef TUESDAY_TOOLS_CPU_WORDS_H
#define TUESDAY_TOOLS_CPU_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct cpu_look;
struct str;

/* Appends a frame without what says its kind, escaped. */
void cpu_words_frame(struct str *out, const char *frame, size_t columns);
/* Of the look's whole weight. */
double cpu_words_percent(const struct cpu_look *look, uint64_t weight);
/* "spin (pid 1234)" */
void cpu_words_process(struct str *out, const char *comm, uint32_t pid);
/* A weight as time of a CPU, or of waiting. */
void cpu_words_time(struct str *out, const struct cpu_look *look, uint64_t weight);
/* The lines of who, where there are several, and of what is to be doubted. */
void cpu_words_who(struct str *out, const struct cpu_look *look);
void cpu_words_doubts(struct str *out, const struct cpu_look *look);
/* "3 samples (0.4 %) were lost" */
void cpu_words_lost(struct str *out, const struct cpu_look *look);

#endif
