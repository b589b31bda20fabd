/* SPDX-License-Identifier: GPL-2.0-only */
/* What the person who started the program wants: the options that all commands share. */
#ifndef TUESDAY_RUN_OPTIONS_H
#define TUESDAY_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/terminal.h"

/* Exit status for misuse, so that no wrong option looks like a verdict. */
#define EXIT_MISUSE 64

struct report;
struct site;
struct wishes;

struct options {
	unsigned int windows;	 /* 5, or 1 with --quick */
	double window_seconds;	 /* 2, or 1 with --quick */
	double before_seconds;	 /* of a look that the program took before its run */
	double deadline_seconds; /* after which a run ends with what is known; 0: none */
	bool quick, deep, no_trace;
	bool ledger, verbose, quiet;
	enum color_when color;
	const char *format;   /* a writer's name; "text" */
	const char *services; /* names of checks, or "all", for formats that have services */
	const char *to;	      /* a file, or NULL for standard output */
	bool to_stderr;	      /* standard output belongs to somebody else */
	const char *root;     /* "/" */
	const char *replay;   /* a recording to read instead of this machine, or NULL */
	const char *record;   /* a directory to record into, or NULL */
	bool redact;	      /* with the names in it replaced */
	const char **dirs; /* -c; the pointers belong to argv, the array is freed by options_free */
	size_t n_dirs;
	const char *state;	     /* another state directory, or NULL */
	const char *continues;	     /* the consumer whose last run this one continues, or NULL */
	bool cron;		     /* say only what is new */
	int cron_lock;		     /* what cron_begin has taken */
	time_t cron_unended;	     /* when a --cron run began that never ended; 0: none */
	bool no_history;	     /* neither read nor written */
	bool honour_mutes;	     /* what is muted does not count */
	const struct site *site;     /* what tuesday.ini says of this machine, or NULL */
	double splay_seconds;	     /* wait a random time up to this before anything else */
	const struct wishes *wishes; /* experiments, or NULL: what is no `tuesday run` has none */
	bool watch;		     /* again and again */
	bool explain;		     /* instead of running */
	bool version;		     /* so too */
	/* Is given the report instead of a writer; NULL: none. Returns 0 or -errno after a message.
	 */
	int (*take)(void *arg, const struct report *report);
	void *take_arg;
	char **names; /* the operands, inside argv */
	size_t n_names;
	char *only; /* patterns of the only instances to judge, or NULL for all; owned */
};

/* Groups of the options above, so that a command has those that mean something to it. */
enum {
	OPTIONS_SAMPLING = 1, /* --quick --windows --window --deadline */
	OPTIONS_TRACING = 2,  /* --deep --no-trace */
	OPTIONS_REPORT = 4,   /* -o --to --ledger -v -q --color */
	OPTIONS_CHECKS = 8,   /* -c */
	OPTIONS_RECORD = 16,  /* --record */
	OPTIONS_REDACT = 32,  /* --redact */
	OPTIONS_MACHINE = 64, /* --replay --root */
	OPTIONS_EXPLAIN = 128,
	OPTIONS_ALL = 255,   /* of those that one run of one check can have */
	OPTIONS_STATE = 256, /* --state */
	OPTIONS_KEPT = 512   /* --since-last --cron --splay --no-history --honour-mutes */
};

/* What becomes of an option's value. */
enum option_kind {
	OPTION_IS_CALL,	   /* set takes it */
	OPTION_IS_FLAG,	   /* it has none: a bool becomes true */
	OPTION_IS_TEXT,	   /* kept as it is, in argv */
	OPTION_IS_COUNT,   /* a whole number from least to most */
	OPTION_IS_SECONDS, /* a time from least to most, with or without its unit */
	OPTION_IS_CHOICE,  /* one of choices, kept as its index */
	OPTION_IS_HELP
};

/* The type of what a value is kept in. */
enum option_store { OPTION_AS_BOOL, OPTION_AS_UINT, OPTION_AS_SIZE, OPTION_AS_DOUBLE };

struct option_value {
	enum option_kind kind;
	size_t at; /* of a field in what the command's options are kept in */
	enum option_store as;
	double least, most;	    /* of a text: its bytes, or any number where most is 0 */
	const char *wanted;	    /* what a refused value is not: "a time from 1s to 1h" */
	const char *const *choices; /* ends with NULL */
	/* Returns 0, 1 where it printed what was asked for, or -EINVAL after a message. value is
	 * NULL where the option takes none. */
	int (*set)(void *to, const char *program, const char *value);
};

