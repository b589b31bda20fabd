/* SPDX-License-Identifier: GPL-2.0-only */
/* What are the stacks of a look called? */
#include "base/banned.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/number_map.h"
#include "base/str.h"
#include "flame/tree.h"
#include "stacks/fold.h"
#include "stacks/profile.h"
#include "stacks/stack_class.h"
#include "stacks/stack_roots.h"
#include "stacks/whose.h"
#include "symbols/elf_image.h"
#include "symbols/symbolizer.h"

#define BROKEN "[broken stack]"
#define TRUNCATED "[truncated stack]"
#define BORDER "-"

/* Whether a thread begins at a place. From the worst on. */
enum fold_root {
	FOLD_ROOT_NOT,
	FOLD_ROOT_MAYBE, /* it is in a C library of which it is not known where threads begin */
	FOLD_ROOT_IS,
};

/* A place that has its name. */
struct fold_place {
	uint32_t pid; /* 0: the kernel's */
	uint64_t address;
	const char *name;
	enum fold_root root;
	bool unnamed;
};

struct stacks_fold {
	const struct stacks_profile *profile;
	struct symbolizer *symbolizer;
	struct stack_roots *roots;
	enum stacks_by by;
	struct arena arena;
	struct fold_place *places;
	size_t n, room;
	struct number_map by_place;
	const char **groups; /* of each thread: whose its stacks are; NULL: not asked yet */
	struct stacks_folded seen;
};

struct stacks_fold *stacks_fold_new(
	const struct stacks_profile *profile, struct symbolizer *symbolizer, enum stacks_by by)
{
	struct stacks_fold *fold = mem_zalloc(sizeof(*fold));

	fold->profile = profile;
	fold->symbolizer = symbolizer;
	fold->roots = stack_roots_new();
	fold->by = by;
	fold->groups = mem_zalloc((profile->n_threads + 1) * sizeof(*fold->groups));
	return fold;
}

void stacks_fold_free(struct stacks_fold *fold)
{
	stack_roots_free(fold->roots);
	arena_free(&fold->arena);
	number_map_free(&fold->by_place);
	free(fold->places);
	free(fold->groups);
	free(fold);
}

/* Distributions strip the names of who calls main() out of the C library: it is learned then. */
static enum fold_root fold_root_at(
	struct stacks_fold *fold, uint32_t pid, const struct symbol *symbol)
{
	if (symbol->name && stack_is_root_name(symbol->name))
		return FOLD_ROOT_IS;
	if (!symbol->facts || !symbol->facts->starts_programs)
		return FOLD_ROOT_NOT;
	stack_roots_learn(fold->roots, fold->symbolizer, (pid_t)pid, symbol);
	if (stack_roots_has(fold->roots, symbol))
		return FOLD_ROOT_IS;
	return stack_roots_knows(fold->roots, symbol, true) &&
			stack_roots_knows(fold->roots, symbol, false)
		? FOLD_ROOT_NOT
		: FOLD_ROOT_MAYBE;
}

static void fold_name(struct stacks_fold *fold, struct fold_place *place)
{
	struct str name = STR_INIT;
	struct symbol symbol;

	if (place->pid)
		symbolizer_find(fold->symbolizer, (pid_t)place->pid, place->address, &symbol);
	else
		symbolizer_find_kernel(fold->symbolizer, place->address, &symbol);
	symbol_add_frame(&name, &symbol);
	place->name = arena_copy(&fold->arena, str_text(&name), name.len);
	place->root = place->pid ? fold_root_at(fold, place->pid, &symbol) : FOLD_ROOT_NOT;
	place->unnamed = !symbol.name;
	str_free(&name);
}

static const struct fold_place *fold_place(struct stacks_fold *fold, uint32_t pid, uint64_t address)
{
	const uint64_t words[] = {pid, address};
	uint64_t key = hash_keyed(words, sizeof(words));
	struct fold_place *place;
	size_t at;

	for (; number_map_get(&fold->by_place, key, &at); key++)
		if (fold->places[at].pid == pid && fold->places[at].address == address)
			return &fold->places[at];
	ARRAY_GROW(fold->places, fold->n, fold->room);
	number_map_add(&fold->by_place, key, fold->n);
	place = &fold->places[fold->n++];
	*place = (struct fold_place){.pid = pid, .address = address};
	fold_name(fold, place);
	return place;
}

/* The place of a stack's frame: a caller's is one byte before the address that is returned to,
 * since what calls last in a function may end there. */
static const struct fold_place *fold_frame(
	struct stacks_fold *fold, const struct stacks_stack *stack, size_t i)
{
	const bool is_user = i < stack->n_user, is_first = i == 0 || i == stack->n_user;

	return fold_place(fold, is_user ? stack->pid : 0, stack->frames[i] - !is_first);
}

static void fold_add(struct stacks_named *named, const char *frame)
{
	if (named->n < STACKS_FRAMES_MAX)
		named->frames[named->n++] = frame;
}

