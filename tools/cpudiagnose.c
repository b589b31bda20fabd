/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions take the CPU time? */
#include "base/banned.h"

#include "base/command.h"
#include "tools/cpu/diagnose.h"

static int cpudiagnose(int argc, char **argv)
{
	return cpu_diagnose(false, argc, argv);
}

PROGRAM(cpudiagnose);
