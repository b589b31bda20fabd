// SPDX-License-Identifier: GPL-2.0-only
/*
 * The waits of bpf/runq.bpf.c on a kernel without iterators over tasks (before Linux 5.8): a wait
 * that has not ended when the trace does is not seen, so it clears nobody.
 */
#define RUNQ_REST ""
#define RUNQ_SEES_LESS 1
#define RUNQ_WITHOUT_REST
#include "runq.bpf.c"
