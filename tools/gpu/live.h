/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile of this machine's GPU. */
#ifndef TUESDAY_TOOLS_GPU_LIVE_H
#define TUESDAY_TOOLS_GPU_LIVE_H

#include "tools/gpu/options.h"
#include "tools/gpu/profile.h"

/*
 * Finds the device that is meant. Returns -1 with it in device, or the exit status after a message
 * that there is none, or several, or that it sleeps.
 */
int live_find(const struct gpu_options *asked, const char *program, struct xe_device *device);
/*
 * Samples it into a profile, which it makes, and into the recording that is asked for. It may hang
 * where a driver does. Returns 0, or -errno after a message; profile is to be freed in any case.
 */
int live_sample(const struct gpu_options *asked, const char *program,
	const struct xe_device *device, struct gpu_profile *profile,
	struct eustallfile_header *header);

#endif
