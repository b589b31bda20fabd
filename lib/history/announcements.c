/* SPDX-License-Identifier: GPL-2.0-only */
/* What do people do to this machine on purpose, and was what is wrong there before? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>

#include "base/num.h"
#include "base/quoteword.h"
#include "base/str.h"
#include "check/check.h"
#include "history/announcements.h"
#include "history/read.h"
#include "report/report.h"
#include "sys/statefile.h"

#define FILE_NAME "announced"
#define HEADER "tuesday-announced 1\n"
#define KEPT_MAX 200
#define KEPT_SECONDS (31 * 86400)
#define BEFORE_SECONDS 3600

static void announcements_append(struct announcements *announcements, const char *what,
	const char *by, time_t since, time_t until)
{
	ARRAY_GROW(announcements->list, announcements->n, announcements->room);
	announcements->list[announcements->n++] = (struct announcement){
		.what = mem_strdup(what), .by = mem_strdup(by), .since = since, .until = until};
}

static void announcements_drop(struct announcements *announcements, size_t i)
{
	free(announcements->list[i].what);
	free(announcements->list[i].by);
	memmove(&announcements->list[i], &announcements->list[i + 1],
		(announcements->n - i - 1) * sizeof(*announcements->list));
	announcements->n--;
}

void announcements_free(struct announcements *announcements)
{
	while (announcements->n)
		announcements_drop(announcements, announcements->n - 1);
	free(announcements->list);
	*announcements = (struct announcements){0};
}

bool announcement_holds(const struct announcement *announcement, time_t now)
{
	return announcement->since <= now && now < announcement->until;
}

bool announcement_within(const struct announcement *announcement, time_t from, time_t to)
{
	return announcement->since <= to && announcement->until > from;
}

size_t announcements_in_force(const struct announcements *announcements, time_t now)
{
	size_t i, n = 0;

	for (i = 0; i < announcements->n; i++)
		n += announcement_holds(&announcements->list[i], now);
	return n;
}

int announcements_add(struct announcements *announcements, const char *what, const char *by,
	time_t since, time_t until)
{
	if (announcements_in_force(announcements, since) >= ANNOUNCEMENTS_IN_FORCE_MAX)
		return -ENOSPC;
	announcements_append(announcements, what, by, since, until);
	return 0;
}

/* "SINCE UNTIL BY WHAT" */
static int announcements_take_line(struct announcements *announcements, char *line)
{
	const uint64_t latest = (uint64_t)1 << 40;
	uint64_t since, until;
	char *words[5];

	if (announcements->n >= KEPT_MAX || quoteword_split(line, words, 4) != 4 ||
		num_u64(words[0], 0, latest, &since) || num_u64(words[1], 0, latest, &until) ||
		!quoteword_undo(words[2]) || !quoteword_undo(words[3]) ||
		strlen(words[3]) > ANNOUNCEMENT_MAX_BYTES)
		return -EINVAL;
	announcements_append(announcements, words[3], words[2], (time_t)since, (time_t)until);
	return 0;
}

int announcements_parse(struct announcements *out, const char *text, size_t len)
{
	char *copy, *at;
	int err = 0;

	*out = (struct announcements){0};
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
		err = announcements_take_line(out, at);
		at = end + 1;
	}
	free(copy);
	if (err)
		announcements_free(out);
	return err;
}

int announcements_load(struct announcements *out, const char *dir)
{
	struct str text = STR_INIT;
	int err = statefile_read(dir, FILE_NAME, &text);

	*out = (struct announcements){0};
	if (!err)
		err = announcements_parse(out, str_text(&text), text.len);
	str_free(&text);
	return err == -ENOENT ? 0 : err;
}

static void announcements_forget(struct announcements *announcements, time_t now)
{
	size_t i;

	for (i = announcements->n; i-- > 0;)
		if (announcements->list[i].until < now - KEPT_SECONDS)
			announcements_drop(announcements, i);
	/* Fewer are in force than are kept, so there is one that is over. */
	for (i = 0; announcements->n > KEPT_MAX && i < announcements->n;)
		if (announcement_holds(&announcements->list[i], now))
			i++;
		else
			announcements_drop(announcements, i);
}