/* How the way along frame pointers ends: by one of its last three frames. */
static enum fold_root fold_root_of(struct stacks_fold *fold, const struct stacks_stack *stack)
{
	enum fold_root best = FOLD_ROOT_NOT;

	for (size_t i = stack->n_user; i > 0 && i + 3 > stack->n_user; i--) {
		const enum fold_root root = fold_frame(fold, stack, i - 1)->root;

		/* A thread is at least in one function that its library has called. */
		if (root == FOLD_ROOT_MAYBE && stack->n_user < 2)
			continue;
		best = root > best ? root : best;
	}
	return best;
}

/* Whether pointers lead to no root, or not as the rules of .eh_frame say. */
static bool fold_is_ruled(struct stacks_fold *fold, const struct stacks_stack *stack)
{
	return stack->n_ruled && (stack->ruled_whole || fold_root_of(fold, stack) == FOLD_ROOT_NOT);
}

/* The frames of the user, where it is first, with those that frame pointers do not see. */
static size_t fold_user_frames(struct stacks_fold *fold, const struct stacks_stack *stack)
{
	if (stack->text)
		return 0;
	return fold_is_ruled(fold, stack) ? stack->n_ruled : stack->n_user + stack->n_between;
}

static const struct fold_place *fold_user_frame(
	struct stacks_fold *fold, const struct stacks_stack *stack, size_t i)
{
	if (fold_is_ruled(fold, stack))
		return fold_place(fold, stack->pid, stack->ruled[i] - (i > 0));
	if (i && i <= stack->n_between)
		return fold_place(fold, stack->pid, stack->between[i - 1] - 1);
	return fold_frame(fold, stack, i ? i - stack->n_between : 0);
}

static void fold_judge(
	struct stacks_fold *fold, const struct stacks_stack *stack, struct stacks_named *named)
{
	if (!stack->n_user || stack->depth > stack->n_user || stack->ruled_whole ||
		fold_root_of(fold, stack) != FOLD_ROOT_NOT)
		return;
	named->truncated = stack->end == SAMPLE_END_LIMIT || stack->end == SAMPLE_END_MOST;
	named->broken = !named->truncated;
}

/* Our own way into the kernel's scheduler. */
static bool fold_is_probe(const char *name)
{
	return str_starts(name, "bpf_") || str_starts(name, "__bpf_") ||
		str_starts(name, "__traceiter_") || str_starts(name, "[unknown]");
}

/* The first frame of the kernel's that is not our looking. */
static size_t fold_kernel_begin(struct stacks_fold *fold, const struct stacks_stack *stack)
{
	const size_t n = stack->n_user + stack->n_kernel;
	size_t i, last = stack->n_user;

	if (!stack->id)
		return last;
	for (i = stack->n_user; i < n && i < stack->n_user + 6; i++)
		if (str_starts(fold_frame(fold, stack, i)->name, "__traceiter_") ||
			str_starts(fold_frame(fold, stack, i)->name, "bpf_trace_run"))
			last = i + 1;
	while (last < n && fold_is_probe(fold_frame(fold, stack, last)->name))
		last++;
	return last;
}

/* Lines "[<0>] do_wait+0x5/0x10", where it is first. */
static void fold_add_text(
	struct stacks_fold *fold, const struct stacks_stack *stack, struct stacks_named *named)
{
	const char *lines[SAMPLE_KERNEL_MOST];
	const char *line = stack->text;
	size_t n = 0;

	while (line && *line && n < SAMPLE_KERNEL_MOST) {
		const char *name = strstr(line, "] ");
		const size_t len = strcspn(line, "\n");

		if (name && name < line + len) {
			struct str text = STR_INIT;

			str_addn(&text, name + 2, strcspn(name + 2, "+\n;"));
			str_add(&text, "_[k]");
			lines[n++] = arena_copy(&fold->arena, str_text(&text), text.len);
			str_free(&text);
		}
		line += len + (line[len] != 0);
	}
	fold_add(named, "[not seen: asleep all the time]");
	named->kernel = named->n;
	while (n)
		fold_add(named, lines[--n]);
}

static void fold_add_stack(
	struct stacks_fold *fold, const struct stacks_stack *stack, struct stacks_named *named)
{
	size_t i, begin;

	named->user = named->n;
	if (stack->text) {
		fold_add_text(fold, stack, named);
		return;
	}
	fold_judge(fold, stack, named);
	if (named->broken)
		fold_add(named, BROKEN);
	if (named->truncated || stack->depth > stack->n_user)
		fold_add(named, TRUNCATED);
	for (i = fold_user_frames(fold, stack); i > 0; i--)
		fold_add(named, fold_user_frame(fold, stack, i - 1)->name);
	named->kernel = named->n;
	begin = fold_kernel_begin(fold, stack);
	for (i = stack->n_user + stack->n_kernel; i > begin; i--)
		fold_add(named, fold_frame(fold, stack, i - 1)->name);
}

