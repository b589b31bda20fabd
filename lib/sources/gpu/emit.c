/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers do the sources of GPUs hand out? Names of instances are NAME, NAME/gt0,
 * NAME/gt0/thermal, NAME/rcs, NAME/PID and NAME/PID/rcs. */
#include "base/banned.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sample/source.h"
#include "sources/gpu/model.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/gpu/emit.h"
#include "sources/gpu/clocks.h"

#define INSTANCE_BYTES 160
#define LABEL_BYTES 200

const char *gpu_process_name(const struct gpu_model *model, uint64_t pid)
{
	size_t i;

	return number_map_get(&model->processes_by_pid, pid, &i) ? model->processes[i].name : "?";
}

/* "card0 (xe, 0000:03:00.0)" */
static void device_label(const struct gpu_state *state, char *buf, size_t size)
{
	if (*state->id.card)
		snprintf(
			buf, size, "%s (%s, %s)", state->id.card, state->id.driver, state->id.name);
	else
		snprintf(buf, size, "%s (%s)", state->id.name, state->id.driver);
}

static const char *short_name(const struct gpu_state *state)
{
	return *state->id.card ? state->id.card : state->id.name;
}

/* In the first sample there is nothing to compare with, and 0 is right. Later 0 of 0 would say that
 * there was nothing to do where nobody could tell. */
static void put_busy(const struct gpu_model *model, const struct gpu_bounds *busy,
	const char *instance, struct sink *sink)
{
	bool first = model->streams[0].adds <= 1 && model->streams[1].adds <= 1;

	if (first || busy->least_of_ns > 0) {
		sink_put(sink, instance, "busy_least_ns", busy->least_ns);
		sink_put(sink, instance, "busy_least_of_ns", busy->least_of_ns);
	}
	if (first || busy->most_of_ns > 0) {
		sink_put(sink, instance, "busy_most_ns", busy->most_ns);
		sink_put(sink, instance, "busy_most_of_ns", busy->most_of_ns);
	}
}

/* What has answered no question yet may hang in the first one. */
static void say_silent(
	const struct gpu_model *model, const struct gpu_state *state, struct sink *sink)
{
	const struct gpu_stream *stream = &model->streams[state->nvidia];

	if (!stream->any_round && stream->silent_seconds > 0)
		sink_missing(sink, "%s: no answer yet, from %s", state->id.name,
			*stream->where ? stream->where : "the kernel");
}

static void gpu_put_device(
	const struct gpu_model *model, const struct gpu_state *state, struct sink *sink)
{
	const struct {
		const char *field;
		double value;
	} table[] = {
		{"silent_seconds", model->streams[state->nvidia].silent_seconds},
		{"asleep", state->rounds ? state->asleep : (double)NAN},
		{"asleep_samples", (double)state->asleep_rounds},
		{"samples", (double)state->rounds},
		{"limit_samples", (double)state->limit_rounds},
		{"hot_samples", (double)state->hot_rounds},
		{"power_failed", state->power_failed},
		{"wedged", state->wedged},
		{"coredump", state->coredump},
		{"ras_uncorrectable", state->ras_uncorrectable},
		{"ras_correctable", state->ras_correctable},
		{"remap_pending", state->remap_pending},
		{"remap_failed", state->remap_failed},
		{"memory_bytes", state->memory},
		{"memory_used_bytes", state->memory_used},
		{"energy_uj", state->energy_uj},
		{"power_uw", state->power_uw},
		{"power_limit_uw", state->power_limit_uw},
		{"hottest_ratio", state->hottest_ratio},
		{"hottest_celsius", state->hottest_celsius},
	};
	char label[LABEL_BYTES];
	size_t i;

	put_busy(model, &state->busy, state->id.name, sink);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		sink_put(sink, state->id.name, table[i].field, table[i].value);
	device_label(state, label, sizeof(label));
	sink_label(sink, state->id.name, label);
}

/* "NAME/gfx", "NAME/gfx/hot" */
static bool is_of_gfx(const char *instance)
{
	const char *part = strchr(instance, '/');

	return part && (!strcmp(part, "/gfx") || str_starts(part, "/gfx/"));
}

