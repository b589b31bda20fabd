/* SPDX-License-Identifier: GPL-2.0-only */
/* Has a light changed, or does it only flicker? */
#include "base/banned.h"
#include "history/hysteresis.h"

/* good and skip, unknown, maybe, bad; none where there was no run. */
static int hysteresis_rank(unsigned int verdict)
{
	switch (verdict) {
	case VERDICT_BAD:
		return 3;
	case VERDICT_MAYBE:
		return 2;
	case VERDICT_UNKNOWN:
		return 1;
	case VERDICT_GOOD:
	case VERDICT_SKIP:
		return 0;
	default:
		return -1;
	}
}

static const enum verdict of_rank[] = {VERDICT_GOOD, VERDICT_UNKNOWN, VERDICT_MAYBE, VERDICT_BAD};

/* The verdict of so many runs ago; 0 is this one. */
static unsigned int nibble(const struct run_state_check *light, unsigned int ago)
{
	return light->recent >> (4 * ago) & 15;
}

unsigned int hysteresis_before(const struct run_state_check *light)
{
	return nibble(light, 0);
}

void hysteresis_note(struct run_state_check *light, enum verdict now)
{
	light->recent = light->recent << 4 | (unsigned int)now;
}

/* The worst rank that k of the last n runs had at least. */
static int lasting_rank(const struct run_state_check *light, const struct hysteresis *damping)
{
	int r;

	for (r = 3; r > 0; r--) {
		unsigned int i, n = 0;

		for (i = 0; i < damping->rise_n && i < DAMP_RUNS; i++)
			n += hysteresis_rank(nibble(light, i)) >= r;
		if (n >= damping->rise_k)
			return r;
	}
	return 0;
}

/* The worst rank of the last runs that decide whether it is over; none is as bad as any. */
static int recent_rank(const struct run_state_check *light, unsigned int runs, int announced)
{
	unsigned int i;
	int worst = 0;

	for (i = 0; i < runs && i < DAMP_RUNS; i++) {
		int r = hysteresis_rank(nibble(light, i));

		if (r < 0)
			return announced;
		if (r > worst)
			worst = r;
	}
	return worst;
}

bool hysteresis_step(struct run_state_check *light, enum verdict now, bool at_once,
	const struct hysteresis *damping)
{
	int announced = hysteresis_rank(light->announced), to = announced, risen, fallen;

	hysteresis_note(light, now);
	risen = lasting_rank(light, damping);
	if (at_once && hysteresis_rank(now) > risen)
		risen = hysteresis_rank(now);
	fallen = recent_rank(light, damping->fall_n, announced);
	if (risen > announced)
		to = risen;
	/* On its way down it is not called off step by step. */
	else if (fallen < announced && fallen == hysteresis_rank(now))
		to = fallen;
	if (to == announced)
		return false;
	light->announced = of_rank[to];
	return true;
}