/* One option: what parses it, refuses it and explains it. The last member is one of the below. */
struct option_row {
	int letter; /* of the short option, or 0 */
	const char *name;
	const char *arg; /* as help calls it, or NULL: it takes none */
	const char *help;
	struct option_value value;
};

/* Where a field is; a field of another type than the option's does not compile. */
#define OPTION_AT(type, field, is) \
	.at = offsetof(type, field) + 0 * sizeof(_Generic(((type){}).field, is : 1))
#define OPTION_NUMBER_AT(type, field) \
	.at = offsetof(type, field), \
	.as = _Generic(((type){}).field, bool \
		       : OPTION_AS_BOOL, unsigned int \
		       : OPTION_AS_UINT, size_t \
		       : OPTION_AS_SIZE, double \
		       : OPTION_AS_DOUBLE)

#define OPTION_CALL(function) \
	{ \
		.kind = OPTION_IS_CALL, .set = (function) \
	}
#define OPTION_FLAG(type, field) \
	{ \
		.kind = OPTION_IS_FLAG, OPTION_AT(type, field, bool) \
	}
#define OPTION_TEXT(type, field) \
	{ \
		.kind = OPTION_IS_TEXT, OPTION_AT(type, field, const char *) \
	}
/* Not empty and of most_bytes at most, 0: as long as anyone likes. */
#define OPTION_TEXT_OF(type, field, most_bytes, is_not) \
	{ \
		.kind = OPTION_IS_TEXT, OPTION_AT(type, field, const char *), .least = 1, \
		.most = (most_bytes), .wanted = (is_not) \
	}
#define OPTION_COUNT(type, field, from, to) \
	{ \
		.kind = OPTION_IS_COUNT, OPTION_NUMBER_AT(type, field), .least = (from), \
		.most = (to) \
	}
#define OPTION_SECONDS(type, field, from, to, is_not) \
	{ \
		.kind = OPTION_IS_SECONDS, OPTION_AT(type, field, double), .least = (from), \
		.most = (to), .wanted = (is_not) \
	}
#define OPTION_CHOICE(type, field, names) \
	{ \
		.kind = OPTION_IS_CHOICE, OPTION_NUMBER_AT(type, field), .choices = (names) \
	}

/* "auto", "always", "never", as enum color_when has them. */
extern const char *const option_colors[];
/* "text", "json": a bool says whether it is JSON. */
extern const char *const option_json[];

struct usage {
	const char *line; /* the first line of help: "tuesday run [CHECK...]" */
	const char *what; /* the second */
	unsigned int groups;
	const struct option_row *own; /* at most 32, with more */
	size_t n_own;
	void *to; /* what own fills */
	/* A second table, with what it fills. */
	const struct option_row *more;
	size_t n_more;
	void *more_to;
	const char *status; /* what the exit status says; NULL: the verdict */
};

/* The options that one health tool has beside the common ones; they fill its struct options. */
struct health_options {
	const char *check;
	const struct option_row *own;
	size_t n_own;
};

#define HEALTH_OPTIONS(id) \
	static const struct health_options id; \
	static const struct health_options *const id##_registered \
		__attribute__((used, section("tuesday_health_options"))) = &id; \
	static const struct health_options id

/* Those of a check's tool, or NULL where it has none. */
const struct health_options *options_of_health(const char *check);

/*
 * Reads the options of a command. Prints help or the version and returns 1 where these were asked
 * for; prints what is wrong and returns -EINVAL where something is; returns 0 otherwise.
 */
int options_parse_usage(struct options *options, int argc, char **argv, const struct usage *usage);
/* The same with all common options and none else. */
int options_parse(
	struct options *options, int argc, char **argv, const char *line, const char *what);
/* What --version prints; with verbose also what else is in the program. Returns 0. */
int options_print_version(const struct options *options);

void options_free(struct options *options);

/* "PROGRAM: --OPTION: 'VALUE' is not WANTED"; returns -EINVAL. */
int option_refused(const char *program, const char *option, const char *value, const char *wanted);

#endif
