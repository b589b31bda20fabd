/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stacks does this text have, and of which processes? */
#include "base/banned.h"

#include <ctype.h>

#include "base/num.h"
#include "base/str.h"
#include "stacks/stack_tally.h"
#include "stacks/stack_text.h"

enum {
	FRAMES_MAX = 4096,
	LINE_MOST = 1 << 20, /* bytes of a line that are looked at */
	LINES_TO_TELL = 200, /* by which the form of a text is told */
};

/* One stack, while it is read. */
struct text_stack {
	struct stack_tally *tally;
	char comm[STACK_COMM];
	pid_t pid;
	bool begun;			       /* it counts */
	bool in_block;			       /* a header was read, and no empty line */
	struct stack_frame frames[FRAMES_MAX]; /* of the user, where the thread is first */
	size_t n, kernel;
	char *texts[2 * FRAMES_MAX]; /* what the frames point to */
	size_t n_texts;
};

static void text_clear(struct text_stack *stack)
{
	while (stack->n_texts)
		free(stack->texts[--stack->n_texts]);
	stack->n = stack->kernel = 0;
	stack->begun = stack->in_block = false;
}

/* A stack of the kernel alone is of a thread of its own. How deep a stack was that perf has cut is
 * not to be seen: it has as many frames as the limit. */
static void text_end(struct text_stack *stack, uint64_t weight)
{
	const uint64_t depth = stack->n + stack->kernel, limit = stack->tally->limit;
	struct stack_process *process;

	if (stack->begun && (stack->n || !stack->kernel)) {
		process = stack_tally_process(stack->tally, stack->pid, stack->comm);
		if (process)
			stack_tally_add(stack->tally, process,
				&(struct stack_taken){.frames = stack->frames,
					.n = stack->n,
					.user_depth = stack->n,
					.depth = depth < limit ? depth : limit},
				weight);
	}
	text_clear(stack);
}

static const char *text_keep(struct text_stack *stack, const char *text, size_t len)
{
	return stack->texts[stack->n_texts++] = mem_strndup(text, len);
}

/* The class of what has no name, by what stands in place of its file. */
static enum symbol_class text_class_of(const char *file)
{
	if (!*file || str_same(file, "unknown") || str_same(file, "[unknown]"))
		return SYMBOL_UNMAPPED;
	if (strstr(file, "(deleted)"))
		return SYMBOL_GONE;
	if (str_starts(file, "perf-") || str_starts(file, "/tmp/perf-") ||
		str_starts(file, "//anon") || str_starts(file, "anon") ||
		str_same(file, "[heap]") || str_starts(file, "[anon") ||
		str_starts(file, "/memfd:"))
		return SYMBOL_NO_MAP;
	return SYMBOL_STRIPPED;
}

/* name "" or "[unknown]": none; file: "" where it is not known. */
static void text_add_frame(struct text_stack *stack, const char *name, size_t name_len,
	const char *file, size_t file_len)
{
	struct stack_frame *frame;
	const char *slash;

	if (stack->n == FRAMES_MAX)
		return;
	frame = &stack->frames[stack->n++];
	*frame = (struct stack_frame){.class = SYMBOL_NAMED};
	file = text_keep(stack, file, file_len);
	name = text_keep(stack, name, name_len);
	if (*name && !str_same(name, "[unknown]"))
		frame->name = name;
	else
		frame->class = text_class_of(file);
	frame->deleted = strstr(file, " (deleted)") != NULL;
	slash = strrchr(file, '/');
	if (*file && *file != '[' && frame->class != SYMBOL_NO_MAP)
		frame->file = slash ? slash + 1 : file;
	frame->is_root = frame->name && stack_is_root_name(frame->name);
}

