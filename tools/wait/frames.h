/* SPDX-License-Identifier: GPL-2.0-only */
/* In which functions are processes while they compute? A few samples of stacks beside a look. */
#ifndef TUESDAY_TOOLS_WAIT_FRAMES_H
#define TUESDAY_TOOLS_WAIT_FRAMES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/str.h"
#include "stacks/profile.h"

struct stacks_sampler;
struct symbolizer;
struct wait_answer;

struct wait_frames {
	struct stacks_sampler *sampler; /* NULL: it does not look, and why in a phrase */
	struct stacks_profile profile;
	struct symbolizer *symbolizer;
	struct str why;
};

/* Loads the sampler: of all processes, or of those that are named and their later children. */
void wait_frames_open(struct wait_frames *frames, bool all);
/* Names a process, before it begins or later. */
void wait_frames_target(struct wait_frames *frames, pid_t pid);
void wait_frames_begin(struct wait_frames *frames);
/* To be called at least five times a second. */
void wait_frames_take(struct wait_frames *frames);
void wait_frames_end(struct wait_frames *frames);
void wait_frames_free(struct wait_frames *frames);

/* Adds to an answer where its process was: each function once, by its samples. Reads the files of
 * the process for their names. */
void wait_frames_sort(struct wait_answer *answer, struct wait_frames *frames);

#endif
