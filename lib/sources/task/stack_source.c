/* SPDX-License-Identifier: GPL-2.0-only */
/* What do the stacks say that stackhealth has looked at? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>

#include "base/culprit.h"
#include "base/str.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/task/stack_source.h"
#include "stacks/stack_tally.h"
#include "stats/proportion.h"

#define CONFIDENCE 0.95
#define FUNCTIONS_TOLD 50

static const struct stack_tally *stack_source;

void stack_source_set(const struct stack_tally *tally)
{
	stack_source = tally;
}

/* "node[123]", or the name alone where no number is known. The caller frees. */
static char *stack_instance(const struct stack_process *process)
{
	return process->pid ? mem_printf("%s[%d]", process->comm, (int)process->pid)
			    : mem_strdup(process->comm);
}

static const struct stack_process *stack_process_of(const char *instance)
{
	const struct stack_process *found = NULL;

	for (size_t i = 0; stack_source && i < stack_source->n && !found; i++) {
		char *name = stack_instance(&stack_source->list[i]);

		if (str_ends(instance, name))
			found = &stack_source->list[i];
		free(name);
	}
	return found;
}

/* A share, and the least and the most that it can be by chance. */
static void stack_put_share(struct sink *sink, const char *instance, const char *what,
	uint64_t hits, const struct stack_process *process)
{
	char *field = mem_printf("%s_ratio", what), *least = mem_printf("%s_least_ratio", what);
	char *most = mem_printf("%s_most_ratio", what);
	struct stats_interval interval;

	sink_put(sink, instance, field,
		process->samples ? (double)hits / (double)process->samples : (double)NAN);
	if (!stats_share_interval(hits, process->samples, CONFIDENCE, &interval)) {
		sink_put(sink, instance, least, interval.low);
		sink_put(sink, instance, most, interval.high);
	}
	free(most);
	free(field);
	free(least);
}

/* By .eh_frame, where that was asked for. */
static void stack_put_walked(struct sink *sink, const char *name, const struct stack_walked *walked)
{
	if (!walked->samples)
		return;
	sink_put(sink, name, "walked", (double)walked->samples);
	sink_put(sink, name, "walked_whole_ratio", (double)walked->whole / (double)walked->samples);
	sink_put(sink, name, "walked_depth_p99", (double)walked->depth_p99);
	sink_put(sink, name, "pointer_frames_ratio",
		(double)walked->pointer_frames / (double)walked->frames);
	sink_put(sink, name, "copy_bytes", (double)walked->bytes / (double)walked->samples);
}

static void stack_put_process(
	struct sink *sink, const char *name, const struct stack_process *process)
{
	static const char *const states[STACK_STATES] = {
		"whole", "truncated", "broken", "empty", "unsure"};
	static const char *const unnamed[STACK_UNNAMED] = {
		"stripped", "deleted", "unmapped", "other"};
	uint64_t all_unnamed = 0;
	size_t i;

	sink_put(sink, name, "samples", (double)process->samples);
	for (i = 0; i < STACK_STATES; i++)
		stack_put_share(sink, name, states[i], process->states[i], process);
	for (i = 0; i < STACK_UNNAMED; i++) {
		stack_put_share(sink, name, unnamed[i], process->unnamed[i], process);
		all_unnamed += process->unnamed[i];
	}
	stack_put_share(sink, name, "unnamed", all_unnamed, process);
	if (process->frames)
		sink_put(sink, name, "frames_unnamed_ratio",
			(double)process->frames_unnamed / (double)process->frames);
	stack_put_walked(sink, name, &process->walked);
	sink_put(sink, name, "depth_p99", (double)stack_process_depth(process, 0.99));
	sink_put(sink, name, "depth_most", (double)stack_process_depth(process, 1));
	sink_put(sink, name, "limit", (double)stack_source->limit);
	/* Of what perf has cut, the depth is not known. */
	if (!stack_source->is_cut || !process->states[STACK_TRUNCATED])
		sink_put(sink, name, "limit_wanted", (double)stack_process_limit(process));
}

static int stack_read(struct capture *fs, void *state, struct sink *sink)
{
	(void)fs;
	(void)state;
	if (!stack_source)
		sink_absent(sink, "no stacks were looked at: stackhealth");
	else if (!stack_source->n)
		sink_missing(sink, "no sample was taken: nothing ran while it looked");
	for (size_t i = 0; stack_source && i < stack_source->n; i++) {
		char *name = stack_instance(&stack_source->list[i]);

		stack_put_process(sink, name, &stack_source->list[i]);
		free(name);
	}
	return 0;
}

static bool stack_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const struct stack_process *process = stack_process_of(instance);

	(void)fs;
	(void)state;
	if (!process || !process->pid)
		return false;
	*out = (struct culprit){.kind = "process"};
	snprintf(out->id, sizeof(out->id), "%d", (int)process->pid);
	snprintf(out->name, sizeof(out->name), "%.*s", (int)sizeof(out->name) - 1, process->comm);
	return true;
}

SOURCE(stack) = {
	.name = "stack",
	.what = "stacks of processes that stackhealth has looked at: which are whole, and which "
		"not",
	.fleeting = true,
	.read = stack_read,
	.culprit = stack_culprit,
};

static void stack_put_place(struct sink *sink, const struct stack_process *process,
	const struct stack_place *place, const char *owner)
{
	const char *file = *place->file ? place->file : "code that it made while it ran";
	char *name = mem_printf("%s of %s", file, owner);

	sink_put(sink, name, "samples", (double)process->samples);
	stack_put_share(sink, name, *place->file ? "file" : "compiled", place->stacks, process);
	/* The few functions of a small file tell nothing of how it was built. */
	if (place->looked >= FUNCTIONS_TOLD)
		sink_put(sink, name, "with_ratio",
			(double)place->with_frame_pointer / (double)place->looked);
	free(name);
}

static int stack_lost_read(struct capture *fs, void *state, struct sink *sink)
{
	bool any = false;

	(void)fs;
	(void)state;
	if (!stack_source)
		sink_absent(sink, "no stacks were looked at: stackhealth");
	for (size_t i = 0; stack_source && i < stack_source->n; i++) {
		const struct stack_process *process = &stack_source->list[i];
		char *owner = stack_instance(process);

		for (size_t k = 0; k < process->n_places; k++)
			stack_put_place(sink, process, &process->places[k], owner);
		any |= process->n_places > 0;
		free(owner);
	}
	if (stack_source && !any)
		sink_none(sink);
	return 0;
}

SOURCE(stack_lost) = {
	.name = "stack/lost",
	.what = "files in whose code the stacks break off that stackhealth has looked at",
	.fleeting = true,
	.read = stack_lost_read,
	.culprit = stack_culprit,
};