/* "comm with blanks  123/456 [001] …": the first number that stands alone ends the name. */
static bool text_header(struct text_stack *stack, const char *line, const char *end)
{
	const char *at;

	for (at = line + 1; at < end; at++) {
		const char *number = at, *comm_end = at;
		uint64_t pid;

		if (!isdigit((unsigned char)*at) || at[-1] != ' ' || num_next(&number, end, &pid) ||
			pid > INT32_MAX || number == end || (*number != ' ' && *number != '/'))
			continue;
		while (comm_end > line && comm_end[-1] == ' ')
			comm_end--;
		if (comm_end == line)
			return false;
		stack->pid = (pid_t)pid;
		snprintf(stack->comm, sizeof(stack->comm), "%.*s",
			comm_end - line < STACK_COMM ? (int)(comm_end - line) : STACK_COMM - 1,
			line);
		stack->begun = pid != 0; /* 0 is the idle task */
		stack->in_block = true;
		return true;
	}
	return false;
}

/* Where " (/file)" or " ([file])" begins, the last of them; end for none. */
static const char *text_file_of(const char *at, const char *end)
{
	const char *found = end;

	for (; end - at > 2; at++)
		if (at[0] == ' ' && at[1] == '(' &&
			(at[2] == '/' || at[2] == '[' || found == end) &&
			strncmp(at, " (deleted)", 10) != 0)
			found = at;
	return found;
}

/* The kernel's own: by the address, and by what stands for its file. */
static bool text_is_kernel(uint64_t address, const char *file, size_t len)
{
	return (len >= 8 && !memcmp(file, "[kernel.", 8)) ||
		(address >= 0xffff800000000000 &&
			(len < 10 || memcmp(file, "[vsyscall]", 10) != 0));
}

/* "	 7f12a0 name+0x12 (/path/of/file)" */
static bool text_frame(struct text_stack *stack, const char *line, const char *end)
{
	const char *at = line, *file, *name_end, *offset;
	size_t file_len;
	uint64_t address;

	if (num_next_hex(&at, end, &address))
		return false;
	while (at < end && *at == ' ')
		at++;
	name_end = text_file_of(at > line ? at - 1 : at, end);
	file = name_end < end ? name_end + 2 : end;
	file_len = (size_t)(end - file);
	file_len -= file_len && file[file_len - 1] == ')';
	if (file_len == 7 && !memcmp(file, "inlined", 7))
		return true;
	if (text_is_kernel(address, file, file_len)) {
		stack->kernel++;
		return true;
	}
	name_end = name_end < at ? at : name_end;
	for (offset = name_end; offset > at; offset--)
		if (name_end - offset > 2 && !memcmp(offset, "+0x", 3))
			break;
	if (offset > at)
		name_end = offset;
	text_add_frame(stack, at, (size_t)(name_end - at), file, file_len);
	return true;
}

static void text_script_line(struct text_stack *stack, const char *line, const char *end)
{
	const bool is_indented = line < end && (*line == ' ' || *line == '\t');
	const char *at = line;

	while (at < end && isspace((unsigned char)*at))
		at++;
	if (at == end) {
		text_end(stack, 1);
	} else if (*at == '#') {
		return;
	} else if (is_indented && stack->in_block && text_frame(stack, at, end)) {
		return;
	} else {
		/* perf puts blanks before a short name. */
		text_end(stack, 1);
		stack->tally->unread += !text_header(stack, at, end);
	}
}

/* A name of folded stacks: "[libc.so.6]" and "[unknown] libc.so.6" are of a file, and none. */
static void text_folded_frame(struct text_stack *stack, const char *name, size_t len)
{
	if (len > 4 && !memcmp(name + len - 4, "_[k]", 4)) {
		stack->kernel++;
	} else if (len > 9 && !memcmp(name, "[unknown]", 9)) {
		text_add_frame(
			stack, "", 0, name + 9 + (name[9] == ' '), len - 9 - (name[9] == ' '));
	} else if (len > 2 && name[0] == '[' && name[len - 1] == ']') {
		text_add_frame(stack, "", 0, name + 1, len - 2);
	} else {
		if (len > 4 && name[len - 4] == '_' && name[len - 3] == '[' && name[len - 1] == ']')
			len -= 4;
		text_add_frame(stack, name, len, "", 0);
	}
}

