/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether profiles of the busiest programs would have stacks and names: by their files, unsampled.
 */
#ifndef TUESDAY_SOURCES_TASK_STACK_CODE_H
#define TUESDAY_SOURCES_TASK_STACK_CODE_H

#include <stdbool.h>
#include <stddef.h>

enum { STACK_CODE_COMM = 64 };

/* One program, as a line of the record says it: "PID LOOKED WITH NAMELESS DELETED UNMAPPED COMM".
 */
struct stack_code {
	unsigned int pid;
	unsigned int looked,
		with_frame_pointer; /* functions of the file that has most of its code */
	bool nameless;		    /* that file has no names for its functions */
	bool deleted;		    /* a file of its code has no name any more */
	bool unmapped;		    /* it makes code while it runs, and has no perf map */
	char comm[STACK_CODE_COMM];
};

/* Reads the next line of a record, which may be anybody's; *at moves behind it. False at the end; a
 * line that is none is left out. */
bool stack_code_next(const char **at, const char *end, struct stack_code *code);

#endif
