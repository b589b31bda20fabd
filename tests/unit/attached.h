/* SPDX-License-Identifier: GPL-2.0-only */
/* When may a workload begin whose events are to be counted? */
#ifndef TUESDAY_TESTS_ATTACHED_H
#define TUESDAY_TESTS_ATTACHED_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether everything is attached: the process that traces, our other child, waits for its end, as
 * it does nowhere before. */
static bool is_attached(pid_t other)
{
	char path[64], number[32], wanted[32];
	FILE *file, *call;
	bool waits = false;
	int pid;

	snprintf(wanted, sizeof(wanted), "%d", SYS_rt_sigtimedwait);
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "r");
	while (file && !waits && fscanf(file, "%d", &pid) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
		call = pid == other ? NULL : fopen(path, "r");
		waits = call && fscanf(call, "%31s", number) == 1 && !strcmp(number, wanted);
		if (call)
			fclose(call);
	}
	if (file)
		fclose(file);
	return waits;
}

#endif
