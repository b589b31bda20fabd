/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks at code paths that are remembered from run to run, by the name of the process. */
#ifndef TUESDAY_TOOLS_CODEPATH_KEPT_H
#define TUESDAY_TOOLS_CODEPATH_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct codepath_look;

enum {
	KEPT_LOOKS = 8,	     /* of a process, the last ones */
	KEPT_PROCESSES = 64, /* those that were looked at last */
};

struct kept_process {
	char *name;
	time_t time; /* of its last look */
	struct codepath_look *looks[KEPT_LOOKS];
	size_t n;
	/* The last look, where it accused a function: it is no earlier share until then. */
	struct codepath_look *accused;
};

struct kept_looks {
	struct kept_process *list;
	size_t n, room;
};

/* Reads them from the state directory, NULL for the usual one. Returns 0, also where there are
 * none, or -errno: -EBADMSG for a file that is damaged. To be freed in any case. */
int kept_read(struct kept_looks *kept, const char *state);
/* least: of a look's samples, that a function must have to be remembered. Returns 0 or -errno. */
int kept_write(struct kept_looks *kept, const char *state, double least);
void kept_free(struct kept_looks *kept);

/* That of a process, made where there is none. */
struct kept_process *kept_of(struct kept_looks *kept, const char *name);
/* Adds a look, which then belongs to it; the oldest makes room. */
void kept_add(struct kept_process *process, struct codepath_look *look);
void kept_forget(struct kept_process *process);

#endif
