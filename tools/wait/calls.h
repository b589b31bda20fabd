/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that sleep, by this machine's numbers. */
#ifndef TUESDAY_TOOLS_WAIT_CALLS_H
#define TUESDAY_TOOLS_WAIT_CALLS_H

#include <stdint.h>

#include "bpf/probe/waits.h"

/* What a number stands for, as the kernel's side is told. */
enum waits_call wait_call_kind(uint32_t nr);
/* "fsync"; NULL for one that is nothing special. */
const char *wait_call_name(uint32_t nr);
/* Tells the kernel's side: map is that of bpf/probe/waits.bpf.h. The caller has CAPS_BPF raised.
 * Returns 0 or -errno. */
int wait_calls_fill(int map);

#endif
