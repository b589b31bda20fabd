/* SPDX-License-Identifier: GPL-2.0-only */
/* What does somebody not want to hear of, until when, and why? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>

#include "history/mutes.h"
#include "base/num.h"
#include "report/report.h"
#include "sys/statefile.h"
#include "base/str.h"
#include "base/quoteword.h"

#define FILE_NAME "mutes"
#define HEADER "tuesday-mutes 1\n"
#define MUTES_MAX 1000

void mutes_set(struct mutes *mutes, const char *check, const char *reason, const char *by,
	time_t since, time_t until)
{
	mutes_remove(mutes, check);
	ARRAY_GROW(mutes->list, mutes->n, mutes->room);
	mutes->list[mutes->n++] = (struct mute){
		.check = mem_strdup(check),
		.reason = mem_strdup(reason),
		.by = mem_strdup(by),
		.since = since,
		.until = until,
	};
}

static void free_mute(struct mute *mute)
{
	free(mute->check);
	free(mute->reason);
	free(mute->by);
}

int mutes_remove(struct mutes *mutes, const char *check)
{
	size_t i;

	for (i = 0; i < mutes->n; i++) {
		if (strcmp(mutes->list[i].check, check) != 0)
			continue;
		free_mute(&mutes->list[i]);
		memmove(&mutes->list[i], &mutes->list[i + 1],
			(mutes->n - i - 1) * sizeof(*mutes->list));
		mutes->n--;
		return 1;
	}
	return 0;
}

void mutes_free(struct mutes *mutes)
{
	size_t i;

	for (i = 0; i < mutes->n; i++)
		free_mute(&mutes->list[i]);
	free(mutes->list);
	*mutes = (struct mutes){0};
}

/* "CHECK SINCE UNTIL BY REASON" */
static int mutes_take_line(struct mutes *mutes, char *line)
{
	const uint64_t latest = (uint64_t)1 << 40;
	uint64_t since, until;
	char *words[6];

	if (mutes->n >= MUTES_MAX || quoteword_split(line, words, 5) != 5 ||
		!quoteword_undo(words[0]) || num_u64(words[1], 0, latest, &since) ||
		num_u64(words[2], 0, latest, &until) || !quoteword_undo(words[3]) ||
		!quoteword_undo(words[4]))
		return -EINVAL;
	mutes_set(mutes, words[0], words[4], words[3], (time_t)since, (time_t)until);
	return 0;
}

int mutes_parse(struct mutes *out, const char *text, size_t len)
{
	char *copy, *at;
	int err = 0;

	*out = (struct mutes){0};
	if (memchr(text, 0, len))
		return -EINVAL;
	copy = mem_strndup(text, len);
	if (!str_starts(copy, HEADER))
		err = -EINVAL;
	for (at = copy + strlen(HEADER); !err && *at;) {
		char *end = strchr(at, '\n');

		if (!end) {
			err = -EINVAL;
			break;
		}
		*end = 0;
		err = mutes_take_line(out, at);
		at = end + 1;
	}
	free(copy);
	if (err)
		mutes_free(out);
	return err;
}

int mutes_load(struct mutes *out, const char *dir, time_t now)
{
	struct str text = STR_INIT;
	int err = statefile_read(dir, FILE_NAME, &text);
	size_t i;

	*out = (struct mutes){0};
	if (!err)
		err = mutes_parse(out, str_text(&text), text.len);
	str_free(&text);
	for (i = out->n; i-- > 0;)
		if (out->list[i].until <= now)
			mutes_remove(out, out->list[i].check);
	return err == -ENOENT ? 0 : err;
}

int mutes_store(const struct mutes *mutes, const char *dir)
{
	struct str text = STR_INIT, line = STR_INIT;
	size_t i;
	int err;

	str_add(&text, HEADER);
	for (i = 0; i < mutes->n; i++) {
		const struct mute *mute = &mutes->list[i];

		str_clear(&line);
		quoteword_add(&line, mute->check);
		str_addf(&line, " %" PRIu64 " %" PRIu64, (uint64_t)mute->since,
			(uint64_t)mute->until);
		quoteword_add(&line, mute->by);
		quoteword_add(&line, mute->reason);
		str_addf(&text, "%s\n", str_text(&line) + 1);
	}
	err = statefile_write(dir, FILE_NAME, &text);
	str_free(&line);
	str_free(&text);
	return err;
}

int mutes_lock(const char *dir)
{
	return statefile_lock(dir, "lock-" FILE_NAME, true);
}

void mutes_note(struct report *report, const char *dir)
{
	struct mutes mutes;
	size_t i;

	if (mutes_load(&mutes, dir, report->time_start))
		return;
	report->muted = mem_zalloc((mutes.n + 1) * sizeof(*report->muted));
	for (i = 0; i < mutes.n; i++)
		report->muted[report->n_muted++] = (struct muted){
			.check = mem_strdup(mutes.list[i].check),
			.reason = mem_strdup(mutes.list[i].reason),
			.by = mem_strdup(mutes.list[i].by),
			.until = mutes.list[i].until,
		};
	mutes_free(&mutes);
}
