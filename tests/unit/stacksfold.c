/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the stacks of a look become the folded lines that they are, and is no weight lost? */
#include "base/banned.h"

#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "flame/folded.h"
#include "flame/tree.h"
#include "stacks/fold.h"
#include "stacks/profile.h"
#include "symbols/symbolizer.h"
#include "tap.h"

#define SECOND 1000000000ULL

/* A sample of this process with n user frames, that begin at an address. */
static struct sample_record record;

static void make(const char *comm, uint32_t tid, const uint64_t *frames, uint32_t n)
{
	memset(&record, 0, sizeof(record));
	record.pid = (uint32_t)getpid();
	record.tid = tid;
	record.user = record.depth = n;
	record.end = SAMPLE_END_NULL;
	record.in_user = 1;
	memcpy(record.frames, frames, n * sizeof(*frames));
	memcpy(record.comm, comm, strlen(comm));
}

/* The folded lines of a profile. */
static char *folded(struct stacks_profile *profile, enum stacks_by by, struct stacks_folded *seen)
{
	struct symbolizer *symbolizer = symbolizer_new();
	struct stacks_fold *fold = stacks_fold_new(profile, symbolizer, by);
	struct flame_tree *tree = flame_tree_new();
	struct str out = STR_INIT;

	stacks_fold_tree(fold, tree);
	*seen = stacks_fold_seen(fold);
	flame_tree_write_folded(&out, tree);
	flame_tree_free(tree);
	stacks_fold_free(fold);
	symbolizer_free(symbolizer);
	return str_take(&out);
}

static bool has(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

static void check_merging(void)
{
	const uint64_t frames[] = {0x550000001000, 0x550000002000, 0x550000003000},
		       others[] = {0x550000001000, 0x550000002000, 0x550000003001};
	struct stacks_profile profile = {.n_stacks = 0};

	make("a", 10, frames, 3);
	stacks_profile_sample(&profile, &record);
	stacks_profile_sample(&profile, &record);
	ok(profile.n_stacks == 1 && profile.n_entries == 1 && profile.entries[0].weight == 2,
		"the same stack of a thread is one");
	record.tid = 11;
	stacks_profile_sample(&profile, &record);
	ok(profile.n_stacks == 1 && profile.n_entries == 2,
		"of another thread it is another entry");
	make("a", 10, others, 3);
	stacks_profile_sample(&profile, &record);
	record.depth = 2000;
	stacks_profile_sample(&profile, &record);
	ok(profile.n_stacks == 3, "another frame and another depth are other stacks");
	record.n_words = SAMPLE_WORDS;
	record.words[5] = 0x550000001234;
	stacks_profile_sample(&profile, &record);
	record.words[5] = 0x550000001235;
	stacks_profile_sample(&profile, &record);
	ok(profile.n_stacks == 5, "and so is another word that may be a caller");
	record.words[6] = (uint64_t)1 << 40;
	stacks_profile_sample(&profile, &record);
	ok(profile.n_stacks == 5, "a word that is none makes no other stack");
	ok(profile.total == 8 && profile.in_kernel == 0, "every sample is counted");
	stacks_profile_free(&profile);
}

static void check_slices(void)
{
	const uint64_t frames[] = {0x1000};
	struct stacks_profile profile = {.began_ns = SECOND, .slice_ns = SECOND, .slices = 3};

	make("a", 10, frames, 1);
	for (uint64_t second = 0; second < 6; second++) {
		record.at_ns = second * SECOND + 1;
		stacks_profile_sample(&profile, &record);
	}
	ok(profile.n_entries == 3 && profile.entries[0].weight == 2 &&
			profile.entries[2].slice == 2 && profile.entries[2].weight == 3,
		"slices are told apart, and what is beyond the last one is in it");
	stacks_profile_free(&profile);
}

static void check_frames(void)
{
	const uint64_t frames[] = {(uint64_t)(uintptr_t)check_merging + 4,
		(uint64_t)(uintptr_t)check_slices + 8, 0x10};
	struct stacks_profile profile = {.n_stacks = 0};
	struct stacks_folded seen;
	char *text;

	make("a;b\x1b", (uint32_t)getpid(), frames, 3);
	stacks_profile_sample(&profile, &record);
	text = folded(&profile, STACKS_BY_NAME, &seen);
	ok(has(text, "a:b?;[broken stack];[unknown];check_slices;check_merging 1\n"),
		"a stack begins with whose it is, and with its root");
	ok(seen.broken == 1 && seen.with_user == 1 && !seen.truncated && seen.deepest == 3,
		"what leads to no root is broken");
	free(text);
	text = folded(&profile, STACKS_BY_NOTHING, &seen);
	ok(str_starts(text, "[broken stack];"), "by nothing it begins with its root");
	free(text);
	record.depth = 5000;
	record.end = SAMPLE_END_MOST;
	stacks_profile_sample(&profile, &record);
	text = folded(&profile, STACKS_BY_NAME, &seen);
	ok(has(text, "a:b?;[truncated stack];") && seen.deepest == 5000,
		"one that was cut is drawn so, and its depth is known");
	free(text);
	stacks_profile_free(&profile);
}

static void check_waits(void)
{
	const uint64_t frames[] = {(uint64_t)(uintptr_t)check_waits + 4};
	const struct sample_wait known = {.stack = 77,
					 .waker_stack = 78,
					 .tid = 10,
					 .waker_tid = 12},
				 lost = {.stack = 99, .tid = 10}, asleep = {.stack = 10, .tid = 10};
	const struct sample_sum sum = {.blocked_ns = 5,
		.queued_ns = 2,
		.longest_ns = 4,
		.times = 3,
		.pid = (uint32_t)getpid(),
		.waker_pid = (uint32_t)getpid(),
		.comm = "waits",
		.waker = "wakes"};
	struct stacks_profile profile = {.n_stacks = 0};
	struct stacks_folded seen;
	char *text;

	make("waits", 10, frames, 1);
	record.id = 77;
	stacks_profile_stack(&profile, &record);
	record.id = 78;
	stacks_profile_stack(&profile, &record);
	stacks_profile_text(&profile, (uint32_t)getpid(), 10,
		"[<0>] pipe_read+0x1/0x2\n[<0>] ksys_read+0x3/0x4\n");
	stacks_profile_wait(&profile, &known, &sum);
	stacks_profile_wait(&profile, &lost, &sum);
	stacks_profile_wait(&profile, &asleep, &sum);
	ok(profile.total == 15 && profile.queued_ns == 6, "waits are summed in nanoseconds");
	text = folded(&profile, STACKS_BY_THREAD, &seen);
	ok(has(text, "waits 10;[broken stack];check_waits;-;check_waits_[w];wakes_[w] 5\n"),
		"above a border stands who ended a wait");
	ok(has(text, ";ksys_read_[k];pipe_read_[k]"), "who slept all the time has what /proc says");
	ok(has(text, "waits 10;-;wakes_[w] 5\n"), "a stack that was lost keeps its time");
	free(text);
	stacks_profile_free(&profile);
}

int main(void)
{
	check_merging();
	check_slices();
	check_frames();
	check_waits();
	return tap_done();
}
