/* SPDX-License-Identifier: GPL-2.0-only */
/* A check file that is being written: what is known of it so far, and what it becomes. */
#ifndef TUESDAY_TOOLS_NEW_INTERNAL_H
#define TUESDAY_TOOLS_NEW_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

struct str;

#define DRAFT_METRICS 16

/* The texts of one metric, as keys of its section. */
enum draft_key {
	DRAFT_VALUE,
	DRAFT_CLASS,
	DRAFT_ENOUGH,
	DRAFT_LOOK,
	DRAFT_ACQUIT,
	DRAFT_MAYBE,
	DRAFT_BAD,
	DRAFT_SAY,
	DRAFT_CLEAR,
	DRAFT_WITNESS,
	DRAFT_WHY,
	DRAFT_SOURCE,
	DRAFT_HOWEVER,
	DRAFT_SEEN,
	DRAFT_KEYS
};
extern const char *const draft_keys[DRAFT_KEYS];

struct draft_metric {
	char *text[DRAFT_KEYS];
	char *name;
	bool many; /* it has instances */
};

/* All texts are owned, or NULL. */
struct draft {
	const char *program;
	const char *name;
	char *question, *area, *output;
	char *path;  /* a template: the file that the check reads */
	char *exec;  /* the program that answers instead of metrics */
	char *event; /* the tracepoint that says who */
	char *like;  /* the check that this one is a copy of */
	bool force, ask;
	struct draft_metric metrics[DRAFT_METRICS];
	size_t n;
};

void draft_free(struct draft *draft);
void draft_set(char **to, const char *text);

/* Writes the check file. What was not given is filled in, in a copy: lint finds the places. */
void draft_render(const struct draft *draft, struct str *out);

/* Whether the draft is right as far as it goes; if not, why gets what is wrong, one a line, without
 * the places, since there is no file yet. */
bool draft_is_right(const struct draft *draft, struct str *why);

/* Whether the text is an area of the checks that are linked in; if not, why gets those that are. */
bool draft_area_is_known(const char *area, struct str *why);

/* Whether this machine has the names that an expression is made of, as far as it can be told; if
 * not, why gets which it has not, one a line, and which were meant. */
bool draft_is_here(const char *expression, struct str *why);

/* Asks for what is missing on standard output, and reads answers from standard input. An answer
 * that would not be right is said to be, and asked for again. Returns false where the answers end
 * before there is a question and something to judge. */
bool draft_ask_all(struct draft *draft);

#endif
