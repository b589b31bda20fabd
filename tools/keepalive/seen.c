/* SPDX-License-Identifier: GPL-2.0-only */
/* The small questions about what was seen inside, that more than one judge asks. */
#include "base/banned.h"

#include <math.h>

#include "tools/keepalive/limits.h"
#include "tools/keepalive/witness.h"
#include "tools/keepalive/seen.h"

double seen_continued_share(const struct seen *seen)
{
	return seen->read ? (double)seen->continued / (double)seen->read : 0;
}

bool seen_may_be_cpus(const struct seen *seen, const struct limits_of_run *limits)
{
	return seen->busy_ratio > limits->judge.inside_busy_most &&
		fmax(seen->overtaken_seconds, seen->oldest_seconds) <
		limits->judge.inside_harm_least;
}

bool seen_may_be_stuck(const struct seen *seen, const struct limits_of_run *limits)
{
	return (double)seen->victims_most < limits->judge.inside_victims_least;
}
