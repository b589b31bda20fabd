/* SPDX-License-Identifier: GPL-2.0-only */
/* What is kept of each GPU? */
#include "base/banned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sources/gpu/model.h"
#include "sources/common/parse_text.h"
#include "base/hash.h"
#include "base/str.h"

struct gpu_model *gpu_model_new(void)
{
	struct gpu_model *model = mem_zalloc(sizeof(*model));

	model->streams[0].silent_seconds = model->streams[1].silent_seconds = NAN;
	return model;
}

void gpu_model_free(struct gpu_model *model)
{
	size_t i;

	for (i = 0; i < model->n_clocks; i++)
		free(model->clocks[i].reasons);
	for (i = 0; i < model->n_missing; i++)
		free(model->missing[i]);
	free(model->devices);
	free(model->clocks);
	free(model->engines);
	free(model->uses);
	free(model->memories);
	free(model->processes);
	number_map_free(&model->uses_by_key);
	number_map_free(&model->memories_by_key);
	number_map_free(&model->processes_by_pid);
	free(model);
}

size_t gpu_model_device(const struct gpu_model *model, struct bytes name)
{
	size_t i;

	for (i = 0; i < model->n_devices; i++)
		if (text_is(name, model->devices[i].id.name))
			break;
	return i;
}

uint64_t gpu_key(size_t device, uint64_t of, bool pmu, const char *name)
{
	struct {
		uint64_t device, of, pmu;
		char name[40];
	} key = {device, of, pmu, {0}};

	snprintf(key.name, sizeof(key.name), "%s", name);
	return hash_keyed(&key, sizeof(key));
}
