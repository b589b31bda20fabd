/* SPDX-License-Identifier: GPL-2.0-only */
/* How deep is this stack, by what the compiler has written of it? */
#include "base/banned.h"

#include <errno.h>
#include <gelf.h>

#include "base/str.h"
#include "symbols/eh_frame.h"
#include "symbols/elf_file.h"
#include "symbols/elf_image.h"
#include "symbols/stack_walk.h"
#include "sys/child.h"
#include "sys/read_write.h"
#include "sys/sandbox.h"

enum { DEADLINE_MS = 30000 };

/* What one file says of its functions. */
struct walker_file {
	bool is_read, has_frames;
	Elf *elf;
	struct eh_frame frames;
	struct elf_image image;		/* its segments */
	struct eh_frame_function *list; /* by address */
	size_t n, room;
};

struct stack_walker {
	const struct stack_walk_code *code; /* by address */
	size_t n;
	struct walker_file *files; /* one for each */
};

struct stack_walker *stack_walker_new(const struct stack_walk_code *code, size_t n)
{
	struct stack_walker *walker = mem_zalloc(sizeof(*walker));

	walker->code = code;
	walker->n = n;
	walker->files = mem_zalloc((n + 1) * sizeof(*walker->files));
	return walker;
}

void stack_walker_free(struct stack_walker *walker)
{
	for (size_t i = 0; i < walker->n; i++) {
		free(walker->files[i].list);
		elf_end(walker->files[i].elf);
	}
	free(walker->files);
	free(walker);
}

void stack_walk_free(struct stack_walk *walk)
{
	free(walk->frames);
	*walk = (struct stack_walk){.depth = 0};
}

static bool walker_add_function(void *arg, const struct eh_frame_function *function)
{
	struct walker_file *file = arg;

	ARRAY_GROW(file->list, file->n, file->room);
	file->list[file->n++] = *function;
	return true;
}

static int walker_by_address(const void *a, const void *b)
{
	const struct eh_frame_function *left = a, *right = b;

	return left->address == right->address ? 0 : left->address > right->address ? 1 : -1;
}

static void walker_read(struct walker_file *file, int fd)
{
	file->is_read = true;
	file->elf = fd < 0 ? NULL : elf_file_begin(fd);
	if (!file->elf || !elf_file_eh_frame(file->elf, &file->frames) || file->frames.narrow)
		return;
	elf_file_segments(file->elf, &file->image);
	eh_frame_each(&file->frames, walker_add_function, file);
	if (file->n)
		qsort(file->list, file->n, sizeof(*file->list), walker_by_address);
	file->has_frames = file->n;
}

