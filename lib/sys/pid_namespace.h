/* SPDX-License-Identifier: GPL-2.0-only */
/* Are the numbers of processes that BPF programs tell the ones that we know? */
#ifndef TUESDAY_SYS_PID_NAMESPACE_H
#define TUESDAY_SYS_PID_NAMESPACE_H

#include <stdbool.h>

/* Whether this process is in the machine's first PID namespace, whose numbers the kernel tells. */
bool pid_namespace_is_first(void);

#endif
