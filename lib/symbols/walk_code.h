/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that a walk of a process's stacks needs, opened before rights are given up. */
#ifndef TUESDAY_SYMBOLS_WALK_CODE_H
#define TUESDAY_SYMBOLS_WALK_CODE_H

#include <sys/types.h>

#include "symbols/stack_walk.h"

/* What the process has mapped of code, at most STACK_WALK_FILES_MAX, by address. Returns how many,
 * or -errno. */
int walk_code_open(struct stack_walk_code code[STACK_WALK_FILES_MAX], pid_t pid);
void walk_code_close(struct stack_walk_code *code, int n);

#endif
