/* SPDX-License-Identifier: GPL-2.0-only */
/* Which row of its table does a key belong to, and what becomes of its value? */
#include "base/banned.h"

#include <string.h>

#include "base/str.h"
#include "base/suggest.h"
#include "check/compile_util.h"
#include "check/keys.h"
#include "check/settings.h"

/* Whether the row is the key's; *rest is then what stands behind the dot, or NULL. */
static bool key_is(const struct key *key, const char *text, const char **rest)
{
	const char *name = key->name;

	*rest = NULL;
	for (; *name && *name == *text; name++)
		text++;
	if (*name)
		return false;
	if (!*text)
		return key->shape != KEY_NAMED;
	if (*text != '.' || key->shape == KEY_PLAIN)
		return false;
	*rest = text + 1;
	return true;
}

/* Beginning with row number *at, which is then the key's: the next key is often of the same row
 * (maybe.nvme, maybe.hdd) or of one that follows. */
static const struct key *key_find(
	const struct keys *keys, size_t *at, const char *text, const char **rest)
{
	size_t i;

	for (i = 0; i < keys->n; i++) {
		if (key_is(&keys->list[*at], text, rest))
			return &keys->list[*at];
		if (++*at == keys->n)
			*at = 0;
	}
	return NULL;
}

void compile_keys(struct compile *compile, const struct section *section, const struct keys *keys,
	void *thing)
{
	size_t i, at = 0;

	/* The first setting of a section is its header. */
	for (i = 1; i < section->n; i++) {
		struct key_job job = {
			.compile = compile, .setting = &section->list[i], .thing = thing};

		job.key = key_find(keys, &at, job.setting->key, &job.rest);
		if (!job.key && keys->unknown) {
			keys->unknown(compile, job.setting);
		} else if (!job.key) {
			complain_unknown_key(compile, job.setting, keys);
		} else if (!is_empty(compile, job.setting) && job.key->take) {
			job.field = (char *)thing + job.key->at;
			job.key->take(&job);
		}
	}
}

const char *key_nearest(const struct keys *keys, const char *text)
{
	const char **words = mem_realloc_array(NULL, keys->n, sizeof(*words));
	const char *near;
	size_t i;

	for (i = 0; i < keys->n; i++)
		words[i] = keys->list[i].name;
	near = suggest(text, words, keys->n);
	free(words);
	return near;
}

void complain_unknown_key(
	struct compile *compile, const struct setting *setting, const struct keys *keys)
{
	const char *near = key_nearest(keys, setting->key);

	if (near && strcmp(near, setting->key) != 0)
		complain_at(compile, setting, "unknown key '%s'; did you mean '%s'?", setting->key,
			near);
	else
		complain_at(compile, setting, "unknown key '%s'", setting->key);
}

void key_take_text(const struct key_job *job)
{
	*(const char **)job->field = job->setting->value;
}

void key_take_copy(const struct key_job *job)
{
	*(char **)job->field = mem_strdup(job->setting->value);
}

void key_take_yes(const struct key_job *job)
{
	*(bool *)job->field = compile_yes(job->compile, job->setting);
}

void key_take_number(const struct key_job *job)
{
	*(double *)job->field =
		compile_number(job->compile, job->setting, job->key->above, job->key->most);
}
