/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does a stack begin, if it was not lost on the way? */
#ifndef TUESDAY_STACKS_ROOT_H
#define TUESDAY_STACKS_ROOT_H

#include <stdbool.h>

struct symbol;

/* From the worst on. */
enum stacks_root {
	STACKS_ROOT_NOT,
	STACKS_ROOT_MAYBE, /* a place without a name in the C library, which calls main and threads
			    */
	STACKS_ROOT_IS,	   /* by its name */
};

enum stacks_root stacks_root_of(const struct symbol *symbol);

/* Whether a frame of the kernel's, with its name as in folded stacks, is the way into an interrupt.
 */
bool stacks_root_is_interrupt(const char *frame);

#endif