static void put_clock(
	const struct gpu_model *model, const struct gpu_clock *clock, struct sink *sink)
{
	const struct gpu_state *state = &model->devices[clock->device];
	char instance[INSTANCE_BYTES], label[LABEL_BYTES];

	snprintf(instance, sizeof(instance), "%s/%s", state->id.name, clock->name);
	put_busy(model, is_of_gfx(instance) ? &state->gfx_busy : &state->busy, instance, sink);
	/* Where no reason was ever told, 0 of 0 samples would say that none was set. */
	if (clock->n_reasons) {
		sink_put(sink, instance, "samples", (double)clock->samples);
		sink_put(sink, instance, "hot_samples", (double)clock->hot_samples);
		sink_put(sink, instance, "power_samples", (double)clock->power_samples);
	}
	sink_put(sink, instance, "clock_samples", (double)clock->speed.n);
	sink_put(sink, instance, "clock_ratio", gpu_median(&clock->speed));
	sink_put(sink, instance, "base_clock_ratio", gpu_median(&clock->over_base));
	sink_put(sink, instance, "max_mhz", clock->max);
	sink_put(sink, instance, "top_mhz", clock->top);
	snprintf(label, sizeof(label), "%s %s", short_name(state), clock->name);
	sink_label(sink, instance, label);
}

static void put_reasons(
	const struct gpu_model *model, const struct gpu_clock *clock, struct sink *sink)
{
	const struct gpu_state *state = &model->devices[clock->device];
	char instance[INSTANCE_BYTES], label[LABEL_BYTES];
	size_t i;

	for (i = 0; i < clock->n_reasons; i++) {
		const struct gpu_reason *reason = &clock->reasons[i];

		snprintf(instance, sizeof(instance), "%s/%s/%s", state->id.name, clock->name,
			reason->name);
		sink_put(sink, instance, "samples", (double)reason->samples);
		sink_put(sink, instance, "set_samples", (double)reason->set_samples);
		snprintf(label, sizeof(label), "%s of %s %s", reason->name, short_name(state),
			clock->name);
		sink_label(sink, instance, label);
	}
}

static void put_engine(
	const struct gpu_model *model, const struct gpu_engine *engine, struct sink *sink)
{
	const struct gpu_state *state = &model->devices[engine->device];
	char instance[INSTANCE_BYTES], label[LABEL_BYTES];

	snprintf(instance, sizeof(instance), "%s/%s%s", state->id.name, engine->name,
		engine->pmu ? "(pmu)" : "");
	sink_put(sink, instance, "busy_ns", engine->busy_ns);
	sink_put(sink, instance, "of_ns", engine->of_ns);
	snprintf(label, sizeof(label), "%s of %s", engine->name, short_name(state));
	sink_label(sink, instance, label);
}

/* Sums of one process, which may be several clients, by the first of them. */
struct gpu_sums {
	struct number_map places; /* by gpu_key() of the process */
	struct gpu_sum {
		size_t at; /* in the model's list */
		double value;
	} * list;
	size_t n, room;
};

static void gpu_sums_add(struct gpu_sums *sums, uint64_t key, size_t at, double value)
{
	size_t place = sums->n;

	if (number_map_add(&sums->places, key, sums->n)) {
		ARRAY_GROW(sums->list, sums->n, sums->room);
		sums->list[sums->n++] = (struct gpu_sum){at, 0};
	} else {
		number_map_get(&sums->places, key, &place);
	}
	sums->list[place].value += value;
}

static void gpu_sums_free(struct gpu_sums *sums)
{
	number_map_free(&sums->places);
	free(sums->list);
}

static void put_use(const struct gpu_model *model, const struct gpu_sum *sum, struct sink *sink)
{
	const struct gpu_use *use = &model->uses[sum->at];
	const struct gpu_state *state = &model->devices[use->device];
	char instance[INSTANCE_BYTES], label[LABEL_BYTES];
	double of_ns = 0;
	size_t i;

	for (i = 0; i < model->n_engines; i++)
		if (model->engines[i].device == use->device && !model->engines[i].pmu &&
			!strcmp(model->engines[i].name, use->engine))
			of_ns = model->engines[i].of_ns;
	snprintf(instance, sizeof(instance), "%s/%" PRIu64 "/%s", state->id.name, use->pid,
		use->engine);
	sink_put(sink, instance, "busy_ns", sum->value);
	sink_put(sink, instance, "of_ns", of_ns);
	snprintf(label, sizeof(label), "%s (pid %" PRIu64 ") on %s of %s",
		gpu_process_name(model, use->pid), use->pid, use->engine, short_name(state));
	sink_label(sink, instance, label);
}

static void put_memory(const struct gpu_model *model, const struct gpu_sum *sum, struct sink *sink)
{
	const struct gpu_memory *memory = &model->memories[sum->at];
	const struct gpu_state *state = &model->devices[memory->device];
	char instance[INSTANCE_BYTES], label[LABEL_BYTES];

	snprintf(instance, sizeof(instance), "%s/%" PRIu64, state->id.name, memory->pid);
	sink_put(sink, instance, "memory_bytes", sum->value);
	snprintf(label, sizeof(label), "%s (pid %" PRIu64 ") on %s",
		gpu_process_name(model, memory->pid), memory->pid, short_name(state));
	sink_label(sink, instance, label);
}

