/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command line of gpudiagnose asks for. */
#ifndef TUESDAY_TOOLS_GPU_OPTIONS_H
#define TUESDAY_TOOLS_GPU_OPTIONS_H

#include <stdbool.h>

#include "run/options.h"
#include "sources/gpu/xe_stream.h"

enum gpu_format { GPU_TEXT, GPU_JSON, GPU_FOLDED };

enum { ASKED_FILES_MAX = 64 };

/* The texts are the command line's. */
struct gpu_options {
	const char *device; /* a PCI address, or NULL: the only one */
	const char *svg;    /* where a flame graph goes, or NULL */
	const char *record, *replay;
	const char *zebins[ASKED_FILES_MAX];
	size_t n_zebins;
	const char *library; /* of the GPU's runtime, to be watched; NULL: those in use */
	enum gpu_format format;
	unsigned int windows; /* that count: one more, before them, only warms up */
	double window_seconds, gap_seconds;
	struct xe_plan plan; /* of these three */
	size_t top;
	bool no_stacks;
	struct options common;
};

/* Returns 0, 1 where help was asked for and printed, or -EINVAL after a message. */
int gpu_options_read(struct gpu_options *asked, int argc, char **argv);
void gpu_options_free(struct gpu_options *asked);

#endif
