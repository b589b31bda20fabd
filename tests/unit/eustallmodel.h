/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams of EU-stall records whose truth is known, since they are made from it: which share of the
 * samples is in stall, for which reasons, at which instruction, and which records get lost. No
 * capture of any hardware.
 */
#ifndef TUESDAY_TEST_EUSTALLMODEL_H
#define TUESDAY_TEST_EUSTALLMODEL_H

#include <math.h>
#include <string.h>

#include "sources/gpu/eustall_record.h"
#include "tests/unit/random.h"
#include "stats/random.h"

enum { MODEL_COUNT_MAX = 12 }; /* samples in a record */

struct model {
	enum eustall_layout layout;
	double stall;			 /* share of samples in stall, on average of all windows */
	double noise;			 /* standard deviation of that between windows */
	double reasons[EUSTALL_REASONS]; /* of stalls; sum 1 */
	double hot;			 /* share of stalls that are at the hot instruction */
	uint64_t hot_ip, first_ip;	 /* in units of 8 bytes */
	unsigned int instructions;	 /* beside the hot one, from first_ip on, every 16 bytes */
	unsigned int xecores, records;	 /* of each in a window */
	/* Half of the XeCores are busy and have a share of stalls that much higher, the others that
	 * much lower; of the busy ones' records this share is lost. */
	double busier, lost;
};

static inline void model_put(uint8_t *record, unsigned int first, unsigned int n, uint64_t value)
{
	for (unsigned int i = 0; i < n; i++)
		if (value >> i & 1)
			record[(first + i) / 8] |= (uint8_t)(1 << (first + i) % 8);
}

/* A record that says that of an instruction samples were for that reason, or active. */
static inline void model_record(uint8_t *record, enum eustall_layout layout, uint64_t ip,
	enum eustall_reason reason, uint8_t samples)
{
	const unsigned int ip_bits = layout == EUSTALL_XE3P ? 61 : 29;
	const unsigned int active = layout == EUSTALL_PVC ? 0 : 72;

	memset(record, 0, EUSTALL_RECORD);
	model_put(record, 0, ip_bits, ip);
	/* The reasons are in the order of the record; PVC has active where others have the first.
	 */
	model_put(record, ip_bits + (reason == EUSTALL_REASONS ? active : 8 * (unsigned int)reason),
		8, samples);
	if (layout != EUSTALL_PVC)
		model_put(record, ip_bits + 83, 1, 1);
}

static inline enum eustall_reason model_reason(
	const struct model *model, struct stats_random *random)
{
	double at = random_uniform(random);

	for (int i = 0; i < EUSTALL_REASONS; i++) {
		at -= model->reasons[i];
		if (at < 0)
			return (enum eustall_reason)i;
	}
	return EUSTALL_SBID;
}

/* One sample; the hot instruction is never active. */
static inline void model_sample(
	const struct model *model, struct stats_random *random, double stall, uint8_t *record)
{
	const bool is_stall = random_uniform(random) < stall;
	const bool is_hot = is_stall && random_uniform(random) < model->hot;
	const uint64_t ip = is_hot
		? model->hot_ip
		: model->first_ip + 2 * stats_random_below(random, model->instructions);

	model_record(record, model->layout, ip,
		is_stall ? model_reason(model, random) : EUSTALL_REASONS,
		(uint8_t)(1 + stats_random_below(random, MODEL_COUNT_MAX)));
}

/* A window's records, XeCore by XeCore. bytes has room for all. Returns the bytes. */
static inline size_t model_window(
	const struct model *model, struct stats_random *random, uint8_t *bytes)
{
	const double mean = model->stall + model->noise * random_normal(random);
	size_t n = 0;

	for (unsigned int core = 0; core < model->xecores; core++) {
		const bool busy = core % 2;
		const double stall =
			fmin(1, fmax(0, mean + (busy ? model->busier : -model->busier)));

		for (unsigned int i = 0; i < model->records; i++) {
			model_sample(model, random, stall, bytes + n);
			if (!busy || random_uniform(random) >= model->lost)
				n += EUSTALL_RECORD;
		}
	}
	return n;
}

#endif
