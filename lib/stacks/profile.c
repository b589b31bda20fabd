/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stacks were seen, of whom, and how often? */
#include "base/banned.h"

#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "stacks/profile.h"

#define FNV_PRIME 0x100000001b3ULL

void stacks_profile_free(struct stacks_profile *profile)
{
	arena_free(&profile->arena);
	free(profile->stacks);
	free(profile->threads);
	free(profile->entries);
	number_map_free(&profile->by_hash);
	number_map_free(&profile->by_tid);
	number_map_free(&profile->by_entry);
	number_map_free(&profile->met_pids);
}

static void profile_meet(struct stacks_profile *profile, uint32_t pid)
{
	if (!profile->met || pid == profile->met_last || !pid)
		return;
	profile->met_last = pid;
	if (number_map_add(&profile->met_pids, pid, 0))
		profile->met(profile->met_arg, pid);
}

static bool profile_is_stack(
	const struct stacks_stack *stack, const struct sample_record *record, uint64_t hash)
{
	const size_t n = record->user + record->kernel;

	return stack->hash == hash && stack->pid == record->pid && stack->id == record->id &&
		stack->n_user == record->user && stack->n_kernel == record->kernel &&
		stack->depth == record->depth && stack->frames &&
		stack->n_words == record->n_words &&
		!memcmp(stack->frames, record->frames, n * sizeof(*record->frames));
}

static struct stacks_stack *profile_new_stack(struct stacks_profile *profile, uint64_t key)
{
	struct stacks_stack *stack;

	ARRAY_GROW(profile->stacks, profile->n_stacks, profile->stacks_room);
	number_map_add(&profile->by_hash, key, profile->n_stacks);
	stack = &profile->stacks[profile->n_stacks++];
	*stack = (struct stacks_stack){.id = 0};
	return stack;
}

/* Of two stacks that frame pointers lead along, one may be of another caller: of the words at its
 * beginning those that may be such an address count too. */
static uint64_t profile_hash(const struct sample_record *record)
{
	const size_t bytes = (record->user + record->kernel) * sizeof(*record->frames);
	uint64_t hash = hash_keyed(record->frames, bytes) ^ record->pid;

	for (size_t i = 0; i < record->n_words; i++)
		if (sample_may_be_code(record, record->words[i]))
			hash = (hash ^ record->words[i]) * FNV_PRIME;
	return hash;
}

/* The number of a stack; what hashes alike has the next keys. */
static size_t profile_stack(struct stacks_profile *profile, const struct sample_record *record)
{
	const size_t bytes = (record->user + record->kernel) * sizeof(*record->frames);
	const uint64_t hash = profile_hash(record);
	/* Those that the kernel has named are found by that. */
	uint64_t key = record->id ? record->id : hash;
	struct stacks_stack *stack;
	size_t at;

	for (; number_map_get(&profile->by_hash, key, &at); key++)
		if (profile_is_stack(&profile->stacks[at], record, hash))
			return at;
		else if (record->id && profile->stacks[at].id == record->id)
			return at;
	stack = profile_new_stack(profile, key);
	stack->id = record->id;
	stack->hash = hash;
	stack->pid = record->pid;
	stack->n_user = record->user;
	stack->n_kernel = record->kernel;
	stack->depth = record->depth;
	stack->end = (enum sample_end)record->end;
	stack->frames = arena_alloc(&profile->arena, bytes ? bytes : 1);
	memcpy(stack->frames, record->frames, bytes);
	stack->bp = record->bp;
	stack->sp = record->sp;
	stack->n_words = record->n_words;
	stack->words = arena_alloc(&profile->arena, sizeof(record->words));
	memcpy(stack->words, record->words, sizeof(record->words));
	return profile->n_stacks - 1;
}

static size_t profile_thread(
	struct stacks_profile *profile, uint32_t pid, uint32_t tid, const char *comm)
{
	struct stacks_thread *thread;
	uint64_t key = tid;
	size_t at;

	/* A number may have been given anew; on each CPU there is a thread 0. */
	for (; number_map_get(&profile->by_tid, key, &at); key += (uint64_t)1 << 32)
		if (profile->threads[at].pid == pid)
			return at;
	ARRAY_GROW(profile->threads, profile->n_threads, profile->threads_room);
	number_map_add(&profile->by_tid, key, profile->n_threads);
	thread = &profile->threads[profile->n_threads];
	*thread = (struct stacks_thread){.pid = pid, .tid = tid};
	memcpy(thread->comm, comm, strnlen(comm, sizeof(thread->comm) - 1));
	return profile->n_threads++;
}

