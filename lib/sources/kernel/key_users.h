/* SPDX-License-Identifier: GPL-2.0-only */
/* Quotas of the kernel's keys. */
#ifndef TUESDAY_SOURCES_KERNEL_KEY_USERS_H
#define TUESDAY_SOURCES_KERNEL_KEY_USERS_H

#include "capture/capture.h"

struct sink;

/* /proc/key-users */
void parse_key_users(struct bytes text, struct sink *sink);

#endif
