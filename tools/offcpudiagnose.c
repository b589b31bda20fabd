/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does a process wait, off the CPUs, and who ends that? */
#include "base/banned.h"

#include "base/command.h"
#include "tools/cpu/diagnose.h"

static int offcpudiagnose(int argc, char **argv)
{
	return cpu_diagnose(true, argc, argv);
}

PROGRAM(offcpudiagnose);
