/* SPDX-License-Identifier: GPL-2.0-only */
/* The small questions about a round that many ask. */
#include "base/banned.h"

#include "base/banned.h"

#include "base/clock.h"
#include "tools/keepalive/round.h"
#include "base/str.h"

void round_free(struct round *round)
{
	free(round->samples);
	*round = (struct round){0};
}

double sample_seconds(const struct sample *sample)
{
	return (double)(sample->done_ns - sample->due_ns) / 1e9;
}
