/* SPDX-License-Identifier: GPL-2.0-only */
/* What do the lines of the collector, or of a recording, say of each GPU? */
#include "base/banned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "sources/common/parse_text.h"
#include "sources/gpu/model.h"
#include "sources/gpu/lines.h"
#include "sources/gpu/clocks.h"
#include "sources/gpu/usage.h"

#define PROCESSES_MAX 4096

static void take_device(struct gpu_model *model, struct bytes words)
{
	struct gpu_state *state, fresh = {0};
	struct bytes name, driver, card;

	if (!text_word(&words, &name) || !text_word(&words, &driver) || !text_word(&words, &card) ||
		gpu_model_device(model, name) < model->n_devices ||
		model->n_devices == GPU_DEVICES_MAX ||
		!text_copy(name, fresh.id.name, sizeof(fresh.id.name)) ||
		!text_copy(driver, fresh.id.driver, sizeof(fresh.id.driver)))
		return;
	if (text_is(card, "-") || !text_copy(card, fresh.id.card, sizeof(fresh.id.card)))
		*fresh.id.card = 0;
	fresh.nvidia = !strcmp(fresh.id.driver, "nvidia");
	fresh.power_failed = fresh.wedged = fresh.coredump = NAN;
	fresh.ras_uncorrectable = fresh.ras_correctable = NAN;
	fresh.remap_pending = fresh.remap_failed = NAN;
	fresh.memory = fresh.memory_used = fresh.energy_uj = NAN;
	fresh.power_uw = fresh.power_limit_uw = NAN;
	fresh.hottest_ratio = fresh.hottest_celsius = NAN;
	fresh.milli = fresh.round_ratio = fresh.round_celsius = NAN;
	ARRAY_GROW(model->devices, model->n_devices, model->room_devices);
	state = &model->devices[model->n_devices++];
	*state = fresh;
}

/* "sensor.2.millicelsius", and its limit behind it. The one nearest to its limit counts; where
 * none has a limit, the hottest. What is at 0 or below is broken or was never set. */
static void take_sensor(struct gpu_state *state, bool limit, double value)
{
	double ratio = state->milli / value;

	if (value <= 0)
		return;
	if (!limit) {
		state->milli = value;
		if (!(state->round_celsius >= value / 1000))
			state->round_celsius = value / 1000;
	} else if (!(state->round_ratio >= ratio) && state->milli > 0) {
		state->round_ratio = ratio;
	}
}

