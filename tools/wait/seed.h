/* SPDX-License-Identifier: GPL-2.0-only */
/* What the threads of a process are in the middle of when a look begins: who sleeps all the time
 * has no event that the kernel's probe could see. */
#ifndef TUESDAY_TOOLS_WAIT_SEED_H
#define TUESDAY_TOOLS_WAIT_SEED_H

#include <sys/types.h>

struct wait_probe;
struct waits_thread;

/* Tells the probe of all threads of a process. */
void wait_seed_process(struct wait_probe *probe, pid_t pid);

/* What a thread in a state (as in /proc/PID/stat) waits for, by the text of its "syscall", "" where
 * that is not known, and of its "wchan". */
void wait_seed_thread(
	struct waits_thread *thread, char state, const char *syscall, const char *wchan);

#endif
