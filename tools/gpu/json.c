/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get of a GPU's profile? Keys are kept for ever; what is not known has none.
 */

#include "base/banned.h"
#include "base/json_write.h"
#include "tools/gpu/conclusion.h"
#include "sources/gpu/eustall_reasons.h"
#include "tools/gpu/json.h"

#define SCHEMA "tuesday-gpu/1"

/* An address has more digits than a number of JSON is sure to keep. */
static void write_address(struct json_writer *json, const char *key, uint64_t address)
{
	char *text = mem_printf("0x%llx", (unsigned long long)address);

	json_write_string(json, key, text);
	free(text);
}

static void write_share(struct json_writer *json, const struct gpu_share *share)
{
	json_write_number(json, "share", share->share);
	if (share->have_interval) {
		json_write_number(json, "share_low", share->interval.low);
		json_write_number(json, "share_high", share->interval.high);
	}
}

static void gpu_json_write_device(struct json_writer *json, const struct eustallfile_header *device)
{
	char *id = mem_printf("%04x", device->pci_id);

	json_open(json, "device", '{');
	json_write_text(json, "pci_id", id);
	free(id);
	json_write_count(json, "graphics_version", device->version);
	json_write_text(json, "layout", eustall_layout_name(device->layout));
	json_write_count(json, "gts", device->gts);
	json_write_count(json, "xecores", device->xecores);
	json_write_count(json, "sample_cycles", device->rate);
	json_close(json);
}

static void write_sample(struct json_writer *json, const struct gpu_conclusion *answer,
	const struct gpu_profile *profile)
{
	json_open(json, "sample", '{');
	json_write_count(json, "windows", profile->windows);
	json_write_count(json, "windows_used", profile->windows_used);
	json_write_number(json, "enabled_seconds", (double)profile->enabled_ns * 1e-9);
	json_write_number(json, "cpu_seconds", (double)profile->cpu_ns * 1e-9);
	json_write_count(json, "records", profile->totals.records);
	json_write_count(json, "samples", eustall_totals_samples(&profile->totals));
	json_write_count(json, "active", profile->totals.active);
	json_write_count(json, "records_saturated", profile->totals.saturated);
	json_write_count(json, "records_without_end_flag", profile->totals.bad_end_flags);
	json_write_count(json, "records_empty", profile->totals.zero);
	json_write_count(json, "reads", profile->reads);
	json_write_count(json, "drops", profile->drops);
	json_write_number(json, "drops_per_read", answer->drop_share);
	json_write_count(json, "resets", profile->resets);
	json_write_number(json, "not_kept_share", answer->unkept_share);
	json_close(json);
}

static void write_reasons(struct json_writer *json, const struct gpu_conclusion *answer,
	const struct gpu_profile *profile)
{
	json_open(json, "reasons", '[');
	for (int i = 0; i < EUSTALL_REASONS; i++) {
		const enum eustall_reason reason = (enum eustall_reason)i;

		json_open(json, NULL, '{');
		json_write_text(json, "name", eustall_reason_name(reason));
		json_write_text(json, "stage", eustall_stage_name(eustall_reason_stage(reason)));
		json_write_count(json, "samples", profile->totals.stall[i]);
		write_share(json, &answer->reasons[i]);
		json_close(json);
	}
	json_close(json);
}

static void write_spot(struct json_writer *json, const struct gpu_spot *spot)
{
	json_open(json, NULL, '{');
	write_address(json, "address", spot->address);
	if (spot->kernel) {
		json_write_text(json, "kernel", spot->kernel->name);
		write_address(json, "offset", spot->offset);
	}
	write_share(json, &spot->share);
	json_write_text(json, "reason", eustall_reason_name(spot->reason));
	json_write_number(json, "reason_share", spot->reason_share);
	json_write_count(json, "active", spot->entry.active);
	json_open(json, "stalls", '{');
	for (int i = 0; i < EUSTALL_REASONS; i++)
		if (spot->entry.stall[i])
			json_write_count(json, eustall_reason_name((enum eustall_reason)i),
				spot->entry.stall[i]);
	json_close(json);
	json_close(json);
}

static void write_kernel(struct json_writer *json, const struct gpu_kernel *kernel)
{
	json_open(json, NULL, '{');
	json_write_text(json, "name", kernel->name);
	if (kernel->address) {
		write_address(json, "address", kernel->address);
		json_write_count(json, "bytes", kernel->size);
	}
	json_write_count(json, "launches", kernel->launches);
	json_write_if(json, "ambiguous", kernel->ambiguous);
	json_open(json, "stacks", '[');
	for (size_t i = 0; i < kernel->n_stacks; i++) {
		json_open(json, NULL, '{');
		json_write_text(json, "frames", kernel->stacks[i].frames);
		json_write_count(json, "launches", kernel->stacks[i].launches);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void write_instructions(struct json_writer *json, const struct gpu_conclusion *answer)
{
	json_write_count(json, "instructions_count", answer->instructions);
	json_open(json, "instructions", '[');
	for (size_t i = 0; i < answer->n_top; i++)
		write_spot(json, &answer->top[i]);
	json_close(json);
	json_write_number(json, "unnamed_share", answer->unnamed_share);
}

static void write_conclusion(struct json_writer *json, const struct gpu_conclusion *answer)
{
	if (answer->verdict == VERDICT_UNKNOWN || answer->dominant >= EUSTALL_REASONS)
		return;
	json_open(json, "conclusion", '{');
	json_write_text(json, "reason", eustall_reason_name(answer->dominant));
	json_write_text(json, "stage", eustall_stage_name(eustall_reason_stage(answer->dominant)));
	json_write_text(json, "next", eustall_reason_advice(answer->dominant)->next);
	if (answer->named)
		json_write_text(json, "first_instruction", answer->sure ? "it is" : "it may be");
	json_close(json);
}

void gpu_conclusion_write_json(struct str *out, const struct gpu_conclusion *answer,
	const struct gpu_profile *profile, const struct eustallfile_header *device)
{
	struct json_writer json;

	json_start(&json, out);
	json_write_text(&json, "schema", SCHEMA);
	json_write_text(&json, "verdict", verdict_text(answer->verdict));
	json_write_text(&json, "summary", str_text(&answer->summary));
	gpu_json_write_device(&json, device);
	write_sample(&json, answer, profile);
	json_open(&json, "stalled", '{');
	write_share(&json, &answer->stalled);
	json_close(&json);
	write_reasons(&json, answer, profile);
	write_instructions(&json, answer);
	json_open(&json, "kernels", '[');
	for (size_t i = 0; i < profile->kernels.n; i++)
		write_kernel(&json, &profile->kernels.list[i]);
	json_close(&json);
	write_conclusion(&json, answer);
	json_write_texts(&json, "howevers", answer->howevers, answer->n_howevers);
	json_finish(&json);
}