static bool profile_is_entry(const struct stacks_entry *a, const struct stacks_entry *b)
{
	return a->stack == b->stack && a->thread == b->thread && a->waker == b->waker &&
		a->waker_stack == b->waker_stack && a->slice == b->slice;
}

static struct stacks_entry *profile_entry(
	struct stacks_profile *profile, const struct stacks_entry *like)
{
	const uint64_t words[] = {
		like->stack, like->thread, like->waker, like->waker_stack, like->slice};
	uint64_t key = hash_keyed(words, sizeof(words));
	size_t at;

	for (; number_map_get(&profile->by_entry, key, &at); key++)
		if (profile_is_entry(&profile->entries[at], like))
			return &profile->entries[at];
	ARRAY_GROW(profile->entries, profile->n_entries, profile->entries_room);
	number_map_add(&profile->by_entry, key, profile->n_entries);
	profile->entries[profile->n_entries] = *like;
	return &profile->entries[profile->n_entries++];
}

static unsigned int profile_slice(const struct stacks_profile *profile, uint64_t at_ns)
{
	uint64_t slice;

	if (!profile->slice_ns || at_ns < profile->began_ns)
		return 0;
	slice = (at_ns - profile->began_ns) / profile->slice_ns;
	return slice < profile->slices ? (unsigned int)slice : profile->slices - 1;
}

void stacks_profile_sample(struct stacks_profile *profile, const struct sample_record *record)
{
	struct stacks_entry like = {.slice = profile_slice(profile, record->at_ns)}, *entry;
	struct stacks_thread *thread;

	profile_meet(profile, record->pid);
	like.stack = profile_stack(profile, record);
	like.thread = profile_thread(profile, record->pid, record->tid, record->comm);
	entry = profile_entry(profile, &like);
	entry->weight++;
	entry->times++;
	thread = &profile->threads[like.thread];
	thread->weight++;
	thread->cgroup = record->cgroup;
	/* It may have been renamed: the last name is the one that a person sees. */
	memcpy(thread->comm, record->comm, sizeof(thread->comm));
	thread->comm[sizeof(thread->comm) - 1] = '\0';
	profile->total++;
	profile->in_kernel += !record->in_user;
}

void stacks_profile_stack(struct stacks_profile *profile, const struct sample_record *record)
{
	profile_meet(profile, record->pid);
	profile_stack(profile, record);
}

void stacks_profile_text(
	struct stacks_profile *profile, uint32_t pid, uint64_t id, const char *text)
{
	struct stacks_stack *stack;
	size_t at;

	if (number_map_get(&profile->by_hash, id, &at))
		return;
	profile_meet(profile, pid);
	stack = profile_new_stack(profile, id);
	stack->id = id;
	stack->pid = pid;
	stack->text = arena_copy(&profile->arena, text, strlen(text));
}

/* The number of a stack that the kernel has named + 1; 0: it was not told. */
static size_t profile_told(const struct stacks_profile *profile, uint64_t id)
{
	size_t at;

	if (!id || !number_map_get(&profile->by_hash, id, &at))
		return 0;
	return at + 1;
}

void stacks_profile_wait(struct stacks_profile *profile, const struct sample_wait *wait,
	const struct sample_sum *sum)
{
	struct stacks_entry like = {.slice = 0}, *entry;
	size_t stack = profile_told(profile, wait->stack);
	const struct sample_record lost = {.id = wait->stack, .pid = sum->pid};

	profile->queued_ns += sum->queued_ns;
	if (!wait->stack)
		return;
	like.stack = stack ? stack - 1 : profile_stack(profile, &lost);
	like.thread = profile_thread(profile, sum->pid, wait->tid, sum->comm);
	like.waker_stack = profile_told(profile, wait->waker_stack);
	if (sum->waker[0])
		like.waker =
			profile_thread(profile, sum->waker_pid, wait->waker_tid, sum->waker) + 1;
	entry = profile_entry(profile, &like);
	entry->weight += sum->blocked_ns;
	entry->times += sum->times;
	if (sum->longest_ns > entry->longest_ns)
		entry->longest_ns = sum->longest_ns;
	profile->threads[like.thread].weight += sum->blocked_ns;
	profile->total += sum->blocked_ns;
}
