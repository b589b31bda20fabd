/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stacks does this machine give to a profiler? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/progress.h"
#include "base/str.h"
#include "stacks/sampler.h"
#include "stacks/stack_roots.h"
#include "stacks/stack_tally.h"
#include "symbols/elf_image.h"
#include "symbols/symbolizer.h"
#include "tools/cpu/target.h"
#include "tools/stack/live.h"
#include "tools/stack/options.h"

enum {
	KEPT_BYTES_MAX = 256 << 20, /* of stacks; what is beyond is left out */
	FRAMES_KEPT = 1024,
	TURN_MS = 20, /* what ends sooner has no names */
};

/* A stack that was taken, until it is counted. */
struct live_stack {
	pid_t pid;
	uint32_t user, user_depth, kernel; /* frames: that are kept, that there were */
	bool first;			   /* of the process's first thread */
	char comm[SAMPLE_COMM];
	uint64_t frames[]; /* user of them */
};

struct live_look {
	struct symbolizer *symbolizer;
	struct stack_roots *roots;
	struct live_stack **stacks;
	size_t n, room, bytes;
	uint64_t left_out;
	struct stack_tally *tally;
};

/* The files of a process are looked for at once: it may end. */
static void live_take(void *arg, const struct sample_record *record)
{
	const uint32_t user = record->user < FRAMES_KEPT ? record->user : FRAMES_KEPT;
	const size_t bytes = user * sizeof(record->frames[0]);
	struct live_look *look = arg;
	struct live_stack *stack;

	if (record->end == SAMPLE_END_NONE)
		return;
	symbolizer_note(look->symbolizer, (pid_t)record->pid);
	if (look->bytes + bytes > KEPT_BYTES_MAX) {
		look->left_out++;
		return;
	}
	look->bytes += bytes + sizeof(*stack);
	stack = mem_alloc(sizeof(*stack) + bytes);
	stack->pid = (pid_t)record->pid;
	stack->first = record->pid == record->tid;
	stack->user_depth = record->depth;
	stack->kernel = record->kernel;
	stack->user = user;
	memcpy(stack->comm, record->comm, sizeof(stack->comm));
	memcpy(stack->frames, record->frames, bytes);
	ARRAY_GROW(look->stacks, look->n, look->room);
	look->stacks[look->n++] = stack;
}

static const char *live_base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static void live_frame(
	struct live_look *look, const struct live_stack *stack, size_t i, struct stack_frame *frame)
{
	/* Return addresses are behind the call, which may be the last of its function. */
	const uint64_t address = stack->frames[i] - (i > 0);
	struct symbol symbol;

	symbolizer_find(look->symbolizer, stack->pid, address, &symbol);
	*frame = (struct stack_frame){.name = symbol.name,
		.file = live_base_name(symbol.file),
		.class = symbol.class,
		.facts = symbol.facts,
		.deleted = symbol.deleted,
		.is_root = symbol.name && stack_is_root_name(symbol.name)};
	if (frame->is_root || !symbol.facts || !symbol.facts->starts_programs)
		return;
	stack_roots_learn(look->roots, look->symbolizer, stack->pid, &symbol);
	frame->is_root = stack_roots_has(look->roots, &symbol);
	frame->is_unsure = !stack_roots_knows(look->roots, &symbol, stack->first);
}

static void live_count(struct live_look *look)
{
	struct stack_frame frames[FRAMES_KEPT];

	/* All that was taken counts, also where somebody wanted the look to end sooner. */
	for (size_t i = 0; i < look->n; i++) {
		const struct live_stack *stack = look->stacks[i];
		struct stack_process *process =
			stack_tally_process(look->tally, stack->pid, stack->comm);

		for (size_t k = 0; k < stack->user; k++)
			live_frame(look, stack, k, &frames[k]);
		if (process)
			stack_tally_add(look->tally, process,
				&(struct stack_taken){.frames = frames,
					.n = stack->user,
					.user_depth = stack->user_depth,
					.depth = stack->user_depth + stack->kernel},
				1);
	}
	look->tally->left_out += look->left_out;
}

/* What perf keeps. */
static uint64_t live_limit(void)
{
	char text[32];
	const char *at = text;
	uint64_t limit = 127;
	const int fd = open("/proc/sys/kernel/perf_event_max_stack", O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (n > 0)
		num_next(&at, text + n, &limit);
	if (fd >= 0)
		close(fd);
	return limit;
}

static int live_look_on(struct live_look *look, const struct stack_options *asked, struct str *why)
{
	const struct stacks_wanted wanted = {.hertz = asked->hertz,
		.by_target = asked->pid != 0,
		.take = live_take,
		.arg = look};
	struct stacks_sampler *sampler;
	uint64_t begin, until;
	int err = stacks_sampler_open(&sampler, &wanted, why);

	if (err)
		return err;
	if (asked->pid)
		err = stacks_sampler_target(sampler, (pid_t)asked->pid);
	if (!err)
		err = stacks_sampler_begin(sampler, why);
	begin = monotonic_ns();
	until = begin + (uint64_t)(asked->seconds * 1e9);
	while (!err && monotonic_ns() < until && !progress_interrupted()) {
		usleep(TURN_MS * 1000);
		stacks_sampler_take(sampler);
		progress_show("looking at stacks:",
			(double)(monotonic_ns() - begin) / (asked->seconds * 1e9));
	}
	if (!err)
		stacks_sampler_end(sampler);
	progress_end();
	stacks_sampler_close(sampler);
	return err;
}

int stack_live(struct stack_tally *tally, const struct stack_options *asked, const char *program)
{
	struct live_look look = {.tally = tally};
	struct str why = STR_INIT;
	int err;

	if (asked->pid && !cpu_target_is_there((pid_t)asked->pid)) {
		fprintf(stderr, "%s: there is no process '%u'\n", program, asked->pid);
		return 3;
	}
	look.symbolizer = symbolizer_new();
	look.roots = stack_roots_new();
	err = live_look_on(&look, asked, &why);
	tally->limit = live_limit();
	if (err)
		fprintf(stderr, "%s: cannot look at stacks: %s\n", program,
			why.len ? why.text : strerror(-err));
	else
		live_count(&look);
	for (size_t i = 0; i < look.n; i++)
		free(look.stacks[i]);
	free(look.stacks);
	stack_roots_free(look.roots);
	symbolizer_free(look.symbolizer);
	str_free(&why);
	return err ? 3 : 0;
}
