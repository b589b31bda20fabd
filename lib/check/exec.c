/* SPDX-License-Identifier: GPL-2.0-only */
/* Which program does a foreign check name, and may it be run? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "check/check.h"
#include "check/exec.h"
#include "sys/file_trust.h"
#include "sys/privileged_call.h"

#define WORDS_MAX 256

/* The next word from *at, without its quotes. Returns false at the end, or where a quote is open.
 */
static bool exec_next_word(const char **at, struct str *word, struct str *error)
{
	char quote = 0;

	*at += strspn(*at, " \t");
	if (!**at)
		return false;
	for (; **at && (quote || (**at != ' ' && **at != '\t')); (*at)++) {
		if (!quote && (**at == '"' || **at == '\''))
			quote = **at;
		else if (quote && **at == quote)
			quote = 0;
		else
			str_addc(word, **at);
	}
	if (quote)
		str_addf(error, "the quote %c is not closed", quote);
	return !quote;
}

static void exec_split_words(struct foreign *foreign, const char *text, struct str *error)
{
	struct str word = STR_INIT;

	while (foreign->n_words < WORDS_MAX && exec_next_word(&text, &word, error))
		foreign->words[foreign->n_words++] = str_take(&word);
	str_free(&word);
	if (foreign->n_words == WORDS_MAX)
		str_addf(error, "'exec' has more than %d words", WORDS_MAX - 1);
	else if (!error->len && !foreign->n_words)
		str_add(error, "'exec' names no program");
	else if (!error->len && *foreign->words[0] != '/')
		str_addf(error, "'exec' wants the whole path of a program, not '%s'",
			foreign->words[0]);
}

struct foreign *foreign_new(const char *exec, const char *file, struct str *error)
{
	struct foreign *foreign = mem_zalloc(sizeof(*foreign));

	foreign->file = mem_strdup(file);
	foreign->words = mem_zalloc((WORDS_MAX + 1) * sizeof(*foreign->words));
	foreign->plugin.timeout_seconds = FOREIGN_TIMEOUT_SECONDS;
	exec_split_words(foreign, exec, error);
	foreign->plugin.words = foreign->words;
	if (!error->len)
		return foreign;
	foreign_free(foreign);
	return NULL;
}

void foreign_clear_metrics(struct foreign *foreign)
{
	size_t i;

	for (i = 0; i < foreign->n_metrics; i++) {
		free((char *)foreign->metrics[i]->name);
		free((char *)foreign->metrics[i]->source);
		free(foreign->metrics[i]);
	}
	foreign->n_metrics = 0;
}

void foreign_free(struct foreign *foreign)
{
	size_t i;

	if (!foreign)
		return;
	foreign_clear_metrics(foreign);
	free(foreign->metrics);
	for (i = 0; i < foreign->n_words; i++)
		free(foreign->words[i]);
	free(foreign->words);
	free(foreign->file);
	str_free(&foreign->report);
	free(foreign);
}

void foreign_set_timeout(struct foreign *foreign, double seconds)
{
	foreign->plugin.timeout_seconds = seconds;
}

double foreign_timeout(const struct foreign *foreign)
{
	return foreign->plugin.timeout_seconds;
}

void foreign_command(const struct foreign *foreign, struct str *out)
{
	size_t i;

	for (i = 0; i < foreign->n_words; i++)
		str_addf(out, "%s%s", i ? " " : "", foreign->words[i]);
}

/* The path in "/a/b" and in "--file=/a/b", or NULL. */
static const char *exec_path_in(const char *word)
{
	const char *equals = strchr(word, '=');

	if (*word == '/')
		return word;
	return equals && equals[1] == '/' ? equals + 1 : NULL;
}

/*
 * An interpreter runs the file that it is handed. What is there and no regular file, as the
 * directory whose space a plugin looks at, may be anybody's; what is not there yet may not become
 * somebody else's program.
 */
static int exec_check_word(const char *word, struct str *why)
{
	const char *path = exec_path_in(word);
	struct str said = STR_INIT;
	struct stat st;
	int err;

	if (!path || (!privileged_fstatat(AT_FDCWD, path, &st, 0) && !S_ISREG(st.st_mode)))
		return 0;
	err = trusted_file(path, &said);
	if (err == -ENOENT)
		err = 0;
	if (err)
		str_addf(why, "it is handed a file that it may run: %s", str_text(&said));
	str_free(&said);
	return err;
}

int foreign_trusted(const struct foreign *foreign, struct str *why)
{
	int err = trusted_file(foreign->file, why);
	size_t i;

	if (!err)
		err = trusted_file(foreign->words[0], why);
	for (i = 1; i < foreign->n_words && !err; i++)
		err = exec_check_word(foreign->words[i], why);
	return err;
}
