/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile as a flame graph: the CPU's frames, a border, and what waited on the GPU and why. */
#ifndef TUESDAY_TOOLS_GPU_PICTURE_H
#define TUESDAY_TOOLS_GPU_PICTURE_H

struct gpu_options;
struct gpu_profile;

/* Writes it to the file that --svg names, in one step. sentence is its title. Returns 0, or -errno
 * after a message. */
int gpu_picture_write(const struct gpu_options *asked, const char *program,
	struct gpu_profile *profile, const char *sentence);

#endif
