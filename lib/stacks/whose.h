/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_STACKS_WHOSE_H
#define TUESDAY_STACKS_WHOSE_H

#include <stddef.h>

#include "stacks/fold.h"

/* Appends whose the stacks of a thread are, as a frame of folded stacks: "nginx", "nginx 1234",
 * "/system.slice/nginx.service". No ';' and no control character is in it. */
void stacks_whose_add(
	struct str *out, const struct stacks_profile *profile, size_t thread, enum stacks_by by);

#endif
