/* SPDX-License-Identifier: GPL-2.0-only */
/* What did the kernel say? */
#ifndef TUESDAY_SOURCES_KERNEL_KLOG_H
#define TUESDAY_SOURCES_KERNEL_KLOG_H

#include "capture/capture.h"

struct sink;

/*
 * The kernel's log: see klog.c for the fields and for the form of the text. What a log was counts
 * on from one piece to the next, and a record is counted once.
 */
struct klog;
struct klog *klog_new(void);
void klog_free(struct klog *log);
void klog_add(struct klog *log, struct bytes text);
void klog_put(const struct klog *log, struct sink *sink);

/*
 * The field that a line of the kernel's of this level (0 to 7) is counted in, and the instance,
 * empty where there is none; NULL for a line that counts in no field.
 */
const char *klog_line_field(struct bytes line, uint64_t level, struct bytes *instance);

/* Calls each with every pattern of a line that is looked for. */
void klog_each_pattern(void (*each)(void *arg, const char *pattern), void *arg);

#endif
