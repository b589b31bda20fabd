/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get of a GPU's profile? Keys are kept for ever; what is not known has none.
 */

#include "base/json_write.h"
#include "tools/gpu/conclusion.h"

#define SCHEMA "tuesday-gpu/1"

/* An address has more digits than a number of JSON is sure to keep. */
static void set_address(json_t *object, const char *key, uint64_t address)
{
	char *text = mem_printf("0x%llx", (unsigned long long)address);

	json_object_set_new(object, key, json_string(text));
	free(text);
}

static void set_share(json_t *object, const struct gpu_share *share)
{
	json_put_number(object, "share", share->share);
	if (share->have_interval) {
		json_put_number(object, "share_low", share->interval.low);
		json_put_number(object, "share_high", share->interval.high);
	}
}

static json_t *make_device(const struct eustallfile_header *device)
{
	json_t *object = json_object();
	char *id = mem_printf("%04x", device->pci_id);

	json_put_text(object, "pci_id", id);
	free(id);
	json_put_count(object, "graphics_version", device->version);
	json_put_text(object, "layout", eustall_layout_name(device->layout));
	json_put_count(object, "gts", device->gts);
	json_put_count(object, "xecores", device->xecores);
	json_put_count(object, "sample_cycles", device->rate);
	return object;
}

static json_t *make_sample(const struct gpu_answer *answer, const struct gpu_profile *profile)
{
	json_t *object = json_object();

	json_put_count(object, "windows", profile->windows);
	json_put_count(object, "windows_used", profile->windows_used);
	json_put_number(object, "enabled_seconds", (double)profile->enabled_ns * 1e-9);
	json_put_number(object, "cpu_seconds", (double)profile->cpu_ns * 1e-9);
	json_put_count(object, "records", profile->totals.records);
	json_put_count(object, "samples", eustall_totals_samples(&profile->totals));
	json_put_count(object, "active", profile->totals.active);
	json_put_count(object, "records_saturated", profile->totals.saturated);
	json_put_count(object, "records_without_end_flag", profile->totals.bad_end_flags);
	json_put_count(object, "records_empty", profile->totals.zero);
	json_put_count(object, "reads", profile->reads);
	json_put_count(object, "drops", profile->drops);
	json_put_number(object, "drops_per_read", answer->drop_share);
	json_put_count(object, "resets", profile->resets);
	json_put_number(object, "not_kept_share", answer->unkept_share);
	return object;
}

static json_t *make_reasons(const struct gpu_answer *answer, const struct gpu_profile *profile)
{
	json_t *array = json_array();

	for (int i = 0; i < EUSTALL_REASONS; i++) {
		const enum eustall_reason reason = (enum eustall_reason)i;
		json_t *object = json_object();

		json_put_text(object, "name", eustall_reason_name(reason));
		json_put_text(object, "stage", eustall_stage_name(eustall_reason_stage(reason)));
		json_put_count(object, "samples", profile->totals.stall[i]);
		set_share(object, &answer->reasons[i]);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *make_spot(const struct gpu_spot *spot)
{
	json_t *object = json_object(), *stalls = json_object();

	set_address(object, "address", spot->address);
	if (spot->kernel) {
		json_put_text(object, "kernel", spot->kernel->name);
		set_address(object, "offset", spot->offset);
	}
	set_share(object, &spot->share);
	json_put_text(object, "reason", eustall_reason_name(spot->reason));
	json_put_number(object, "reason_share", spot->reason_share);
	json_put_count(object, "active", spot->entry.active);
	for (int i = 0; i < EUSTALL_REASONS; i++)
		if (spot->entry.stall[i])
			json_put_count(stalls, eustall_reason_name((enum eustall_reason)i),
				spot->entry.stall[i]);
	json_object_set_new(object, "stalls", stalls);
	return object;
}

static json_t *make_kernel(const struct gpu_kernel *kernel)
{
	json_t *object = json_object(), *stacks = json_array();

	json_put_text(object, "name", kernel->name);
	if (kernel->address) {
		set_address(object, "address", kernel->address);
		json_put_count(object, "bytes", kernel->size);
	}
	json_put_count(object, "launches", kernel->launches);
	if (kernel->ambiguous)
		json_object_set_new(object, "ambiguous", json_true());
	for (size_t i = 0; i < kernel->n_stacks; i++) {
		json_t *stack = json_object();

		json_put_text(stack, "frames", kernel->stacks[i].frames);
		json_put_count(stack, "launches", kernel->stacks[i].launches);
		json_array_append_new(stacks, stack);
	}
	json_object_set_new(object, "stacks", stacks);
	return object;
}

static json_t *make_howevers(const struct gpu_answer *answer)
{
	json_t *array = json_array();

	for (size_t i = 0; i < answer->n_howevers; i++)
		json_array_append_new(array, json_string(answer->howevers[i]));
	return array;
}

static json_t *make_conclusion(const struct gpu_answer *answer)
{
	json_t *object = json_object();

	json_put_text(object, "reason", eustall_reason_name(answer->dominant));
	json_put_text(object, "stage", eustall_stage_name(eustall_reason_stage(answer->dominant)));
	json_put_text(object, "next", eustall_reason_advice(answer->dominant)->next);
	if (answer->named)
		json_put_text(object, "first_instruction", answer->sure ? "it is" : "it may be");
	return object;
}

void gpu_answer_write_json(struct str *out, const struct gpu_answer *answer,
	const struct gpu_profile *profile, const struct eustallfile_header *device)
{
	json_t *top = json_array(), *kernels = json_array(), *stalled = json_object();
	json_t *root = json_pack("{ss}", "schema", SCHEMA);
	char *text;

	for (size_t i = 0; i < answer->n_top; i++)
		json_array_append_new(top, make_spot(&answer->top[i]));
	for (size_t i = 0; i < profile->kernels.n; i++)
		json_array_append_new(kernels, make_kernel(&profile->kernels.list[i]));
	set_share(stalled, &answer->stalled);
	json_put_text(root, "verdict", verdict_text(answer->verdict));
	json_put_text(root, "summary", str_text(&answer->summary));
	json_object_set_new(root, "device", make_device(device));
	json_object_set_new(root, "sample", make_sample(answer, profile));
	json_object_set_new(root, "stalled", stalled);
	json_object_set_new(root, "reasons", make_reasons(answer, profile));
	json_put_count(root, "instructions_count", answer->instructions);
	json_object_set_new(root, "instructions", top);
	json_put_number(root, "unnamed_share", answer->unnamed_share);
	json_object_set_new(root, "kernels", kernels);
	if (answer->verdict != VERDICT_UNKNOWN && answer->dominant < EUSTALL_REASONS)
		json_object_set_new(root, "conclusion", make_conclusion(answer));
	json_object_set_new(root, "howevers", make_howevers(answer));
	text = json_dumps(root, JSON_OURS);
	str_addf(out, "%s\n", text ? text : "{}");
	free(text);
	json_decref(root);
}
