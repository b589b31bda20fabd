/* SPDX-License-Identifier: GPL-2.0-only */
/* Are the numbers of processes that BPF programs tell the ones that we know? */
#include "base/banned.h"

#include <string.h>
#include <unistd.h>

#include "sys/pid_namespace.h"

bool pid_namespace_is_first(void)
{
	static const char first[] = "pid:[4026531836]"; /* PROC_PID_INIT_INO */
	char link[sizeof(first) + 1];
	const ssize_t len = readlink("/proc/self/ns/pid", link, sizeof(link));

	return len == (ssize_t)sizeof(first) - 1 && !memcmp(link, first, sizeof(first) - 1);
}
