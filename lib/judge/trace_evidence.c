/* SPDX-License-Identifier: GPL-2.0-only */
/* Which verdict has each instance of a check by its traces? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/str.h"
#include "judge/trace_evidence.h"
#include "sample/instances.h"

void testimony_add(struct testimony *testimony, const char *instance, enum verdict verdict)
{
	size_t known, i;

	if (!testimony->instances)
		testimony->instances = instances_new();
	known = instances_count(testimony->instances);
	i = instances_intern(testimony->instances, instance);
	if (i == known) {
		testimony->verdicts = mem_realloc_array(
			testimony->verdicts, known + 1, sizeof(*testimony->verdicts));
		testimony->verdicts[i] = verdict;
	} else if (verdict_is_worse(verdict, testimony->verdicts[i])) {
		testimony->verdicts[i] = verdict;
	}
}

bool testimony_of(const struct testimony *testimony, const char *instance, enum verdict *out)
{
	long i = *instance && testimony->instances ? instances_find(testimony->instances, instance)
						   : -1;

	if (!testimony->judged)
		return false;
	*out = i < 0 ? testimony->harm : testimony->verdicts[i];
	return i >= 0 || !*instance || !testimony->apart;
}

void testimony_free(struct testimony *testimony)
{
	instances_free(testimony->instances);
	free(testimony->verdicts);
}
