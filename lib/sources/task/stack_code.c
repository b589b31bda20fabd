/* SPDX-License-Identifier: GPL-2.0-only */
/* Would a profile of this machine's busiest programs have stacks, and names in them? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/culprit.h"
#include "base/num.h"
#include "base/str.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/task/stack_code.h"
#include "symbols/elf_image.h"
#include "symbols/symbolizer.h"
#include "sys/privileged_call.h"

#define BLOB "stack/code"

enum {
	BUSIEST = 20,	     /* programs that are looked at */
	FUNCTIONS_TOLD = 50, /* a file with fewer tells nothing of how it was built */
	FUNCTIONS_OF_A_PROGRAM = 1000,
	STAT_FIELDS = 19, /* of /proc/PID/stat, from the state on: up to when it began */
};

/* A process, and the CPU time that it has had. */
struct code_process {
	pid_t pid;
	double cpu_seconds;
	char comm[STACK_CODE_COMM];
};

struct code_look {
	struct code_process busiest[BUSIEST]; /* the busiest first */
	size_t n;
	double now; /* seconds since the machine was started */
};

/* What was found at the first sample, for all of a run. */
struct code_state {
	struct str record;
	bool made;
};

/* The program's own file, or where that is small a library that is the program: libpython, libjvm.
 */
struct code_files {
	struct elf_facts facts;
	size_t names; /* of its functions */
	bool any, deleted;
};

static void code_insert(struct code_look *look, const struct code_process *process)
{
	size_t at = look->n < BUSIEST ? look->n++ : BUSIEST;

	for (; at && look->busiest[at - 1].cpu_seconds < process->cpu_seconds; at--)
		if (at < BUSIEST)
			look->busiest[at] = look->busiest[at - 1];
	if (at < BUSIEST)
		look->busiest[at] = *process;
}

/* "pid (comm) S ppid …": user and system time are the 12th and 13th behind the name, when it began
 * the 20th. What has had less than a second, or a hundredth of its life, is no busy program. */
static void code_take(struct code_look *look, pid_t pid, const char *text, size_t len)
{
	const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	const char *open = memchr(text, '(', len), *close = memrchr(text, ')', len), *at;
	struct code_process process = {.pid = pid};
	uint64_t fields[STAT_FIELDS];
	size_t comm_len;

	if (!open || !close || close < open || close + 3 > text + len)
		return;
	comm_len = (size_t)(close - open) - 1;
	memcpy(process.comm, open + 1,
		comm_len < sizeof(process.comm) ? comm_len : sizeof(process.comm) - 1);
	at = close + 3;
	for (size_t i = 0; i < STAT_FIELDS; i++) {
		/* Some are negative, none of which is wanted. */
		at += strspn(at, " -");
		if (num_next(&at, text + len, &fields[i]))
			return;
	}
	process.cpu_seconds = (double)(fields[10] + fields[11]) * tick;
	if (process.cpu_seconds >= 1 &&
		process.cpu_seconds >= 0.01 * (look->now - (double)fields[18] * tick))
		code_insert(look, &process);
}

static int code_each(void *arg, const char *name, unsigned char type)
{
	struct code_look *look = arg;
	char path[48], text[1024];
	uint64_t pid;
	ssize_t n;
	int fd;

	(void)type;
	if (num_u64(name, 1, INT32_MAX, &pid) || (pid_t)pid == getpid())
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n > 0) {
		text[n] = 0;
		code_take(look, (pid_t)pid, text, (size_t)n);
	}
	return 0;
}

static void code_add_file(void *arg, const struct symbolizer_file *file)
{
	struct code_files *files = arg;
	const struct elf_facts *facts = &file->image->facts;

	files->deleted |= file->deleted;
	/* By address: the program's own lies below all libraries. */
	if (!file->path || !file->readable || facts->starts_programs ||
		(files->any &&
			(files->facts.looked >= FUNCTIONS_TOLD ||
				facts->looked < FUNCTIONS_OF_A_PROGRAM)))
		return;
	files->any = true;
	files->facts = *facts;
	files->names = file->image->n;
}

/* A file that exports some functions has names for these alone. */
static bool code_is_nameless(const struct code_files *files)
{
	return files->any && !files->facts.has_symbols && !files->facts.is_go &&
		files->names < files->facts.looked / 2;
}

static void code_describe(
	struct str *out, struct symbolizer *symbolizer, const struct code_process *process)
{
	struct code_files files = {.any = false};
	enum symbolizer_jit jit;

