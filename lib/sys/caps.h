/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capabilities: what the next step needs and nothing else.
 *
 * A run goes down one way. caps_start keeps those that any step may need and drops the rest for
 * good; nothing is effective after it. caps_raise makes some effective for a step, caps_lower takes
 * them back, caps_drop gives them up for good. Sets are masks of CAPS_*.
 */
#ifndef TUESDAY_SYS_CAPS_H
#define TUESDAY_SYS_CAPS_H

#include <stdbool.h>

enum {
	CAPS_READ = 1,	    /* CAP_DAC_READ_SEARCH: files of others, tracefs */
	CAPS_PTRACE = 2,    /* CAP_SYS_PTRACE: /proc/PID/fd, ns, io of others */
	CAPS_NAMESPACE = 4, /* CAP_SYS_ADMIN: enter network namespaces, mount tracefs unseen */
	CAPS_BPF = 8,	    /* CAP_BPF and CAP_PERFMON; CAP_SYS_ADMIN too before Linux 5.8 */
	CAPS_LOG = 16,	    /* CAP_SYSLOG: the kernel's log where kernel.dmesg_restrict is set */
	CAPS_AUDIT = 32,    /* CAP_AUDIT_CONTROL: the status of auditing, of which nothing is set */
	CAPS_RAWIO = 64,    /* CAP_SYS_RAWIO: to ask a SATA disk how it is */
	CAPS_GPU_ERRORS = 128, /* CAP_NET_ADMIN: what GPUs counted of errors (drm-ras) */
	CAPS_ALL = 255
};

/* Drops all but the given ones for good, also for programs started later. Returns 0 or -errno. */
int caps_start(int keep);
int caps_raise(int caps);
int caps_lower(int caps);
int caps_drop(int caps);

/* As caps_raise. Returns whether that made any effective that was not: else there is nothing to
 * lower, and a call that was refused will be again. */
bool caps_lend(int caps);

/* Whether any capability is effective at all, as nothing may be while texts are worked on. */
bool caps_any_effective(void);

/* Whether the process has them permitted, so that caps_raise would work. */
bool caps_have(int caps);

#endif
