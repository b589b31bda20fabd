/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks, and what limits them. */
#ifndef TUESDAY_SOURCES_GPU_CLOCKS_H
#define TUESDAY_SOURCES_GPU_CLOCKS_H

#include <stddef.h>

#include "capture/capture.h"

struct gpu_clock;
struct gpu_model;
struct gpu_ratios;

/* The median of what was seen, NAN where nothing was. */
double gpu_median(const struct gpu_ratios *ratios);

/* A number of a part with a clock of its own, "gt0"; key is what follows it: "act_mhz". */
void gpu_model_take_clock(
	struct gpu_model *model, size_t device, struct bytes part, struct bytes key, double value);
/* At the end of a round: counts what the round said of it, and notes it of its device. */
void gpu_model_finish_clock(struct gpu_model *model, struct gpu_clock *clock);

#endif