static double *gpu_lines_number_of(struct gpu_state *state, struct bytes key)
{
	const struct {
		const char *key;
		double *value;
	} table[] = {
		{"power_failed", &state->power_failed},
		{"wedged", &state->wedged},
		{"coredump", &state->coredump},
		{"ras_uncorrectable", &state->ras_uncorrectable},
		{"ras_correctable", &state->ras_correctable},
		{"remap_pending", &state->remap_pending},
		{"remap_failed", &state->remap_failed},
		{"memory_bytes", &state->memory},
		{"memory_used_bytes", &state->memory_used},
		{"energy_uj", &state->energy_uj},
		{"power_uw", &state->power_uw},
		{"power_limit_uw", &state->power_limit_uw},
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (text_is(key, table[i].key))
			return table[i].value;
	return NULL;
}

static void gpu_lines_take_number(
	struct gpu_model *model, size_t device, struct bytes key, double value)
{
	struct gpu_state *state = &model->devices[device];
	double *number = gpu_lines_number_of(state, key);
	struct bytes part;

	if (number) {
		*number = value;
	} else if (text_is(key, "asleep")) {
		state->asleep = value > 0;
		state->rounds++;
		state->asleep_rounds += value > 0;
	} else if (text_is(key, "busy_percent")) {
		if (value < 0 || value > 100)
			return;
		state->percent_sum += value;
		state->percents++;
	} else if (text_starts(key, "sensor.")) {
		take_sensor(state, text_cut_end(&key, ".critical_millicelsius"), value);
	} else if (text_until(&key, '.', &part)) {
		gpu_model_take_clock(model, device, part, key, value);
	}
}

static void take_missing(struct gpu_model *model, struct bytes text)
{
	char *copy;
	size_t i;

	for (i = 0; i < model->n_missing; i++)
		if (text_is(text, model->missing[i]))
			return;
	if (model->n_missing == GPU_MISSING_MAX || text.len > 400)
		return;
	copy = mem_strndup(text.data, text.len);
	model->missing[model->n_missing++] = copy;
}

static void take_process(struct gpu_model *model, struct bytes words)
{
	struct gpu_process *process = NULL;
	double pid;
	size_t i;

	if (!text_next_number(&words, &pid) || pid < 1 || pid > UINT32_MAX || !words.len)
		return;
	words.data++; /* the blank */
	words.len--;
	if (number_map_get(&model->processes_by_pid, (uint64_t)pid, &i))
		process = &model->processes[i];
	if (!process) {
		if (model->n_processes == PROCESSES_MAX)
			return;
		number_map_add(&model->processes_by_pid, (uint64_t)pid, model->n_processes);
		ARRAY_GROW(model->processes, model->n_processes, model->room_processes);
		process = &model->processes[model->n_processes++];
		process->pid = (uint64_t)pid;
	}
	snprintf(process->name, sizeof(process->name), "%.*s", (int)words.len, words.data);
}

static void finish_round(struct gpu_model *model, bool nvidia)
{
	size_t i;

	for (i = 0; i < model->n_clocks; i++)
		if (model->devices[model->clocks[i].device].nvidia == nvidia)
			gpu_model_finish_clock(model, &model->clocks[i]);
	for (i = 0; i < model->n_devices; i++) {
		struct gpu_state *state = &model->devices[i];

		if (state->nvidia != nvidia)
			continue;
		state->limit_rounds += state->limits_told;
		state->hot_rounds += state->hot;
		state->limits_told = state->hot = false;
		if (isnan(state->round_celsius))
			continue;
		state->hottest_celsius = state->round_celsius;
		state->hottest_ratio = state->round_ratio;
		state->milli = state->round_ratio = state->round_celsius = NAN;
	}
	if (model->stream->scanning)
		gpu_model_finish_scan(model, nvidia);
	model->stream->scanning = false;
	model->stream->any_round = true;
}

static void take_silence(struct gpu_stream *stream, struct bytes words)
{
	double seconds;

	if (!text_next_number(&words, &seconds) || seconds < 0)
		return;
	stream->silent_seconds = seconds;
	if (words.len)
		snprintf(stream->where, sizeof(stream->where), "%.*s", (int)words.len - 1,
			words.data + 1);
}

static void take_scan(struct gpu_model *model, struct bytes words, bool nvidia)
{
	struct bytes word;
	double ns;
	size_t i;

	if (!text_next_number(&words, &ns) || ns < 0 || ns > 9e18 || !text_word(&words, &word))
		return;
	model->stream->before_ns = model->stream->scan_ns;
	model->stream->scan_ns = (uint64_t)ns;
	model->stream->scans++;
	model->stream->scanning = true;
	for (i = 0; i < model->n_devices; i++)
		if (model->devices[i].nvidia == nvidia) {
			model->devices[i].all = text_is(word, "all");
			model->devices[i].blind = model->devices[i].used = false;
			model->devices[i].counted = false;
			model->devices[i].untold[0] = model->devices[i].untold[1] = false;
		}
	gpu_model_forget_memories(model, nvidia);
}

static void gpu_lines_take_line(struct gpu_model *model, struct bytes line, bool nvidia)
{
	struct bytes word, key, number, rest = line;
	size_t device;
	double value;

	if (!text_word(&rest, &word))
		return;
	if (text_is(word, "gpu"))
		take_device(model, rest);
	else if (text_is(word, "scan"))
		take_scan(model, rest, nvidia);
	else if (text_is(word, "use"))
		gpu_model_add_use(model, rest);
	else if (text_is(word, "mem"))
		gpu_model_add_memory(model, rest);
	else if (text_is(word, "comm"))
		take_process(model, rest);
	else if (text_is(word, "missing") && rest.len > 1)
		take_missing(model, (struct bytes){rest.data + 1, rest.len - 1});
	else if (text_is(word, "silent"))
		take_silence(model->stream, rest);
	else if (text_is(word, "end"))
		finish_round(model, nvidia);
	else if (text_is(word, "blind") && text_word(&rest, &key) &&
		(device = gpu_model_device(model, key)) < model->n_devices)
		model->devices[device].blind = true;
	else if ((device = gpu_model_device(model, word)) < model->n_devices &&
		text_word(&rest, &key) && text_word(&rest, &number) && text_number(number, &value))
		gpu_lines_take_number(model, device, key, value);
}

void gpu_model_add(struct gpu_model *model, struct bytes lines, bool nvidia)
{
	struct bytes line;

	model->stream = &model->streams[nvidia];
	model->stream->adds++;
	model->stream->silent_seconds = NAN;
	while (text_line(&lines, &line))
		gpu_lines_take_line(model, line, nvidia);
}
