/* SPDX-License-Identifier: GPL-2.0-only */
/* Which commands does a check file say to run next, and with which names? */
#include "base/banned.h"

#include "base/shellquote.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/compile_util.h"
#include "check/keys.h"
#include "check/next_steps.h"
#include "check/settings.h"

#define STEP_MAX 280 /* bytes: a screen shows 300 columns of a line */

/* The end of what is quoted from at on; at itself where no quote begins there. "don't" has none. */
static const char *quoted_end(const char *start, const char *at)
{
	const char *end;

	if ((*at != '\'' && *at != '"') || (at > start && !strchr(" \t=", at[-1])))
		return at;
	end = strchr(at + 1, *at);
	return end ? end : at;
}

char *next_step_take(const char **list)
{
	const char *start = *list + strspn(*list, " \t,"), *at;
	size_t len;

	for (at = start; *at && *at != ','; at++)
		at = quoted_end(start, at);
	*list = at;
	len = (size_t)(at - start);
	while (len && strchr(" \t", start[len - 1]))
		len--;
	return len ? mem_strndup(start, len) : NULL;
}

static const char *const words[] = {"{instance}", "{who}", "{pid}"};
static const char *const unknown[] = {"INSTANCE", "WHO", "PID"};

/* The number of the placeholder that text begins with, or that of words. */
static size_t placeholder_at(const char *text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words) && !str_starts(text, words[i]); i++)
		;
	return i;
}

static void fill(struct str *out, const char *text, const char *const *names)
{
	while (*text) {
		size_t i = placeholder_at(text);

		if (i == ARRAY_SIZE(words)) {
			str_addc(out, *text++);
			continue;
		}
		if (!names || !names[i] || !shellquote_add(out, names[i]))
			str_add(out, unknown[i]);
		text += strlen(words[i]);
	}
}

void next_step_fill(struct str *out, const char *text, const struct step_names *names)
{
	const char *const list[] = {names->instance, names->who, names->pid};
	struct str step = STR_INIT;

	fill(&step, text, list);
	if (step.len > STEP_MAX) {
		str_clear(&step);
		fill(&step, text, NULL);
	}
	str_add(out, str_text(&step));
	str_free(&step);
}

static void check_word(const struct key_job *job, const char *at)
{
	size_t len = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_");
	char *word = mem_strndup(at, len + 2);
	const char *near = at[len + 1] == '}' ? suggest(word, words, ARRAY_SIZE(words)) : NULL;

	if (near && placeholder_at(at) == ARRAY_SIZE(words))
		complain_at(job->compile, job->setting,
			"unknown placeholder '%s'; did you mean '%s'?", word, near);
	free(word);
}

void next_step_take_key(const struct key_job *job)
{
	/* To a shell a quote begins in the middle of a word too; in what people read it is an
	 * apostrophe there. */
	bool is_command = !strcmp(job->setting->key, "next");
	const char *start = job->setting->value, *at;

	key_take_text(job);
	if (compile_trusts(job->compile))
		return;
	for (at = start; *at; at++) {
		const char *end = quoted_end(is_command ? at : start, at);

		if (*at == '{')
			check_word(job, at);
		for (; at < end; at++)
			if (placeholder_at(at) < ARRAY_SIZE(words))
				complain_at(job->compile, job->setting,
					"%s stands between quotes: leave them out, it is quoted as "
					"the shell needs it",
					words[placeholder_at(at)]);
	}
}