/* The name of a waker's frame, which says no more whether it is the kernel's. */
static const char *fold_waker_name(struct stacks_fold *fold, const char *name)
{
	const size_t len = strlen(name);
	struct str text = STR_INIT;
	const char *copy;

	str_addn(&text, name, str_ends(name, "_[k]") || str_ends(name, "_[j]") ? len - 4 : len);
	str_add(&text, "_[w]");
	copy = arena_copy(&fold->arena, str_text(&text), text.len);
	str_free(&text);
	return copy;
}

/* Whether a frame of the kernel's is the way into an interrupt. */
static bool fold_is_interrupt(const char *frame)
{
	return str_matches(frame,
		"asm_sysvec_* asm_common_interrupt* common_interrupt* sysvec_* do_IRQ* "
		"el?_interrupt* el??_64_irq* gic_handle_irq* apic_timer_interrupt* "
		"smp_apic_timer_interrupt* hrtimer_interrupt*");
}

/* What an interrupt has interrupted has nothing to do with it. Returns where the stack of a waker
 * ends. */
static size_t fold_waker_end(
	struct stacks_fold *fold, const struct stacks_stack *stack, size_t begin, bool *interrupt)
{
	const size_t n = stack->n_user + stack->n_kernel;

	for (size_t i = begin; i < n; i++) {
		*interrupt = fold_is_interrupt(fold_frame(fold, stack, i)->name);
		if (*interrupt)
			return i + 1;
	}
	return n;
}

static void fold_add_waker(
	struct stacks_fold *fold, const struct stacks_entry *entry, struct stacks_named *named)
{
	const struct stacks_stack *stack;
	const struct stacks_thread *thread;
	bool interrupt = false;
	size_t begin, end, i;

	named->waker = named->waker_user = named->n;
	if (!entry->waker)
		return;
	fold_add(named, BORDER);
	thread = &fold->profile->threads[entry->waker - 1];
	if (entry->waker_stack) {
		stack = &fold->profile->stacks[entry->waker_stack - 1];
		begin = stack->text ? 0 : fold_kernel_begin(fold, stack);
		end = stack->text ? 0 : fold_waker_end(fold, stack, begin, &interrupt);
		for (i = begin; i < end; i++)
			fold_add(named, fold_waker_name(fold, fold_frame(fold, stack, i)->name));
		named->waker_user = named->n;
		for (i = 0; !interrupt && i < fold_user_frames(fold, stack); i++)
			fold_add(named,
				fold_waker_name(fold, fold_user_frame(fold, stack, i)->name));
	}
	fold_add(named,
		fold_waker_name(fold, interrupt || !thread->pid ? "[interrupt]" : thread->comm));
}

static const char *fold_group(struct stacks_fold *fold, size_t thread)
{
	struct str name = STR_INIT;

	if (!fold->groups[thread]) {
		stacks_whose_add(&name, fold->profile, thread, fold->by);
		fold->groups[thread] = arena_copy(&fold->arena, str_text(&name), name.len);
		str_free(&name);
	}
	return fold->groups[thread];
}

void stacks_fold_entry(
	struct stacks_fold *fold, const struct stacks_entry *entry, struct stacks_named *named)
{
	const struct stacks_stack *stack = &fold->profile->stacks[entry->stack];

	named->n = 0;
	named->broken = named->truncated = false;
	if (fold->by != STACKS_BY_NOTHING)
		fold_add(named, fold_group(fold, entry->thread));
	fold_add_stack(fold, stack, named);
	fold_add_waker(fold, entry, named);
}

/* Also of frames that were only counted. */
static size_t fold_depth(struct stacks_fold *fold, const struct stacks_stack *stack)
{
	if (stack->text || fold_is_ruled(fold, stack))
		return fold_user_frames(fold, stack);
	return stack->depth + stack->n_between;
}

static void fold_count(struct stacks_fold *fold, const struct stacks_entry *entry,
	const struct stacks_named *named)
{
	const struct stacks_stack *stack = &fold->profile->stacks[entry->stack];
	struct stacks_folded *seen = &fold->seen;

	if (fold_depth(fold, stack) > seen->deepest)
		seen->deepest = fold_depth(fold, stack);
	if (!stack->n_user)
		return;
	seen->with_user += entry->weight;
	seen->broken += named->broken ? entry->weight : 0;
	seen->truncated += named->truncated ? entry->weight : 0;
	if (!stack->n_kernel && fold_frame(fold, stack, 0)->unnamed)
		seen->unnamed += entry->weight;
}

void stacks_fold_tree(struct stacks_fold *fold, struct flame_tree *tree)
{
	struct stacks_named *named = mem_alloc(sizeof(*named));

	for (size_t i = 0; i < fold->profile->n_entries; i++) {
		const struct stacks_entry *entry = &fold->profile->entries[i];

		stacks_fold_entry(fold, entry, named);
		fold_count(fold, entry, named);
		flame_tree_add(tree, named->frames, named->n, entry->weight);
	}
	free(named);
}

struct stacks_folded stacks_fold_seen(const struct stacks_fold *fold)
{
	return fold->seen;
}