int announcements_store(struct announcements *announcements, const char *dir, time_t now)
{
	struct str text = STR_INIT;
	size_t i;
	int err;

	announcements_forget(announcements, now);
	str_add(&text, HEADER);
	for (i = 0; i < announcements->n; i++) {
		const struct announcement *announcement = &announcements->list[i];

		str_addf(&text, "%" PRIu64 " %" PRIu64, (uint64_t)announcement->since,
			(uint64_t)announcement->until);
		quoteword_add(&text, announcement->by);
		quoteword_add(&text, announcement->what);
		str_addc(&text, '\n');
	}
	err = statefile_write(dir, FILE_NAME, &text);
	str_free(&text);
	return err;
}

int announcements_lock(const char *dir)
{
	return statefile_lock(dir, "lock-" FILE_NAME, true);
}

void announcements_note(struct report *report, const char *dir)
{
	struct announcements all;
	size_t i;

	if (announcements_load(&all, dir))
		return;
	if (announcements_in_force(&all, report->time_start))
		report->announced = mem_zalloc(all.n * sizeof(*report->announced));
	for (i = 0; i < all.n; i++)
		if (announcement_holds(&all.list[i], report->time_start))
			report->announced[report->n_announced++] = (struct announced){
				.what = mem_strdup(all.list[i].what),
				.by = mem_strdup(all.list[i].by),
				.since = all.list[i].since,
				.until = all.list[i].until,
			};
	announcements_free(&all);
}

/* What earlier runs say of a check. */
struct earlier {
	time_t since;
	bool good_since;
	bool looked_before;
	enum verdict before; /* in the last run before it */
};

static int earlier_take(void *arg, const struct history_verdict *light)
{
	struct earlier *earlier = arg;

	if (light->verdict == VERDICT_UNKNOWN || light->verdict == VERDICT_SKIP)
		return 0;
	if (light->time >= earlier->since) {
		earlier->good_since |= light->verdict == VERDICT_GOOD;
	} else {
		earlier->looked_before = true;
		earlier->before = light->verdict;
	}
	return 0;
}

static enum began earlier_began(
	struct history *history, const char *check, time_t since, time_t now)
{
	struct earlier earlier = {.since = since};

	if (history_each_verdict(
		    history, check, since - BEFORE_SECONDS, now, earlier_take, &earlier))
		return BEGAN_UNKNOWN;
	if (earlier.good_since)
		return BEGAN_SINCE;
	if (!earlier.looked_before)
		return BEGAN_UNKNOWN;
	return earlier.before == VERDICT_GOOD ? BEGAN_SINCE : BEGAN_BEFORE;
}

static time_t announcements_first(const struct report *report)
{
	time_t first = report->announced[0].since;
	size_t i;

	for (i = 1; i < report->n_announced; i++)
		first = report->announced[i].since < first ? report->announced[i].since : first;
	return first;
}

/* Of what is bad or, where nothing is, of what may be. */
void announcements_ask_history(struct report *report, struct history *history)
{
	enum verdict worst = VERDICT_MAYBE;
	bool before = false, unknown = false, any = false;
	size_t i;

	if (!report->n_announced)
		return;
	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == VERDICT_BAD)
			worst = VERDICT_BAD;
	for (i = 0; i < report->n_checks; i++) {
		enum began began;

		if (report->checks[i].verdict != worst)
			continue;
		began = earlier_began(history, report->checks[i].check->name,
			announcements_first(report), report->time_start);
		before |= began == BEGAN_BEFORE;
		unknown |= began == BEGAN_UNKNOWN;
		any = true;
	}
	report->accused_began = before ? BEGAN_BEFORE
		: unknown || !any      ? BEGAN_UNKNOWN
				       : BEGAN_SINCE;
}