	/* A thread of the kernel's own has no code of a file. */
	symbolizer_each_file(symbolizer, process->pid, code_add_file, &files);
	jit = symbolizer_jit_of(symbolizer, process->pid);
	if (!files.any && jit == SYMBOLIZER_NO_JIT)
		return;
	str_addf(out, "%d %u %u %d %d %d ", (int)process->pid,
		files.facts.is_go ? 0 : files.facts.looked,
		files.facts.is_go ? 0 : files.facts.with_frame_pointer, code_is_nameless(&files),
		files.deleted, jit == SYMBOLIZER_JIT_ALONE);
	for (const char *at = process->comm; *at; at++)
		str_addc(out, *at == '\n' ? '?' : *at);
	str_addc(out, '\n');
}

static void code_look(struct str *out)
{
	struct code_look look = {.now = (double)boottime_ns() / 1e9};
	struct symbolizer *symbolizer = symbolizer_new();
	int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		privileged_list(fd, code_each, &look);
		close(fd);
	}
	for (size_t i = 0; i < look.n; i++)
		code_describe(out, symbolizer, &look.busiest[i]);
	symbolizer_free(symbolizer);
}

bool stack_code_next(const char **at, const char *end, struct stack_code *code)
{
	while (*at < end) {
		const char *line = *at, *line_end = memchr(line, '\n', (size_t)(end - line));
		uint64_t numbers[6];
		size_t i, len;

		line_end = line_end ? line_end : end;
		*at = line_end + (line_end < end);
		for (i = 0; i < 6; i++)
			if (num_next(&line, line_end, &numbers[i]) || numbers[i] > INT32_MAX)
				break;
		if (i < 6 || line == line_end || *line != ' ')
			continue;
		*code = (struct stack_code){.pid = (unsigned int)numbers[0],
			.looked = (unsigned int)numbers[1],
			.with_frame_pointer = (unsigned int)numbers[2],
			.nameless = numbers[3],
			.deleted = numbers[4],
			.unmapped = numbers[5]};
		len = (size_t)(line_end - line) - 1;
		memcpy(code->comm, line + 1,
			len < sizeof(code->comm) ? len : sizeof(code->comm) - 1);
		return true;
	}
	return false;
}

static int stack_code_open(struct capture *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct code_state));
	return 0;
}

static void stack_code_close(void *state)
{
	struct code_state *kept = state;

	str_free(&kept->record);
	free(kept);
}

/* The files of programs do not change within a run: they are read once. */
static int stack_code_get(struct capture *fs, struct code_state *state, struct bytes *record)
{
	if (!capture_is_live(fs))
		return capture_get_blob(fs, BLOB, record);
	if (!state->made)
		code_look(&state->record);
	state->made = true;
	*record = (struct bytes){str_text(&state->record), state->record.len};
	return capture_put_blob(fs, BLOB, record->data, record->len);
}

static int stack_code_read(struct capture *fs, void *state, struct sink *sink)
{
	struct bytes record;
	struct stack_code code;
	const char *at;
	bool any = false;

	if (stack_code_get(fs, state, &record))
		record = (struct bytes){"", 0};
	at = record.data;
	while (stack_code_next(&at, record.data + record.len, &code)) {
		char *name = mem_printf("%s[%u]", code.comm, code.pid);

		any = true;
		if (code.looked >= FUNCTIONS_TOLD)
			sink_put(sink, name, "frame_pointer_ratio",
				(double)code.with_frame_pointer / (double)code.looked);
		sink_put(sink, name, "nameless", code.nameless);
		sink_put(sink, name, "deleted", code.deleted);
		sink_put(sink, name, "unmapped", code.unmapped);
		free(name);
	}
	if (!any)
		sink_none(sink);
	return 0;
}

/* "comm[123]" */
static bool stack_code_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const char *bracket = strrchr(instance, '[');
	const size_t len = bracket ? (size_t)(bracket - instance) : 0;

	(void)fs;
	(void)state;
	if (!len || len >= sizeof(out->name))
		return false;
	*out = (struct culprit){.kind = "process"};
	memcpy(out->name, instance, len);
	snprintf(out->id, sizeof(out->id), "%.*s", (int)strcspn(bracket + 1, "]"), bracket + 1);
	return true;
}

SOURCE(stack_code) = {
	.name = BLOB,
	.what = "whether the busiest programs keep frame pointers and have names, by their files",
	.fleeting = true,
	.open = stack_code_open,
	.read = stack_code_read,
	.close = stack_code_close,
	.culprit = stack_code_culprit,
};
