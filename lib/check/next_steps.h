/* SPDX-License-Identifier: GPL-2.0-only */
/* What a person does next: the commands of `next`, and `remedy`, with names in their places. */
#ifndef TUESDAY_CHECK_NEXT_STEPS_H
#define TUESDAY_CHECK_NEXT_STEPS_H

#include <stdbool.h>

struct key_job;
struct str;

/*
 * Takes the next command off a list: commands are separated by commas, but for those between quotes
 * that begin a word or stand behind '=' (ps -o 'pid,stat'). Without the blanks around it; NULL at
 * the end. The caller frees.
 */
char *next_step_take(const char **list);

/* What stands for {instance}, {who} and {pid}; "" or NULL for what is not known. {port} and {url}
 * are made of the instance: of "0.0.0.0:80" 80 and http://127.0.0.1:80/, of "unix:/run/x" no port
 * and
 * --unix=/run/x http://localhost/. */
struct step_names {
	const char *instance, *who, *pid;
};

/*
 * Appends a command with the names in their places, quoted for a shell: the first of its
 * alternatives ("cat /proc/{pid}/stack else ps") of which every name is known, may be pasted, and
 * leaves the command short enough to be shown whole. Returns false, with nothing appended, where
 * there is none.
 */
bool next_step_fill(struct str *out, const char *text, const struct step_names *names);

/* The same of a remedy, which people read: what is not known there is a plain word, "it". */
void next_step_fill_remedy(struct str *out, const char *text, const struct step_names *names);

/* Takes a text with placeholders [const char *]. Complains about a misspelt one, and about one
 * between quotes, which would end them. */
void next_step_take_key(const struct key_job *job);

#endif
