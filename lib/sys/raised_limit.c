/* SPDX-License-Identifier: GPL-2.0-only */
/* What may we use more of than our caller gave us, and what does a program get that we start? */
#include "base/banned.h"

#include "base/str.h"
#include "sys/raised_limit.h"

static struct {
	bool raised;
	struct rlimit before;
} limits[RLIM_NLIMITS];

void raised_limit_set(int resource, rlim_t wanted, bool hard)
{
	struct rlimit before, limit;

	if (getrlimit((__rlimit_resource_t)resource, &before) || before.rlim_cur >= wanted)
		return;
	limit = (struct rlimit){wanted, wanted};
	if (before.rlim_max >= wanted)
		limit.rlim_max = before.rlim_max;
	else if (!hard || setrlimit((__rlimit_resource_t)resource, &limit))
		limit.rlim_cur = limit.rlim_max = before.rlim_max;
	if (setrlimit((__rlimit_resource_t)resource, &limit))
		return;
	if (!limits[resource].raised)
		limits[resource].before = before;
	limits[resource].raised = true;
}

void raised_limits_undo(void)
{
	int resource;

	for (resource = 0; resource < (int)ARRAY_SIZE(limits); resource++)
		if (limits[resource].raised)
			setrlimit((__rlimit_resource_t)resource, &limits[resource].before);
}
