/* SPDX-License-Identifier: GPL-2.0-only */
/* Which command, tool or check is the program asked for, by its name and its first word? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "sys/caps.h"
#include "sys/pager.h"
#include "sys/sandbox.h"
#include "check/check.h"
#include "base/command.h"
#include "base/escape.h"
#include "run/asked.h"
#include "run/options.h"
#include "capture/capture.h"
#include "run/run.h"
#include "base/str.h"
#include "trace/trace.h"
#include "base/suggest.h"
#include "check/layers.h"

extern const struct command *const __start_tuesday_commands[] __attribute__((weak));
extern const struct command *const __stop_tuesday_commands[] __attribute__((weak));
extern const struct program __start_tuesday_programs[] __attribute__((weak));
extern const struct program __stop_tuesday_programs[] __attribute__((weak));
extern early_work *const __start_tuesday_early[] __attribute__((weak));
extern early_work *const __stop_tuesday_early[] __attribute__((weak));

static size_t count_commands(void)
{
	return (size_t)(__stop_tuesday_commands - __start_tuesday_commands);
}

/* Those for one task stand together. */
static int command_by_task(const void *a, const void *b)
{
	const struct command *const *left = a, *const *right = b;

	if ((*left)->group != (*right)->group)
		return (*left)->group < (*right)->group ? -1 : 1;
	return strcmp((*left)->name, (*right)->name);
}

/* The linker's order is that of the files. The caller frees. */
static const struct command **sorted_commands(void)
{
	size_t n = count_commands(), i;
	const struct command **sorted = mem_realloc_array(NULL, n + 1, sizeof(*sorted));

	for (i = 0; i < n; i++)
		sorted[i] = __start_tuesday_commands[i];
	qsort(sorted, n, sizeof(*sorted), command_by_task);
	return sorted;
}

static void print_commands(void)
{
	static const char *const titles[] = {
		[COMMAND_FINDS] = "What is slow here:",
		[COMMAND_KEEPS] = "Over days, and over many machines:",
		[COMMAND_RECORDS] = "To look at it elsewhere:",
		[COMMAND_WRITES] = "Checks of your own:",
		[COMMAND_HELPS] = "Help, and the way back:",
	};
	const struct command **sorted = sorted_commands();
	size_t i;

	printf("Usage: tuesday [COMMAND] [OPTION...]\n"
	       "Finds out what a slow machine is not suffering from, and what it is.\n\n"
	       "Start here:\n"
	       "    sudo tuesday               the whole checklist: ten seconds, changes nothing\n"
	       "    tuesday explain disk       what it looks at, its limits, and who says so\n"
	       "    tuesday disk -v            one check, with every number ('@net': an area)\n"
	       "    tuesday list --about oom   which check knows of something\n"
	       "    tuesday record /tmp/slow   keep what was read, to look at it elsewhere\n");
	for (i = 0; i < count_commands(); i++) {
		const struct command *command = sorted[i];

		if (!i || sorted[i - 1]->group != command->group)
			printf("\n%s\n", titles[command->group]);
		printf("  %-10s %s\n", command->name, command->what);
	}
	free(sorted);
	printf("\nWithout a command: run. 'tuesday COMMAND --help' says more.\n"
	       "Tools work as commands: 'tuesday cpuhealth' is 'cpuhealth'.\n"
	       "Exit status: 0 good, 1 maybe, 2 bad, 3 unknown, 64 misuse.\n");
}

static int unknown_command(const char *name)
{
	const char **names = mem_realloc_array(NULL, count_commands(), sizeof(*names));
	char *shown = escape_word(name), *check = asked_suggest(name);
	const char *near;
	size_t i;

	for (i = 0; i < count_commands(); i++)
		names[i] = __start_tuesday_commands[i]->name;
	near = suggest(name, names, count_commands());
	if (near && check) {
		const char *const both[] = {near, check};

		near = suggest(name, both, ARRAY_SIZE(both));
	}
	near = near ? near : check;
	fprintf(stderr, "tuesday: there is no command '%s'", shown);
	fprintf(stderr, near ? "; did you mean 'tuesday %s'?\n" : "%s\n", near ? near : "");
	fprintf(stderr, "Try 'tuesday --help'.\n");
	free(names);
	free(shown);
	free(check);
	return EXIT_MISUSE;
}