static void put_clients(const struct gpu_model *model, struct sink *sink)
{
	struct gpu_sums uses = {0}, memories = {0};
	size_t i;

	for (i = 0; i < model->n_uses; i++) {
		const struct gpu_use *use = &model->uses[i];

		if (!use->pmu)
			gpu_sums_add(&uses, gpu_key(use->device, use->pid, false, use->engine), i,
				use->busy_ns);
	}
	for (i = 0; i < model->n_memories; i++) {
		const struct gpu_memory *memory = &model->memories[i];

		gpu_sums_add(&memories, gpu_key(memory->device, memory->pid, false, ""), i,
			memory->bytes);
	}
	for (i = 0; i < uses.n; i++)
		put_use(model, &uses.list[i], sink);
	for (i = 0; i < memories.n; i++)
		put_memory(model, &memories.list[i], sink);
	gpu_sums_free(&uses);
	gpu_sums_free(&memories);
	if (model->n_devices && !model->n_uses && !model->n_memories)
		sink_none(sink);
}

/* Nothing of the kind where every GPU sleeps: it was not looked for. */
static bool all_asleep(const struct gpu_model *model)
{
	size_t i;

	for (i = 0; i < model->n_devices; i++)
		if (!model->devices[i].asleep)
			return false;
	return model->n_devices > 0;
}

void gpu_model_put(const struct gpu_model *model, enum gpu_view view, struct sink *sink)
{
	size_t i;

	if (!model->n_devices)
		sink_absent(sink, "there is no GPU here, but what only shows pictures");
	for (i = 0; i < model->n_missing; i++)
		sink_missing(sink, "%s", model->missing[i]);
	if (model->cut)
		sink_missing(sink, "the GPUs have more clients than are followed");
	for (i = 0; i < model->n_devices; i++)
		say_silent(model, &model->devices[i], sink);
	if (view == GPU_VIEW_DEVICE)
		for (i = 0; i < model->n_devices; i++)
			gpu_put_device(model, &model->devices[i], sink);
	if (view == GPU_VIEW_ENGINE)
		for (i = 0; i < model->n_engines; i++)
			put_engine(model, &model->engines[i], sink);
	for (i = 0; i < model->n_clocks; i++) {
		if (view == GPU_VIEW_CLOCK)
			put_clock(model, &model->clocks[i], sink);
		if (view == GPU_VIEW_REASON)
			put_reasons(model, &model->clocks[i], sink);
	}
	if (view == GPU_VIEW_CLIENT)
		put_clients(model, sink);
	else if (view != GPU_VIEW_DEVICE && all_asleep(model))
		sink_none(sink);
}

/* The process that used most of it; where only memory is told, or most of the use is of processes
 * that do not tell theirs, that which has most of that. */
static uint64_t heaviest_process(const struct gpu_model *model, size_t device, bool gfx)
{
	const struct gpu_state *state = &model->devices[device];
	const struct gpu_bounds *busy = gfx ? &state->gfx_busy : &state->busy;
	const struct gpu_use *most = NULL;
	const struct gpu_memory *largest = NULL;
	size_t i;

	for (i = 0; i < model->n_uses; i++) {
		const struct gpu_use *use = &model->uses[i];

		if (use->device == device && !use->pmu && use->busy_ns > 0 &&
			(!gfx || str_matches(use->engine, GPU_GFX_ENGINES)) &&
			(!most || use->busy_ns > most->busy_ns))
			most = use;
	}
	for (i = 0; i < model->n_memories; i++) {
		const struct gpu_memory *memory = &model->memories[i];

		if (memory->device == device && (!largest || memory->bytes > largest->bytes))
			largest = memory;
	}
	if (most && largest && state->blind && most->busy_ns < busy->least_ns / 2)
		return largest->pid;
	return most ? most->pid : largest ? largest->pid : 0;
}

bool gpu_model_culprit(
	const struct gpu_model *model, const char *instance, bool user, struct culprit *out)
{
	const char *slash = strchr(instance, '/');
	size_t len = slash ? (size_t)(slash - instance) : strlen(instance);
	size_t device = gpu_model_device(model, (struct bytes){instance, len});
	uint64_t pid;

	if (device == model->n_devices)
		return false;
	pid = user ? heaviest_process(model, device, is_of_gfx(instance)) : 0;
	if (!pid) {
		snprintf(out->kind, sizeof(out->kind), "device");
		snprintf(out->name, sizeof(out->name), "%s", short_name(&model->devices[device]));
		snprintf(out->id, sizeof(out->id), "%s", model->devices[device].id.name);
		return true;
	}
	snprintf(out->kind, sizeof(out->kind), "process");
	snprintf(out->name, sizeof(out->name), "%s", gpu_process_name(model, pid));
	snprintf(out->id, sizeof(out->id), "%" PRIu64, pid);
	return true;
}
