/* SPDX-License-Identifier: GPL-2.0-only */
/* What a person does next: the commands of `next`, and `remedy`, with names in their places. */
#ifndef TUESDAY_CHECK_NEXT_STEPS_H
#define TUESDAY_CHECK_NEXT_STEPS_H

struct key_job;
struct str;

/*
 * Takes the next command off a list: commands are separated by commas, but for those between quotes
 * that begin a word or stand behind '=' (ps -o 'pid,stat'). Without the blanks around it; NULL at
 * the end. The caller frees.
 */
char *next_step_take(const char **list);

/* What stands for {instance}, {who} and {pid}; "" or NULL for what is not known. */
struct step_names {
	const char *instance, *who, *pid;
};

/*
 * Appends a command or a remedy with the names in their places, quoted for a shell. A name that is
 * not known, or that a person must not paste, is left as a word in capitals: PID. The same is done
 * with all of them where the command would be too long to be shown whole.
 */
void next_step_fill(struct str *out, const char *text, const struct step_names *names);

/* Takes a text with placeholders [const char *]. Complains about a misspelt one, and about one
 * between quotes, which would end them. */
void next_step_take_key(const struct key_job *job);

#endif
