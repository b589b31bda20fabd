/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions has each process now? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "flame/codepath.h"
#include "stacks/stack_class.h"
#include "tools/codepath/taken.h"
#include "tools/cpu/look.h"

void taken_free(struct taken_looks *taken)
{
	for (size_t i = 0; i < taken->n; i++)
		codepath_look_free(taken->list[i].look);
	free(taken->list);
}

static struct codepath_look *taken_of(
	struct taken_looks *taken, const char *name, const struct cpu_look *look)
{
	for (size_t i = 0; i < taken->n; i++)
		if (!strcmp(taken->list[i].name, name))
			return taken->list[i].look;
	ARRAY_GROW(taken->list, taken->n, taken->room);
	taken->list[taken->n] = (struct taken_process){
		name, codepath_look_new(look->seen.seconds, look->asked->hertz)};
	return taken->list[taken->n++].look;
}

/* What says that a stack is broken, or that a place has no name, is no function; and the C
 * library's beginning is in all stacks, by whatever name it has with and without its debug file. */
static bool taken_is_function(const char *frame)
{
	return frame[0] != '[' && !stack_is_root_name(frame);
}

/* Of a broken stack it is chance how far it leads: it counts where it is, and in the kernel. */
static size_t taken_begin(const struct stacks_named *named)
{
	return named->broken && named->kernel > 1 ? named->kernel - 1 : 1;
}

void taken_make(struct taken_looks *taken, const struct cpu_look *look)
{
	const struct stacks_profile *profile = &look->profile;
	struct stacks_named *named = mem_alloc(sizeof(*named));

	for (size_t i = 0; i < profile->n_entries; i++) {
		const struct stacks_entry *entry = &profile->entries[i];
		struct codepath_look *of;
		size_t n = 1;

		stacks_fold_entry(look->fold, entry, named);
		of = taken_of(taken, named->frames[0], look);
		for (size_t k = taken_begin(named); k < named->n; k++)
			if (taken_is_function(named->frames[k]))
				named->frames[n++] = named->frames[k];
		codepath_look_add(of, named->frames + 1, n - 1, profile->threads[entry->thread].tid,
			entry->slice, entry->weight);
	}
	free(named);
}
