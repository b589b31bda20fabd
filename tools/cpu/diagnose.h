/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_CPU_DIAGNOSE_H
#define TUESDAY_TOOLS_CPU_DIAGNOSE_H

#include <stdbool.h>

/* What cpudiagnose and, for waits, offcpudiagnose do. Returns the exit status. */
int cpu_diagnose(bool waits, int argc, char **argv);

#endif
