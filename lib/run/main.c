/* SPDX-License-Identifier: GPL-2.0-only */
/* Which command, or which single check, is this program about? */
#include <errno.h>
#include <unistd.h>

#include "sys/caps.h"
#include "check/check.h"
#include "base/command.h"
#include "base/escape.h"
#include "run/options.h"
#include "capture/capture.h"
#include "run/run.h"
#include "base/str.h"
#include "trace/trace.h"

extern const struct command *const __start_tuesday_commands[] __attribute__((weak));
extern const struct command *const __stop_tuesday_commands[] __attribute__((weak));
extern whole_program *const __start_tuesday_program[] __attribute__((weak));
extern early_work *const __start_tuesday_early[] __attribute__((weak));
extern early_work *const __stop_tuesday_early[] __attribute__((weak));
extern const struct embedded_check __start_tuesday_checks[] __attribute__((weak));

static size_t count_commands(void)
{
	return (size_t)(__stop_tuesday_commands - __start_tuesday_commands);
}

static int by_name(const void *a, const void *b)
{
	const struct command *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

/* The linker's order is that of the files. The caller frees. */
static const struct command **sorted_commands(void)
{
	size_t n = count_commands(), i;
	const struct command **sorted = mem_realloc_array(NULL, n + 1, sizeof(*sorted));

	for (i = 0; i < n; i++)
		sorted[i] = __start_tuesday_commands[i];
	qsort(sorted, n, sizeof(*sorted), by_name);
	return sorted;
}

static void print_commands(void)
{
	const struct command **sorted = sorted_commands();
	size_t i;

	printf("Usage: tuesday [COMMAND] [OPTION...]\n"
	       "Finds out what a slow machine is not suffering from, and what it is.\n\n");
	for (i = 0; i < count_commands(); i++) {
		const struct command *command = sorted[i];
		char *left = mem_printf("%s %s", command->name, command->args);

		printf("  %-22s %s\n", left, command->what);
		free(left);
	}
	free(sorted);
	printf("\nWithout a command: run. 'tuesday COMMAND --help' says more.\n"
	       "Exit status: 0 good, 1 maybe, 2 bad, 3 unknown, 64 misuse.\n");
}

static int unknown_command(const char *name)
{
	const char **names = mem_realloc_array(NULL, count_commands(), sizeof(*names));
	char *shown = escape_word(name);
	const char *near;
	size_t i;

	for (i = 0; i < count_commands(); i++)
		names[i] = __start_tuesday_commands[i]->name;
	near = suggest(name, names, count_commands());
	fprintf(stderr, "tuesday: there is no command '%s'", shown);
	fprintf(stderr, near ? "; did you mean '%s'?\n" : "%s\n", near ? near : "");
	fprintf(stderr, "Try 'tuesday --help'.\n");
	free(names);
	free(shown);
	return EXIT_MISUSE;
}

static int run_command(int argc, char **argv)
{
	size_t i;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		print_commands();
		return 0;
	}
	if (argc == 1 || *argv[1] == '-')
		return run_main(argc, argv, NULL);
	for (i = 0; i < count_commands(); i++) {
		const struct command *command = __start_tuesday_commands[i];
		char *name;
		int status;

		if (strcmp(command->name, argv[1]) != 0)
			continue;
		name = mem_printf("tuesday %s", command->name);
		argv[1] = name;
		status = command->run(argc - 1, argv + 1);
		free(name);
		return status;
	}
	return unknown_command(argv[1]);
}

static void run_early(int argc, char **argv)
{
	early_work *const *at;

	for (at = __start_tuesday_early; at < __stop_tuesday_early; at++)
		(*at)(argc, argv);
}

int main(int argc, char **argv)
{
	char *program;
	int status, err;

	if (argc < 1)
		return EXIT_MISUSE;
	run_early(argc, argv);
	traces_allow_memory();
	procfs_allow_files();
	/* Without a GPU nobody has its errors to tell, and to ask takes a mighty capability. */
	err = caps_start(access("/sys/class/drm", F_OK) ? CAPS_ALL & ~CAPS_GPU_ERRORS : CAPS_ALL);
	if (err) {
		fprintf(stderr, "tuesday: cannot drop capabilities: %s\n", strerror(-err));
		return 3;
	}
	/* What every message begins with. */
	program = escape_path(argv[0]);
	argv[0] = program;
	if (__start_tuesday_program)
		status = (*__start_tuesday_program)(argc, argv);
	else
		status = count_commands() ? run_command(argc, argv)
					  : run_main(argc, argv, __start_tuesday_checks->name);
	free(program);
	/* What nobody could read was not said, be it only help. */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "tuesday: standard output: %s\n", strerror(errno ? errno : EIO));
		return status ? status : 3;
	}
	return status;
}
