/* SPDX-License-Identifier: GPL-2.0-only */
/* A conclusion for a program. */
#ifndef TUESDAY_TOOLS_GPU_JSON_H
#define TUESDAY_TOOLS_GPU_JSON_H

struct eustallfile_header;
struct gpu_conclusion;
struct gpu_profile;
struct str;

/* The whole answer for a program. */
void gpu_conclusion_write_json(struct str *out, const struct gpu_conclusion *answer,
	const struct gpu_profile *profile, const struct eustallfile_header *device);

#endif
