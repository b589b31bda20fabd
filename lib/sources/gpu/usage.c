/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long was each engine of a GPU busy, and for whom?
 *
 * A client's time is what its counter grew by between two scans. The kernel says that counters may
 * step back: such a step counts as nothing until the old value is reached again. The GPU's own
 * time, of which cycles are a part, starts anew after a reset or a deep sleep: nobody can tell then
 * what the device did since the scan before. A client seen for the first time counts from then on;
 * one that ended between two scans is not seen: so the sum over clients is the least that an engine
 * was busy. The PMU counts all.
 */
#include "base/banned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "sources/gpu/model.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sources/gpu/usage.h"

#define USES_MAX 16384
#define ENGINES_MAX 1024
#define MEMORIES_MAX 16384

static bool next_u64(struct bytes *words, uint64_t *out)
{
	struct bytes word;
	const char *at;

	if (!text_word(words, &word))
		return false;
	at = word.data;
	return !num_next(&at, word.data + word.len, out) && at == word.data + word.len;
}

static struct gpu_engine *gpu_intern_engine(
	struct gpu_model *model, size_t device, const char *name, bool pmu)
{
	struct gpu_engine *engine;
	size_t i;

	for (i = 0; i < model->n_engines; i++) {
		engine = &model->engines[i];
		if (engine->device == device && engine->pmu == pmu && !strcmp(engine->name, name))
			return engine;
	}
	if (model->n_engines == ENGINES_MAX)
		return NULL;
	ARRAY_GROW(model->engines, model->n_engines, model->room_engines);
	engine = &model->engines[model->n_engines++];
	memset(engine, 0, sizeof(*engine));
	engine->device = device;
	engine->pmu = pmu;
	snprintf(engine->name, sizeof(engine->name), "%s", name);
	return engine;
}

static uint64_t gpu_use_key(const struct gpu_use *use)
{
	return gpu_key(use->device, use->client, use->pmu, use->engine);
}

static struct gpu_use *find_use(struct gpu_model *model, const struct gpu_use *like)
{
	size_t i;

	return number_map_get(&model->uses_by_key, gpu_use_key(like), &i) ? &model->uses[i] : NULL;
}

/* The interval between two scans, in ns; 0 in the first one. */
static double interval_ns(const struct gpu_model *model)
{
	const struct gpu_stream *stream = model->stream;

	if (stream->scans < 2 || stream->scan_ns <= stream->before_ns)
		return 0;
	return (double)(stream->scan_ns - stream->before_ns);
}

/* What a counter grew by, as ns of one engine of the class; negative where that cannot be told. */
static double growth_ns(struct gpu_use *use, uint64_t busy, uint64_t total, bool cycles,
	uint64_t capacity, double interval)
{
	double grown = busy > use->busy ? (double)(busy - use->busy) : 0, ns;

	if (cycles && total == use->total && use->pmu)
		return 0;
	if (cycles && total <= use->total) {
		use->busy = busy;
		use->total = total;
		return -1;
	}
	ns = cycles ? grown / (double)(total - use->total) * interval : grown;
	if (busy > use->busy)
		use->busy = busy;
	use->total = total;
	ns /= (double)capacity;
	return ns < interval ? ns : interval;
}

static bool parse_use(const struct gpu_model *model, struct bytes words, struct gpu_use *use,
	uint64_t *capacity, bool *cycles)
{
	struct bytes word;

	memset(use, 0, sizeof(*use));
	if (!text_word(&words, &word))
		return false;
	use->device = gpu_model_device(model, word);
	if (use->device == model->n_devices)
		return false;
	if (text_starts(words, " pmu ")) {
		text_word(&words, &word);
		use->pmu = true;
	} else if (!next_u64(&words, &use->client)) {
		return false;
	}
	if (!next_u64(&words, &use->pid) || !text_word(&words, &word) ||
		!text_copy(word, use->engine, sizeof(use->engine)) || !next_u64(&words, capacity) ||
		!*capacity || !next_u64(&words, &use->busy))
		return false;
	*cycles = next_u64(&words, &use->total);
	return true;
}

void gpu_model_add_use(struct gpu_model *model, struct bytes words)
{
	struct gpu_use fresh, *use;
	struct gpu_engine *engine;
	uint64_t capacity;
	bool cycles;
	double ns;

	if (!model->stream->scanning || !parse_use(model, words, &fresh, &capacity, &cycles))
		return;
	engine = gpu_intern_engine(model, fresh.device, fresh.engine, fresh.pmu);
	if (fresh.pmu)
		model->devices[fresh.device].counted = true;
	else
		model->devices[fresh.device].used = true;
	use = find_use(model, &fresh);
	if (!use) {
		if (model->n_uses == USES_MAX) {
			/* Of all that use it some are not counted, who may be those that do most.
			 */
			model->cut = true;
			model->devices[fresh.device].all = false;
			return;
		}
		number_map_add(&model->uses_by_key, gpu_use_key(&fresh), model->n_uses);
		ARRAY_GROW(model->uses, model->n_uses, model->room_uses);
		fresh.scan = model->stream->scans;
		model->uses[model->n_uses++] = fresh;
		return;
	}
	/* Descriptors of one client are many: dup, fork, and files that are passed on. */
	if (use->scan == model->stream->scans)
		return;
	use->scan = model->stream->scans;
	use->pid = fresh.pid;
	ns = growth_ns(use, fresh.busy, fresh.total, cycles, capacity, interval_ns(model));
	if (ns < 0) {
		model->devices[fresh.device].untold[use->pmu] = true;
		return;
	}
	use->busy_ns += ns;
	if (engine)
		engine->scan_ns += ns;
}

