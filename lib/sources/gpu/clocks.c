/* SPDX-License-Identifier: GPL-2.0-only */
/* How fast does each part of a GPU run, of what it could, and what slows it? */
#include "base/banned.h"

#include <math.h>
#include <string.h>

#include "sources/gpu/model.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sources/gpu/clocks.h"

#define CLOCKS_MAX 256
#define REASONS_MAX 32

/* Reasons of Intel, AMD and NVIDIA by what they are evidence of; all others are context. */
#define HOT \
	"thermal soc_thermal mem_thermal vr_thermal vr_thermalert vr_tdc prochot ratl hot " \
	"hw_slowdown " \
	"hw_thermal hw_power_brake sw_thermal"
#define POWER "pl1 pl2 pl4 psys_pl1 psys_pl2 psys_crit iccmax fastvmode power sw_power_cap"

static struct gpu_clock *clock_of(struct gpu_model *model, size_t device, struct bytes name)
{
	struct gpu_clock *clock;
	size_t i;

	for (i = 0; i < model->n_clocks; i++)
		if (model->clocks[i].device == device && text_is(name, model->clocks[i].name))
			return &model->clocks[i];
	if (model->n_clocks == CLOCKS_MAX)
		return NULL;
	ARRAY_GROW(model->clocks, model->n_clocks, model->room_clocks);
	clock = &model->clocks[model->n_clocks];
	memset(clock, 0, sizeof(*clock));
	if (!text_copy(name, clock->name, sizeof(clock->name)))
		return NULL;
	clock->device = device;
	clock->act = clock->req = clock->max = clock->base = clock->top = NAN;
	clock->idle_ms = clock->idle_before = NAN;
	model->n_clocks++;
	return clock;
}

static void take_reason(struct gpu_clock *clock, struct bytes name, bool set)
{
	struct gpu_reason *reason = NULL;
	size_t i;

	for (i = 0; i < clock->n_reasons && !reason; i++)
		if (text_is(name, clock->reasons[i].name))
			reason = &clock->reasons[i];
	if (!reason) {
		if (clock->n_reasons == REASONS_MAX)
			return;
		ARRAY_GROW(clock->reasons, clock->n_reasons, clock->room_reasons);
		reason = &clock->reasons[clock->n_reasons];
		memset(reason, 0, sizeof(*reason));
		if (!text_copy(name, reason->name, sizeof(reason->name)))
			return;
		clock->n_reasons++;
	}
	reason->told = true;
	reason->set = set;
}

static void take_clock(struct gpu_clock *clock, struct bytes key, double value)
{
	if (text_starts(key, "flag.")) {
		key.data += strlen("flag.");
		key.len -= strlen("flag.");
		take_reason(clock, key, value > 0);
	} else if (text_is(key, "act_mhz")) {
		clock->act = value;
	} else if (text_is(key, "req_mhz")) {
		clock->req = value;
	} else if (text_is(key, "max_mhz")) {
		clock->max = value;
	} else if (text_is(key, "base_mhz")) {
		clock->base = value;
	} else if (text_is(key, "top_mhz")) {
		clock->top = value;
	} else if (text_is(key, "idle_ms")) {
		clock->idle_ms = value;
	}
}

void gpu_model_take_clock(
	struct gpu_model *model, size_t device, struct bytes part, struct bytes key, double value)
{
	struct gpu_clock *clock = clock_of(model, device, part);

	if (clock)
		take_clock(clock, key, value);
}

static void count_ratio(struct gpu_ratios *ratios, double ratio)
{
	size_t bin = ratio < 2 ? (size_t)(ratio * GPU_RATIO_BINS / 2) : GPU_RATIO_BINS - 1;

	ratios->bins[bin < GPU_RATIO_BINS ? bin : GPU_RATIO_BINS - 1]++;
	ratios->n++;
}

double gpu_median(const struct gpu_ratios *ratios)
{
	uint64_t seen = 0;
	size_t i;

	if (!ratios->n)
		return NAN;
	for (i = 0; i < GPU_RATIO_BINS - 1; i++) {
		seen += ratios->bins[i];
		if (seen * 2 >= ratios->n)
			break;
	}
	return ((double)i + 0.5) * 2 / GPU_RATIO_BINS;
}

/* What was asked for, as far as it is allowed. */
static double wanted_mhz(const struct gpu_clock *clock)
{
	if (isnan(clock->req) || (!isnan(clock->max) && clock->max < clock->req))
		return clock->max;
	return clock->req;
}

/* A part that sleeps has no clock, and its reasons are those of before. */
void gpu_model_finish_clock(struct gpu_model *model, struct gpu_clock *clock)
{
	struct gpu_state *state = &model->devices[clock->device];
	double wanted = wanted_mhz(clock);
	bool ran = clock->act > 0, told = false, hot = false, power = false;
	size_t i;

	for (i = 0; i < clock->n_reasons; i++) {
		struct gpu_reason *reason = &clock->reasons[i];

		if (ran && reason->told) {
			told = true;
			hot |= reason->set && str_matches(reason->name, HOT);
			power |= reason->set && str_matches(reason->name, POWER);
			reason->samples++;
			reason->set_samples += reason->set;
		}
		reason->told = reason->set = false;
	}
	if (ran && wanted > 0)
		count_ratio(&clock->speed, clock->act / wanted);
	if (ran && clock->base > 0)
		count_ratio(&clock->over_base, clock->act / clock->base);
	clock->samples += told;
	clock->hot_samples += hot;
	clock->power_samples += power;
	state->limits_told |= told;
	state->hot |= hot;
	clock->act = clock->req = NAN;
}