static const struct program *find_program(const char *name)
{
	const struct program *at;

	for (at = __start_tuesday_programs; at < __stop_tuesday_programs; at++)
		if (!strcmp(at->name, name))
			return at;
	return NULL;
}

/* "cpu" of "cpuhealth"; NULL of what ends otherwise. The caller frees. */
static char *check_of_name(const char *name)
{
	static const char tail[] = "health";
	size_t len = strlen(name), tail_len = strlen(tail);

	if (len <= tail_len || strcmp(name + len - tail_len, tail) != 0)
		return NULL;
	return mem_strndup(name, len - tail_len);
}

/* What the tool of this name does. Returns false where no tool is called so. */
static bool run_tool(const char *name, int argc, char **argv, int *status)
{
	const struct program *program = find_program(name);
	char *check = program ? NULL : check_of_name(name);

	if (program)
		*status = program->run(argc, argv);
	else if (check)
		*status = run_main(argc, argv, check);
	free(check);
	return program || check;
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < count_commands(); i++)
		if (!strcmp(__start_tuesday_commands[i]->name, name))
			return __start_tuesday_commands[i];
	return NULL;
}

/* What works on files needs no right to anything else. Returns 0 or an exit status. */
static int confine_command(const struct command *command, const char *program)
{
	int err;

	if (command->works != COMMAND_ON_FILES)
		return 0;
	if (command->open)
		command->open();
	err = sandbox_enter(SANDBOX_READS);
	if (err)
		fprintf(stderr, "%s: cannot give up capabilities: %s\n", program, strerror(-err));
	return err ? 3 : 0;
}

/* A command, or a tool by its name: where one file was copied there are no links to it. */
static int run_command(int argc, char **argv)
{
	const struct command *command;
	const char *word = argv[1];
	char *name;
	int status = 0;

	if (argc > 1 && (!strcmp(word, "--help") || !strcmp(word, "-h"))) {
		print_commands();
		return 0;
	}
	if (argc == 1 || *word == '-')
		return run_main(argc, argv, NULL);
	command = find_command(word);
	if (!command && !find_program(word) && asked_is_check(word))
		return run_main(argc, argv, NULL);
	name = mem_printf("tuesday %s", word);
	argv[1] = name;
	if (command && command->paged)
		pager_begin();
	if (command)
		status = confine_command(command, name);
	if (command && !status)
		status = command->run(argc - 1, argv + 1);
	else if (!command && !run_tool(word, argc - 1, argv + 1, &status))
		status = unknown_command(word);
	pager_end();
	free(name);
	return status;
}

static void run_early(int argc, char **argv)
{
	early_work *const *at;

	for (at = __start_tuesday_early; at < __stop_tuesday_early; at++)
		(*at)(argc, argv);
}

/* What we open must not become what others take for standard output: a descriptor of these that was
 * closed leads nowhere, and says EBADF as before. */
static void fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/", O_PATH);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	char *program;
	const char *name;
	int status, err;

	if (argc < 1)
		return EXIT_MISUSE;
	fill_standard_descriptors();
	run_early(argc, argv);
	/* At a limit of the size of files a write says so: EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
	traces_allow_memory();
	capture_allow_files();
	/* Without a GPU nobody has its errors to tell, and to ask takes a mighty capability. */
	err = caps_start(access("/sys/class/drm", F_OK) ? CAPS_ALL & ~CAPS_GPU_ERRORS : CAPS_ALL);
	if (err) {
		fprintf(stderr, "tuesday: cannot drop capabilities: %s\n", strerror(-err));
		return 3;
	}
	name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	/* A program apart has nothing else to be, whatever its file is called. */
	if (!count_commands())
		name = __start_tuesday_programs->name;
	/* What every message begins with. */
	program = escape_path(argv[0]);
	argv[0] = program;
	if (!run_tool(name, argc, argv, &status))
		status = run_command(argc, argv);
	free(program);
	/* A failed write fails the run, even for --help. */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "tuesday: standard output: %s\n", strerror(errno ? errno : EIO));
		return status ? status : 3;
	}
	return status;
}