void gpu_model_add_memory(struct gpu_model *model, struct bytes words)
{
	struct gpu_memory memory = {0};
	uint64_t bytes;
	struct bytes word;

	if (!text_word(&words, &word))
		return;
	memory.device = gpu_model_device(model, word);
	if (memory.device == model->n_devices || !next_u64(&words, &memory.client) ||
		!next_u64(&words, &memory.pid) || !text_word(&words, &word) ||
		!text_copy(word, memory.region, sizeof(memory.region)) || !next_u64(&words, &bytes))
		return;
	model->cut |= model->n_memories == MEMORIES_MAX;
	memory.bytes = (double)bytes;
	if (model->n_memories == MEMORIES_MAX ||
		!number_map_add(&model->memories_by_key,
			gpu_key(memory.device, memory.client, false, memory.region), 0))
		return;
	ARRAY_GROW(model->memories, model->n_memories, model->room_memories);
	model->memories[model->n_memories++] = memory;
}

/* Keeps those of the devices that another stream tells of. */
void gpu_model_forget_memories(struct gpu_model *model, bool nvidia)
{
	size_t i, kept = 0;

	number_map_clear(&model->memories_by_key);
	for (i = 0; i < model->n_memories; i++) {
		const struct gpu_memory *memory = &model->memories[i];

		if (model->devices[memory->device].nvidia == nvidia)
			continue;
		number_map_add(&model->memories_by_key,
			gpu_key(memory->device, memory->client, false, memory->region), 0);
		model->memories[kept++] = *memory;
	}
	model->n_memories = kept;
}

/* How long no part of it slept at most: of the one that slept least. Negative where not told. */
static double awake_ns(struct gpu_model *model, size_t device, double interval)
{
	double most = -1;
	size_t i;

	for (i = 0; i < model->n_clocks; i++) {
		struct gpu_clock *clock = &model->clocks[i];
		double slept = (clock->idle_ms - clock->idle_before) * 1e6, awake;

		if (clock->device != device)
			continue;
		clock->idle_before = clock->idle_ms;
		clock->idle_ms = NAN;
		if (!(slept >= 0))
			continue;
		awake = slept < interval ? interval - slept : 0;
		if (awake > most)
			most = awake;
	}
	return most;
}

/* ns of the busiest engine, and of the busiest that draws or computes; negative where not told. */
struct busiest {
	double any, gfx;
};

/* The time of the clients' engines or of the PMU's is added to what it was before. */
static struct busiest finish_engines(
	struct gpu_model *model, size_t device, bool pmu, double interval)
{
	bool untold = model->devices[device].untold[pmu];
	struct busiest most = {untold ? -1 : 0, untold ? -1 : 0};
	size_t i;

	for (i = 0; i < model->n_engines; i++) {
		struct gpu_engine *engine = &model->engines[i];
		double ns = engine->scan_ns < interval ? engine->scan_ns : interval;

		if (engine->device != device || engine->pmu != pmu)
			continue;
		engine->scan_ns = 0;
		if (untold)
			continue;
		if (ns > most.any)
			most.any = ns;
		if (ns > most.gfx && str_matches(engine->name, GPU_GFX_ENGINES))
			most.gfx = ns;
		engine->busy_ns += ns;
		engine->of_ns += interval;
	}
	return most;
}

/* What is told of one scan, besides the engines: ns, negative where it is not told. */
struct told {
	double interval, percent, awake;
};

/*
 * Between which bounds the time lies in which it was busy. The PMU sees everything. Clients are the
 * least, since those that ended between two scans are not among them; the driver's own percentage
 * where none was seen, or one whose work is not told. At most it was busy by that percentage, or as
 * long as it was awake: only where neither is told, the clients of every process are all there was.
 */
static void add_bounds(const struct gpu_state *state, double clients, double pmu,
	const struct told *told, struct gpu_bounds *bounds)
{
	bool all = state->all && !state->blind && !state->nvidia;
	double least = -1, most = -1;

	if (state->asleep)
		least = most = 0;
	else if (state->counted)
		least = most = pmu;
	else {
		least = state->used || all ? clients : -1;
		if (told->percent > least && (state->blind || least < 0))
			least = told->percent;
		most = told->percent >= 0 ? told->percent : told->awake;
		if (most < 0 && all)
			most = clients;
	}
	if (most >= 0 && most < least)
		most = least;
	if (least >= 0) {
		bounds->least_ns += least;
		bounds->least_of_ns += told->interval;
	}
	if (most >= 0) {
		bounds->most_ns += most;
		bounds->most_of_ns += told->interval;
	}
}

static void finish_device(struct gpu_model *model, size_t device, double interval)
{
	struct gpu_state *state = &model->devices[device];
	struct busiest clients = finish_engines(model, device, false, interval);
	struct busiest pmu = finish_engines(model, device, true, interval);
	struct told told = {.interval = interval, .percent = -1};

	told.awake = awake_ns(model, device, interval);
	if (state->percents)
		told.percent = state->percent_sum / (double)state->percents / 100 * interval;
	state->percent_sum = 0;
	state->percents = 0;
	add_bounds(state, clients.any, pmu.any, &told, &state->busy);
	add_bounds(state, clients.gfx, pmu.gfx, &told, &state->gfx_busy);
}

void gpu_model_finish_scan(struct gpu_model *model, bool nvidia)
{
	double interval = interval_ns(model);
	size_t i;

	for (i = 0; i < model->n_devices; i++)
		if (model->devices[i].nvidia == nvidia)
			finish_device(model, i, interval);
}
