/* SPDX-License-Identifier: GPL-2.0-only */
/* What stackhealth is asked. */
#ifndef TUESDAY_TOOLS_STACK_OPTIONS_H
#define TUESDAY_TOOLS_STACK_OPTIONS_H

#include "run/options.h"

struct stack_options {
	struct options common;
	double seconds;	    /* to look at this machine */
	unsigned int hertz; /* samples of each CPU a second */
	unsigned int pid;   /* only of this process; 0: of all */
	unsigned int limit; /* perf's, of a file; 0: 127, which is the kernel's default */
	bool probe;	    /* walk the stacks by .eh_frame too */
};

/* Returns 0; 1 where what was asked for is printed; or -EINVAL after a message. */
int stack_options_read(struct stack_options *asked, int argc, char **argv);
void stack_options_free(struct stack_options *asked);

#endif
