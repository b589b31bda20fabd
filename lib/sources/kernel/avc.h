/* SPDX-License-Identifier: GPL-2.0-only */
/* The cache of SELinux's decisions. */
#ifndef TUESDAY_SOURCES_KERNEL_AVC_H
#define TUESDAY_SOURCES_KERNEL_AVC_H

#include "capture/capture.h"

struct sink;

/* /sys/fs/selinux/avc/cache_stats: the sum over the CPUs, by the names of its columns. */
void parse_avc(struct bytes text, struct sink *sink);

#endif
