/* SPDX-License-Identifier: GPL-2.0-only */
/* What is kept of each GPU? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>

#include "sources/gpu/model.h"
#include "sources/common/parse_text.h"
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
