/* SPDX-License-Identifier: GPL-2.0-only */
/* Which looks are remembered? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/quoteword.h"
#include "base/str.h"
#include "flame/codepath.h"
#include "sys/statefile.h"
#include "tools/codepath/kept.h"

#define FILE_NAME "codepaths"
#define HEAD "tuesday-codepaths/1\n"

void kept_forget(struct kept_process *process)
{
	for (size_t i = 0; i < process->n; i++)
		codepath_look_free(process->looks[i]);
	process->n = 0;
	codepath_look_free(process->accused);
	process->accused = NULL;
}

void kept_free(struct kept_looks *kept)
{
	for (size_t i = 0; i < kept->n; i++) {
		kept_forget(&kept->list[i]);
		free(kept->list[i].name);
	}
	free(kept->list);
}

struct kept_process *kept_of(struct kept_looks *kept, const char *name)
{
	for (size_t i = 0; i < kept->n; i++)
		if (!strcmp(kept->list[i].name, name))
			return &kept->list[i];
	ARRAY_GROW(kept->list, kept->n, kept->room);
	kept->list[kept->n] = (struct kept_process){.name = mem_strdup(name)};
	return &kept->list[kept->n++];
}

void kept_add(struct kept_process *process, struct codepath_look *look)
{
	if (process->n == KEPT_LOOKS) {
		codepath_look_free(process->looks[0]);
		memmove(process->looks, process->looks + 1,
			(KEPT_LOOKS - 1) * sizeof(*process->looks));
		process->n--;
	}
	process->looks[process->n++] = look;
}

/* "look TIME KIND BYTES NAME": what follows is so many bytes of a look. */
static int kept_read_one(struct kept_looks *kept, char *line, const char *text, size_t left)
{
	struct kept_process *process;
	struct codepath_look *look;
	char *words[5 + 1];
	uint64_t bytes, time;

	if (quoteword_split(line, words, 5) != 5 || strcmp(words[0], "look") != 0 ||
		num_u64(words[1], 0, INT64_MAX, &time) || num_u64(words[3], 1, left, &bytes) ||
		!quoteword_undo(words[4]))
		return -EBADMSG;
	look = codepath_look_read(text, bytes);
	if (!look)
		return -EBADMSG;
	process = kept_of(kept, words[4]);
	process->time = (time_t)time;
	if (!strcmp(words[2], "accused")) {
		codepath_look_free(process->accused);
		process->accused = look;
	} else {
		kept_add(process, look);
	}
	return (int)bytes;
}

static int kept_parse(struct kept_looks *kept, const struct str *text)
{
	const char *at = str_text(text), *end = at + text->len;

	if (!str_starts(at, HEAD))
		return -EBADMSG;
	at += strlen(HEAD);
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		char *line;
		int took;

		if (!stop)
			return -EBADMSG;
		line = mem_strndup(at, (size_t)(stop - at));
		took = kept_read_one(kept, line, stop + 1, (size_t)(end - stop - 1));
		free(line);
		if (took < 0)
			return took;
		at = stop + 1 + took;
	}
	return 0;
}

int kept_read(struct kept_looks *kept, const char *state)
{
	struct str text = STR_INIT;
	int err;

	*kept = (struct kept_looks){.n = 0};
	err = statefile_read(state, FILE_NAME, &text);
	if (!err)
		err = kept_parse(kept, &text);
	str_free(&text);
	return err == -ENOENT ? 0 : err;
}

static void kept_write_one(struct str *out, const struct kept_process *process,
	struct codepath_look *look, const char *kind, double least)
{
	struct str text = STR_INIT;

	codepath_look_write(&text, look, least);
	str_addf(out, "look %lld %s %zu", (long long)process->time, kind, text.len);
	quoteword_add(out, process->name);
	str_addc(out, '\n');
	str_addn(out, str_text(&text), text.len);
	str_free(&text);
}

static int kept_by_time(const void *a, const void *b)
{
	const struct kept_process *x = a, *y = b;

	return x->time > y->time ? -1 : x->time < y->time;
}

int kept_write(struct kept_looks *kept, const char *state, double least)
{
	struct str text = STR_INIT;
	int err;

	if (kept->n)
		qsort(kept->list, kept->n, sizeof(*kept->list), kept_by_time);
	str_add(&text, HEAD);
	for (size_t i = 0; i < kept->n && i < KEPT_PROCESSES; i++) {
		const struct kept_process *process = &kept->list[i];
		const size_t before = text.len;

		for (size_t k = 0; k < process->n; k++)
			kept_write_one(&text, process, process->looks[k], "earlier", least);
		if (process->accused)
			kept_write_one(&text, process, process->accused, "accused", least);
		if (text.len <= STATEFILE_MAX_BYTES)
			continue;
		/* What was seen last is worth most. */
		text.len = before;
		break;
	}
	err = statefile_write(state, FILE_NAME, &text);
	str_free(&text);
	return err;
}
