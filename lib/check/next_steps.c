/* SPDX-License-Identifier: GPL-2.0-only */
/* Which commands does a check file say to run next, and with which names? */
#include "base/banned.h"

#include <stdint.h>

#include "base/num.h"
#include "base/shellquote.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/compile_util.h"
#include "check/keys.h"
#include "check/next_steps.h"
#include "check/settings.h"

#define ELSE " else "
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

enum { INSTANCE, WHO, PID, PORT, URL, PLACEHOLDERS };
static const char *const words[] = {"{instance}", "{who}", "{pid}", "{port}", "{url}"};
/* In what people read, for what is not known. */
static const char *const plain_words[] = {
	"it", "the process", "its pid", "its port", "its address"};

/* What stands for each, ready for a shell; "" for what is not known. */
struct step_values {
	struct str of[PLACEHOLDERS];
};

/* The number of the placeholder that text begins with, or that of words. */
static size_t placeholder_at(const char *text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words) && !str_starts(text, words[i]); i++)
		;
	return i;
}

/* The port that a name ends in, ":3000" or "[::]:80"; NULL where it ends in none. */
static const char *port_of(const char *instance)
{
	const char *colon = strrchr(instance, ':');
	uint64_t port;

	return colon && !num_u64(colon + 1, 1, UINT16_MAX, &port) ? colon + 1 : NULL;
}

/* The address at which a program here reaches a listener of that name, up to its port. */
static bool step_add_host(struct str *url, const char *host, size_t len)
{
	static const char of_ipv4[] = "0123456789.", of_ipv6[] = "[]0123456789abcdefABCDEF:.";

	if (!len || (len == 7 && !memcmp(host, "0.0.0.0", len)))
		str_add(url, "127.0.0.1");
	else if (len == 4 && !memcmp(host, "[::]", len))
		str_add(url, "[::1]");
	else if (strspn(host, of_ipv4) >= len || (*host == '[' && strspn(host, of_ipv6) >= len))
		str_addn(url, host, len);
	else
		return false;
	return true;
}

/* Of a listener, for who asks it by HTTP: keepalivediagnose takes these words. */
static void step_add_url(struct str *out, const char *instance)
{
	static const char local[] = "unix:";
	const char *port = port_of(instance);
	struct str url = STR_INIT;

	if (str_starts(instance, local) && instance[strlen(local)]) {
		str_add(&url, "--unix=");
		if (shellquote_add(&url, instance + strlen(local)))
			str_addf(out, "%s http://localhost/", str_text(&url));
	} else if (port) {
		str_add(&url, "http://");
		if (step_add_host(&url, instance, (size_t)(port - 1 - instance))) {
			str_addf(&url, ":%s/", port);
			shellquote_add(out, str_text(&url));
		}
	}
	str_free(&url);
}

static void step_values_make(struct step_values *values, const struct step_names *names)
{
	const char *const plain[] = {names->instance, names->who, names->pid};
	const char *port = names->instance ? port_of(names->instance) : NULL;
	size_t i;

	*values = (struct step_values){0};
	for (i = 0; i < ARRAY_SIZE(plain); i++)
		if (plain[i])
			shellquote_add(&values->of[i], plain[i]);
	if (port)
		str_add(&values->of[PORT], port);
	if (names->instance)
		step_add_url(&values->of[URL], names->instance);
}

static void step_values_free(struct step_values *values)
{
	size_t i;

	for (i = 0; i < PLACEHOLDERS; i++)
		str_free(&values->of[i]);
}

/* Appends the first len bytes of text, filled in. Returns false, with a part of it appended, where
 * a value is not known and there is no plain word. */
static bool step_fill(struct str *out, const char *text, size_t len,
	const struct step_values *values, const char *const *plain)
{
	const char *end = text + len;

	while (text < end) {
		size_t i = placeholder_at(text);

		if (i == ARRAY_SIZE(words)) {
			str_addc(out, *text++);
			continue;
		}
		if (values->of[i].len)
			str_add(out, str_text(&values->of[i]));
		else if (plain)
			str_add(out, plain[i]);
		else
			return false;
		text += strlen(words[i]);
	}
	return true;
}

/* The length of the first of several commands with " else " between them, quotes apart. */
static size_t step_alternative(const char *text)
{
	const char *at;

	for (at = text; *at && !str_starts(at, ELSE); at++)
		at = quoted_end(text, at);
	return (size_t)(at - text);
}

bool next_step_fill(struct str *out, const char *text, const struct step_names *names)
{
	struct step_values values;
	struct str step = STR_INIT;
	bool filled = false;

	step_values_make(&values, names);
	while (*text && !filled) {
		size_t len = step_alternative(text);

		str_clear(&step);
		filled = step_fill(&step, text, len, &values, NULL) && step.len <= STEP_MAX;
		text += len;
		if (*text)
			text += strlen(ELSE);
	}
	if (filled)
		str_add(out, str_text(&step));
	str_free(&step);
	step_values_free(&values);
	return filled;
}

void next_step_fill_remedy(struct str *out, const char *text, const struct step_names *names)
{
	struct step_values values;
	struct str remedy = STR_INIT;

	step_values_make(&values, names);
	step_fill(&remedy, text, strlen(text), &values, plain_words);
	if (remedy.len > STEP_MAX) {
		step_values_free(&values);
		values = (struct step_values){0};
		str_clear(&remedy);
		step_fill(&remedy, text, strlen(text), &values, plain_words);
	}
	str_add(out, str_text(&remedy));
	str_free(&remedy);
	step_values_free(&values);
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
