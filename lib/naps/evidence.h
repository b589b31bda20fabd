/* SPDX-License-Identifier: GPL-2.0-only */
/* How do the threads of a process stand that does not run? */
#ifndef TUESDAY_NAPS_EVIDENCE_H
#define TUESDAY_NAPS_EVIDENCE_H

#include <stddef.h>
#include <sys/types.h>

#include "naps/cause.h"

#define NAP_FUNCTION 48

struct nap_evidence {
	enum nap_cause cause;
	char function[NAP_FUNCTION]; /* of the kernel, that a thread of this cause waits in; "" */
	size_t threads;		     /* that were looked at, 64 at most */
	size_t queued;		     /* that could run: on a busy machine one of many is at times */
	bool stacks;		     /* whether stacks could be read: root */
};

/* Looks at the threads of a process now, and joins what they say with what is in out. */
void nap_evidence_look(pid_t pid, struct nap_evidence *out);

/* The innermost function of a wait channel or a stack, "" where neither knows one. */
void nap_evidence_function(const struct nap_thread *thread, char *out, size_t size);

#endif
