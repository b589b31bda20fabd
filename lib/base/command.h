/* SPDX-License-Identifier: GPL-2.0-only */
/* What a program can be called upon to do, registered by whoever does it. */
#ifndef TUESDAY_BASE_COMMAND_H
#define TUESDAY_BASE_COMMAND_H

#include <stdbool.h>

/* What a command works on, and so what it may. */
enum command_works {
	/* It reads files and writes some: it runs without any capability, in sys/sandbox.h. */
	COMMAND_ON_FILES,
	COMMAND_ON_MACHINE, /* it looks at the machine, and gives up its rights itself */
};

/* What a person is about who wants it: the order of 'tuesday --help'. */
enum command_group {
	COMMAND_FINDS,	 /* what is slow here */
	COMMAND_KEEPS,	 /* over days, and over many machines */
	COMMAND_RECORDS, /* to look at it elsewhere */
	COMMAND_WRITES,	 /* checks of one's own */
	COMMAND_HELPS,
	COMMAND_GROUPS
};

/* A command of the runner: `tuesday NAME ...`. */
struct command {
	const char *name;
	const char *args; /* as in its usage line: "[CHECK...]" */
	const char *what; /* one line of help, of at most 64 columns */
	enum command_group group;
	/* argv[0] is what messages begin with. Returns the exit status. */
	int (*run)(int argc, char **argv);
	enum command_works works;
	bool paged; /* it prints what is long, and asks nothing: a pager shows it on a terminal */
	/* What of the machine a command on files opens before it gives up its rights, or NULL. */
	void (*open)(void);
};

#define COMMAND(id) \
	static const struct command id; \
	static const struct command *const id##_registered \
		__attribute__((used, section("tuesday_commands"))) = &id; \
	static const struct command id

/* A tool that is neither the runner nor a check: it answers to its own name, whatever file that is
 * a link to. run returns the exit status. */
struct program {
	const char *name;
	int (*run)(int argc, char **argv);
};

/* Of a function that has the program's name. */
#define PROGRAM(run) \
	static const struct program run##_program \
		__attribute__((used, section("tuesday_programs"))) = {#run, run}

/*
 * Something to do before capabilities are given up, with the whole command line, whichever command
 * that is for: a program that a person wants to be run keeps the rights of its caller.
 */
typedef void early_work(int argc, char **argv);
#define EARLY(work) \
	static early_work *const work##_registered \
		__attribute__((used, section("tuesday_early"))) = work

#endif
