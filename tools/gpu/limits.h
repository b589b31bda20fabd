/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of limits.ini: where each comes from is said there. */
#ifndef TUESDAY_TOOLS_GPU_LIMITS_H
#define TUESDAY_TOOLS_GPU_LIMITS_H

#include <stddef.h>

struct complaints;

struct gpu_limits {
	struct {
		double samples, windows;
	} enough;
	struct {
		double maybe, unknown;
	} lost;
	struct {
		double bad_end_flags, saturated;
	} odd;
	struct {
		double good, much;
	} stall;
	struct {
		double reason, instruction, other;
	} name;
};

/* Reads a file's text. Returns 0, or -EINVAL after complaints; one that lacks a number is wrong. */
int gpu_limits_read(struct gpu_limits *limits, const char *file, const char *text, size_t len,
	struct complaints *complaints);
/* Those that the program was built with. */
void gpu_limits_default(struct gpu_limits *limits);

#endif
