/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks that were read, and what is said of them. */
#ifndef TUESDAY_TOOLS_FLAME_PROFILE_H
#define TUESDAY_TOOLS_FLAME_PROFILE_H

#include <stdint.h>

#include "flame/picture.h"
#include "tools/flame/options.h"

struct flame_tree;
struct str;

struct flame_profile {
	struct flame_tree *tree;
	uint64_t *before; /* weights of another profile in the same nodes, or NULL */
	uint64_t before_total, before_stacks;
	struct flame_picture picture; /* that the stacks came from: --from svg */
};

/* Appends what was found: the sentence first. */
void flame_profile_words(
	struct str *out, const struct flame_options *asked, struct flame_profile *profile);
/* The picture; its title is the first line of the words, unless another one is wanted. */
void flame_profile_picture(struct str *out, const struct flame_options *asked,
	struct flame_profile *profile, const char *words);
/* The stacks, as the filters leave them. */
void flame_profile_folded(
	struct str *out, const struct flame_options *asked, struct flame_profile *profile);

#endif
