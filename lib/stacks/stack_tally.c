/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with the stacks of this process, and how often? */
#include "base/banned.h"

#include "base/str.h"
#include "stacks/stack_tally.h"
#include "symbols/elf_image.h"

static void tally_copy(char *to, size_t size, const char *text)
{
	const size_t len = strnlen(text, size - 1);

	memcpy(to, text, len);
	to[len] = 0;
}

struct stack_process *stack_tally_process(struct stack_tally *tally, pid_t pid, const char *comm)
{
	struct stack_process *process;

	for (size_t i = tally->n; i; i--) {
		process = &tally->list[i - 1];
		if (process->pid == pid && (pid || !strncmp(process->comm, comm, STACK_COMM - 1)))
			return process;
	}
	if (tally->n == STACK_PROCESSES_MAX) {
		tally->left_out++;
		return NULL;
	}
	ARRAY_GROW(tally->list, tally->n, tally->room);
	process = &tally->list[tally->n++];
	*process = (struct stack_process){.pid = pid};
	tally_copy(process->comm, sizeof(process->comm), comm);
	process->depths = mem_zalloc((STACK_DEPTH_MAX + 1) * sizeof(*process->depths));
	return process;
}

static void tally_add_place(struct stack_process *process, const char *file,
	const struct stack_frame *last, uint64_t weight)
{
	struct stack_place *place;
	size_t i;

	for (i = 0; i < process->n_places; i++)
		if (!strncmp(process->places[i].file, file, STACK_FILE - 1))
			break;
	if (i == process->n_places && i < STACK_PLACES) {
		process->n_places++;
		place = &process->places[i];
		tally_copy(
			place->file, sizeof(place->file), i < STACK_PLACES - 1 ? file : "others");
	}
	place = &process->places[i < STACK_PLACES ? i : STACK_PLACES - 1];
	place->stacks += weight;
	if (last && last->facts && i < STACK_PLACES - 1) {
		place->looked = last->facts->looked;
		place->with_frame_pointer = last->facts->with_frame_pointer;
	}
}

static enum stack_unnamed tally_why_unnamed(const struct stack_frame *frame)
{
	if (frame->deleted || frame->class == SYMBOL_GONE)
		return STACK_UNNAMED_DELETED;
	if (frame->class == SYMBOL_STRIPPED)
		return STACK_UNNAMED_STRIPPED;
	return frame->class == SYMBOL_NO_MAP ? STACK_UNNAMED_NO_MAP : STACK_UNNAMED_OTHER;
}

/* Where a stack breaks off: the file, or where none is known the function. */
static const char *tally_place_of(const struct stack_frame *last)
{
	if (last->file)
		return last->file;
	if (last->class == SYMBOL_COMPILED || last->class == SYMBOL_NO_MAP || !last->name)
		return "";
	return last->name;
}

void stack_tally_add(struct stack_tally *tally, struct stack_process *process,
	const struct stack_taken *taken, uint64_t weight)
{
	const struct stack_frame *frames = taken->frames;
	const uint64_t user = taken->user_depth;
	const size_t n = taken->n;
	struct stack_finding finding;

	stack_classify(&finding, frames, n, taken->depth, tally->limit);
	process->samples += weight;
	process->states[finding.state] += weight;
	process->depths[user < STACK_DEPTH_MAX ? user : STACK_DEPTH_MAX] += weight;
	if (taken->depth > user + process->kernel_frames)
		process->kernel_frames = taken->depth - user;
	if (finding.state == STACK_BROKEN)
		tally_add_place(process, tally_place_of(finding.last), finding.last, weight);
	/* A file that has no name any more has no symbols for perf, whatever it had. */
	if (n && (!frames[0].name || frames[0].deleted))
		process->unnamed[tally_why_unnamed(&frames[0])] += weight;
	process->frames += n * weight;
	for (size_t i = 0; i < n; i++)
		process->frames_unnamed += frames[i].name ? 0 : weight;
}

void stack_tally_free(struct stack_tally *tally)
{
	for (size_t i = 0; i < tally->n; i++)
		free(tally->list[i].depths);
	free(tally->list);
	*tally = (struct stack_tally){.n = 0};
}

uint64_t stack_process_depth(const struct stack_process *process, double quantile)
{
	const double wanted = quantile * (double)process->samples;
	double seen = 0;
	uint64_t depth;

	for (depth = 0; depth < STACK_DEPTH_MAX; depth++) {
		seen += (double)process->depths[depth];
		if (seen >= wanted)
			break;
	}
	return depth;
}

uint64_t stack_limit_for(uint64_t depth)
{
	uint64_t limit = 128;

	while (limit < depth && limit < 1 << 20)
		limit *= 2;
	return limit;
}

uint64_t stack_process_limit(const struct stack_process *process)
{
	return stack_limit_for(stack_process_depth(process, 0.99) + process->kernel_frames);
}
