/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes of a command without BPF: by looks at /proc, again and again. */
#ifndef TUESDAY_TOOLS_SPAN_PROCESSES_POLL_H
#define TUESDAY_TOOLS_SPAN_PROCESSES_POLL_H

#include <sys/types.h>

struct processes;
struct processes_poll;

/* Of this process and all that come from it, as far as they are seen. The caller closes. */
struct processes_poll *processes_poll_open(struct processes *to, pid_t pid);
/* One look. */
void processes_poll_look(struct processes_poll *poll);
/* NULL is nothing. */
void processes_poll_close(struct processes_poll *poll);

#endif
