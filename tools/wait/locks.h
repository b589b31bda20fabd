/* SPDX-License-Identifier: GPL-2.0-only */
/* Who has the file lock that a process waits for? */
#ifndef TUESDAY_TOOLS_WAIT_LOCKS_H
#define TUESDAY_TOOLS_WAIT_LOCKS_H

#include <stdint.h>

/* By a text of /proc/locks; 0 where the process waits for none, or who has it is not told. */
uint32_t wait_locks_holder_in(const char *text, uint32_t pid);
/* By that file as it is now. */
uint32_t wait_locks_holder(uint32_t pid);

#endif
