/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The experiments of a run: which of them a person wants, and what they do to the verdicts.
 */
#ifndef TUESDAY_RUN_EXPERIMENT_PROMPT_H
#define TUESDAY_RUN_EXPERIMENT_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "run/options.h"
#include "check/layers.h"

struct check_layers;
struct check_result;
struct checks;
struct capture;
struct report;
struct str;

/* What the command line says about experiments. Its texts are those of argv. */
struct wishes {
	bool invasive; /* ask for each on the terminal */
	bool dry_run;
	const char **yes; /* CHECK/EXPERIMENT */
	size_t n_yes, room_yes;
	const char *command, *url; /* the number to watch */
	const char *instance;	   /* instead of the one that is accused */
};

/* The options of `tuesday run` that are about experiments; handed a struct wishes. */
extern const struct option_row experiment_options[];
extern const size_t n_experiment_options;

/* Whether any experiment is wanted, be it only to be shown. */
bool wishes_any(const struct wishes *wishes);

/*
 * Whether what is wanted can be had: before anything is sampled. Returns 0, or the exit status
 * after a message: no terminal to ask on, not root, no such experiment.
 */
int wishes_check(const struct wishes *wishes, const struct options *options, const char *program,
	const struct checks *checks);
void wishes_free(struct wishes *wishes);

/* Whether there is a terminal to ask on; and asks there: prints the question and reads a line. What
 * was typed before it is no answer. */
bool experiment_prompt_possible(void);
bool experiment_prompt_ask(const struct str *question);

/*
 * Offers, asks, runs, and judges again. Only shows what would be done for a dry run. Returns
 * whether the machine is as it was before.
 */
bool experiments_run(const struct wishes *wishes, const struct options *options,
	const struct check_layers *layers, struct capture *fs, struct report *report);

#endif
