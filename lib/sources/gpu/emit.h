/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of GPUs that sources hand out. */
#ifndef TUESDAY_SOURCES_GPU_EMIT_H
#define TUESDAY_SOURCES_GPU_EMIT_H

#include <stdbool.h>

struct culprit;
struct gpu_model;
struct sink;

enum gpu_view {
	GPU_VIEW_DEVICE,
	GPU_VIEW_CLOCK,
	GPU_VIEW_REASON,
	GPU_VIEW_ENGINE,
	GPU_VIEW_CLIENT
};

/* Hands out the numbers of a source. */
void gpu_model_put(const struct gpu_model *model, enum gpu_view view, struct sink *sink);
/* The device that an instance of any source belongs to; with user the process that uses it the
 * most, if one is known. */
bool gpu_model_culprit(
	const struct gpu_model *model, const char *instance, bool user, struct culprit *out);

/* What a process is called; "?" where that is not known. */
const char *gpu_process_name(const struct gpu_model *model, uint64_t pid);

#endif
