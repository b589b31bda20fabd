/* SPDX-License-Identifier: GPL-2.0-only */
/* Who uses which engine, and how much memory. */
#ifndef TUESDAY_SOURCES_GPU_USAGE_H
#define TUESDAY_SOURCES_GPU_USAGE_H

#include <stdbool.h>

#include "capture/capture.h"

struct gpu_model;

/* Adds what one client, or the PMU, used in a scan, from the words behind "use". */
void gpu_model_add_use(struct gpu_model *model, struct bytes words);
void gpu_model_add_memory(struct gpu_model *model, struct bytes words);
/* Forgets the memory that the stream has told of: a scan tells all anew. */
void gpu_model_forget_memories(struct gpu_model *model, bool nvidia);
/* At the end of a round that had a scan: what was busy since the one before. */
void gpu_model_finish_scan(struct gpu_model *model, bool nvidia);

#endif
