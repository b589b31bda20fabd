/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of CPUs. */
#ifndef TUESDAY_SOURCES_KERNEL_CPUS_H
#define TUESDAY_SOURCES_KERNEL_CPUS_H

#include <stdbool.h>

#include "capture/capture.h"

/* "0-3,8": how many that is. False where it is something else. */
bool parse_cpu_list(struct bytes text, double *count);

#endif
