/* SPDX-License-Identifier: GPL-2.0-only */
/* System V IPC. */
#ifndef TUESDAY_SOURCES_KERNEL_SYSVIPC_H
#define TUESDAY_SOURCES_KERNEL_SYSVIPC_H

#include "capture/capture.h"

struct sink;

/* A file of /proc/sysvipc: its rows are counted, and a column is added up. */
void parse_sysvipc(struct bytes text, struct sink *sink, const char *count, const char *sum,
	const char *column);

#endif
