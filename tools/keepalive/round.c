/* SPDX-License-Identifier: GPL-2.0-only */
/* The small questions about a round that many ask. */
#include <time.h>

#include "tools/keepalive/round.h"
#include "base/str.h"

uint64_t round_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void round_free(struct round *round)
{
	free(round->samples);
	*round = (struct round){0};
}

double sample_seconds(const struct sample *sample)
{
	return (double)(sample->done_ns - sample->due_ns) / 1e9;
}
