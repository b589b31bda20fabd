/* SPDX-License-Identifier: GPL-2.0-only */
/* A command of the runner: `tuesday NAME ...`. A program without any is a single health tool. */
#ifndef TUESDAY_COMMAND_H
#define TUESDAY_COMMAND_H

struct command {
	const char *name;
	const char *args; /* as in its usage line: "[CHECK...]" */
	const char *what; /* one line of help */
	/* argv[0] is what messages begin with. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

#define COMMAND(id) \
	static const struct command id; \
	static const struct command *const id##_registered \
		__attribute__((used, section("tuesday_commands"))) = &id; \
	static const struct command id

/* What a program is that is neither the runner nor a check: a program has one at most. Returns the
 * exit status. */
typedef int whole_program(int argc, char **argv);
#define PROGRAM(run) \
	static whole_program *const run##_registered \
		__attribute__((used, section("tuesday_program"))) = run

/*
 * Something to do before capabilities are given up, with the whole command line, whichever command
 * that is for: a program that a person wants to be run keeps the rights of its caller.
 */
typedef void early_work(int argc, char **argv);
#define EARLY(work) \
	static early_work *const work##_registered \
		__attribute__((used, section("tuesday_early"))) = work

#endif
