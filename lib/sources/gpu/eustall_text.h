/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of a sampling of EU stalls. */
#ifndef TUESDAY_SOURCES_GPU_EUSTALL_TEXT_H
#define TUESDAY_SOURCES_GPU_EUSTALL_TEXT_H

#include <stddef.h>

#include "capture/capture.h"
#include "sources/gpu/xe_stream.h"

struct sink;

enum { EUSTALL_NAME_BYTES = 64 };

/* The instructions with most stalls, by device. */
struct eustall_tops {
	struct eustall_top {
		char name[EUSTALL_NAME_BYTES], address[EUSTALL_NAME_BYTES];
		char reason[EUSTALL_NAME_BYTES];
		double share; /* of the stalls; negative: not told */
	} list[XE_DEVICES_MAX];
	size_t n;
};

/* Hands out what the lines say (eustall_text.c). A line that is no such line is left out. */
void eustall_take_lines(struct eustall_tops *tops, struct bytes lines, struct sink *sink);
const struct eustall_top *eustall_top_of(const struct eustall_tops *tops, const char *name);

#endif
