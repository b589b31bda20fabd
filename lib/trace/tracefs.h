/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The format files of tracepoints, whether or not tracefs is mounted.
 */
#ifndef TUESDAY_TRACE_TRACEFS_H
#define TUESDAY_TRACE_TRACEFS_H

struct str;

/*
 * Opens tracefs: a mount of its own that nobody else sees (needs CAP_SYS_ADMIN, Linux 5.2), else
 * where it is mounted already (needs to read it: CAP_DAC_READ_SEARCH). Returns a descriptor of its
 * top directory or -errno.
 */
int tracefs_open(void);

/*
 * Reads the format file of "subsystem:event" below dir into text. Returns 0, -ENOENT where the
 * kernel has no such tracepoint, or -errno.
 */
int tracefs_format(int dir, const char *event, struct str *text);

#endif