/* The function at an address of the file, or NULL. */
static const struct eh_frame_function *walker_function(
	const struct walker_file *file, uint64_t address)
{
	size_t low = 0, high = file->n;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (file->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address - file->list[low - 1].address < file->list[low - 1].size
		? &file->list[low - 1]
		: NULL;
}

static const struct stack_walk_code *walker_code(const struct stack_walker *walker, uint64_t at)
{
	for (size_t i = 0; i < walker->n; i++)
		if (at - walker->code[i].start < walker->code[i].end - walker->code[i].start)
			return &walker->code[i];
	return NULL;
}

/* By the frame pointer, where that leads up the stack to an address of code. */
static enum cfa_end walker_by_pointer(const struct stack_walker *walker,
	const struct cfa_memory *stack, struct cfa_registers *registers)
{
	const uint64_t frame = registers->value[CFA_BP];
	uint64_t caller, above;

	if (!(registers->known >> CFA_BP & 1) || frame < registers->value[CFA_SP] ||
		!cfa_read(stack, frame, &above) || !cfa_read(stack, frame + 8, &caller) ||
		!walker_code(walker, caller - 1))
		return CFA_LOST;
	*registers = (struct cfa_registers){.known = 1u << CFA_BP | 1u << CFA_SP | 1u << CFA_PC};
	registers->value[CFA_BP] = above;
	registers->value[CFA_SP] = frame + 16;
	registers->value[CFA_PC] = caller;
	return CFA_WENT_ON;
}

/* called: the address is that of a return, so that the call is before it. */
static enum cfa_end walker_step(struct stack_walker *walker, const struct cfa_memory *stack,
	struct cfa_registers *registers, bool *called)
{
	const uint64_t at = registers->value[CFA_PC] - *called;
	const struct stack_walk_code *code = walker_code(walker, at);
	const struct eh_frame_function *function = NULL;
	struct walker_file *file;
	uint64_t address = 0;
	bool is_signal = false;
	enum cfa_end end;

	if (!code)
		return CFA_LOST;
	file = &walker->files[code - walker->code];
	if (!file->is_read)
		walker_read(file, code->fd);
	if (file->has_frames &&
		elf_image_address(&file->image, at - code->start + code->offset, &address))
		function = walker_function(file, address);
	end = function ? cfa_step(&file->frames, function, address, stack, registers, &is_signal)
		       : walker_by_pointer(walker, stack, registers);
	*called = !is_signal;
	return end;
}

void stack_walk_one(struct stack_walker *walker, const struct stack_walk_sample *sample,
	struct stack_walk *walk)
{
	struct cfa_registers registers = sample->registers;
	enum cfa_end end = CFA_WENT_ON;
	size_t room = 0;
	bool called = false;

	*walk = (struct stack_walk){.pointer_depth = stack_walk_pointers(sample)};
	while (end == CFA_WENT_ON && walk->depth < STACK_WALK_MOST) {
		ARRAY_GROW(walk->frames, walk->depth, room);
		walk->frames[walk->depth++] = registers.value[CFA_PC];
		end = walker_step(walker, &sample->stack, &registers, &called);
		/* What a caller does not have is the end too: clone3 leaves a 0. */
		if (end == CFA_WENT_ON && !registers.value[CFA_PC])
			end = CFA_OUTERMOST;
	}
	if (end == CFA_OUTERMOST)
		walk->end = STACK_WALK_COMPLETE;
	else if (end == CFA_WENT_ON)
		walk->end = STACK_WALK_MANY;
	else
		walk->end = end == CFA_CUT ? STACK_WALK_CUT : STACK_WALK_LOST;
}

uint32_t stack_walk_pointers(const struct stack_walk_sample *sample)
{
	uint64_t frame = sample->registers.value[CFA_BP], above, caller;
	uint32_t depth = 1;

	while (depth < STACK_WALK_MOST && cfa_read(&sample->stack, frame, &above) &&
		cfa_read(&sample->stack, frame + 8, &caller) && caller) {
		depth++;
		if (above <= frame)
			break;
		frame = above;
	}
	return depth;
}

struct walk_work {
	const struct stack_walk_code *code;
	size_t n_code;
	const struct stack_walk_sample *samples;
	size_t n;
};

struct walk_head {
	uint32_t end, depth, pointer_depth, pad;
};

/* The child: for each sample a head and the frames. */
static int walk_work(void *arg, int fd)
{
	const struct walk_work *work = arg;
	struct str out = STR_INIT;
	struct stack_walker *walker;
	int err = sandbox_enter(0);

	if (err)
		return -err;
	walker = stack_walker_new(work->code, work->n_code);
	for (size_t i = 0; i < work->n; i++) {
		struct stack_walk walk;
		struct walk_head head;

		stack_walk_one(walker, &work->samples[i], &walk);
		head = (struct walk_head){walk.end, walk.depth, walk.pointer_depth, 0};
		str_addn(&out, &head, sizeof(head));
		str_addn(&out, walk.frames, walk.depth * sizeof(*walk.frames));
		stack_walk_free(&walk);
	}
	stack_walker_free(walker);
	err = write_all(fd, str_text(&out), out.len);
	str_free(&out);
	return -err;
}

static int walk_take(const struct str *answer, struct stack_walk *walks, size_t n)
{
	const char *at = str_text(answer), *end = at + answer->len;
	size_t i;

	for (i = 0; i < n; i++) {
		struct walk_head head;
		size_t bytes;

		if ((size_t)(end - at) < sizeof(head))
			break;
		memcpy(&head, at, sizeof(head));
		at += sizeof(head);
		bytes = head.depth * sizeof(*walks[i].frames);
		if (head.end >= STACK_WALK_ENDS || !head.depth || head.depth > STACK_WALK_MOST ||
			(size_t)(end - at) < bytes)
			break;
		walks[i] = (struct stack_walk){.end = head.end,
			.depth = head.depth,
			.pointer_depth = head.pointer_depth,
			.frames = mem_alloc(bytes)};
		memcpy(walks[i].frames, at, bytes);
		at += bytes;
	}
	if (i == n)
		return 0;
	while (i)
		stack_walk_free(&walks[--i]);
	return -EBADMSG;
}

int stack_walk_apart(const struct stack_walk_code *code, size_t n_code,
	const struct stack_walk_sample *samples, size_t n, struct stack_walk *walks)
{
	struct walk_work work = {code, n_code, samples, n};
	struct str answer = STR_INIT;
	struct child child;
	int status, err = child_start(&child, walk_work, &work);

	memset(walks, 0, n * sizeof(*walks));
	if (!err)
		err = child_collect(&child, DEADLINE_MS, NULL, NULL, &answer, &status);
	if (!err)
		err = walk_take(&answer, walks, n);
	str_free(&answer);
	return err;
}