/* The process: its number stands behind its name, where there is one. */
static void text_folded_process(struct text_stack *stack, const char *name, size_t len)
{
	const char *end = name + len, *at = end;
	uint64_t pid = 0;

	stack->pid = 0;
	while (at > name && (isdigit((unsigned char)at[-1]) || at[-1] == '/'))
		at--;
	if (at > name + 1 && at < end && at[-1] == '-') {
		len = (size_t)(at - 1 - name);
		if (!num_next(&at, end, &pid) && pid <= INT32_MAX)
			stack->pid = (pid_t)pid;
	}
	snprintf(stack->comm, sizeof(stack->comm), "%.*s",
		len < STACK_COMM ? (int)len : STACK_COMM - 1, name);
	stack->begun = strcmp(stack->comm, "swapper") != 0;
}

/* "comm;main;read_[k] 12": from the root on, so that the frames are taken from the end. */
static void text_folded_line(struct text_stack *stack, const char *line, const char *end)
{
	const char *blank, *first, *at, *name_end;
	uint64_t weight;

	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	if (end == line || *line == '#')
		return;
	blank = memrchr(line, ' ', (size_t)(end - line));
	at = blank ? blank + 1 : end;
	if (!blank || num_next(&at, end, &weight) || at != end || !weight || weight > INT32_MAX) {
		stack->tally->unread++;
		return;
	}
	first = memchr(line, ';', (size_t)(blank - line));
	first = first ? first : blank;
	text_folded_process(stack, line, (size_t)(first - line));
	for (name_end = blank; name_end > first; name_end = at) {
		at = memrchr(first, ';', (size_t)(name_end - first));
		text_folded_frame(stack, at + 1, (size_t)(name_end - at - 1));
	}
	text_end(stack, weight);
}

static const char *text_line_end(const char *line, const char *end)
{
	const char *found = memchr(line, '\n', (size_t)(end - line));

	return found ? found : end;
}

/* " [001] ": the CPU that a sample was taken on. */
static bool text_has_cpu(const char *line, const char *end)
{
	const char *at = memmem(line, (size_t)(end - line), " [", 2), *number;
	uint64_t cpu;

	if (!at || at == line)
		return false;
	number = at + 2;
	return number < end && isdigit((unsigned char)*number) && !num_next(&number, end, &cpu) &&
		end - number > 2 && number[0] == ']' && number[1] == ' ';
}

/* Lines of frames are indented, and begin with an address; a recording without stacks has none. */
static bool text_is_script(const char *line, const char *end)
{
	const char *line_end;

	for (int i = 0; i < LINES_TO_TELL && line < end; i++, line = line_end + 1) {
		const char *at = line;
		uint64_t address;

		line_end = text_line_end(line, end);
		if (text_has_cpu(line, line_end))
			return true;
		if (line < line_end && (*line == ' ' || *line == '\t')) {
			while (at < line_end && isspace((unsigned char)*at))
				at++;
			if (!num_next_hex(&at, line_end, &address) && at < line_end && *at == ' ')
				return true;
		}
	}
	return false;
}

void stack_text_read(struct stack_tally *tally, const char *text, size_t len)
{
	const char *end = text + len, *line_end;
	struct text_stack *stack = mem_zalloc(sizeof(*stack));
	const bool is_script = text_is_script(text, end);

	stack->tally = tally;
	tally->is_cut = true;
	for (; text < end; text = line_end + 1) {
		line_end = text_line_end(text, end);
		if (line_end - text > LINE_MOST)
			tally->unread++;
		else if (is_script)
			text_script_line(stack, text, line_end);
		else
			text_folded_line(stack, text, line_end);
		if (line_end == end)
			break;
	}
	text_end(stack, 1);
	free(stack);
}
