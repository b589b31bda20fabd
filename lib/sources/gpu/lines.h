/* SPDX-License-Identifier: GPL-2.0-only */
/* The collector's lines, taken into the model. */
#ifndef TUESDAY_SOURCES_GPU_LINES_H
#define TUESDAY_SOURCES_GPU_LINES_H

#include <stdbool.h>

#include "capture/capture.h"

struct gpu_model;

/* Takes lines. Those of the NVIDIA library are of the NVIDIA driver's devices, the others of all
 * others. */
void gpu_model_add(struct gpu_model *model, struct bytes lines, bool nvidia);

#endif
