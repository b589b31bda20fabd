// SPDX-License-Identifier: GPL-2.0-only
/* The waits of bpf/runq.bpf.c on a kernel without iterators over tasks (before Linux 5.8). */
#define RUNQ_REST ""
#define RUNQ_WITHOUT_REST
#include "runq.bpf.c"
