/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a person read where the time went? */
#include "base/banned.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "base/unit.h"
#include "tools/wait/answer.h"
#include "tools/wait/limits.h"
#include "tools/wait/watch.h"
#include "tools/wait/options.h"
#include "tools/wait/text.h"

#define NAMED_MAX 3

static void text_wait_time(struct str *out, double ns)
{
	value_for_people(out, ns / 1e9, UNIT_SECONDS);
}

static double text_wait_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* ": behind postgres (pid 12) 61 %, cron (pid 3) 20 %" of the row. */
static void text_named(struct str *out, const struct wait_answers *answers,
	const struct wait_row *row, const char *first, bool has_count)
{
	size_t i;

	for (i = 0; i < row->n && i < NAMED_MAX; i++) {
		const struct wait_named *named = &row->named[i];
		const double share = text_wait_share(named->ns, row->ns);

		if (share < answers->limits->told.party)
			break;
		str_addf(out, "%s%s %.0f %%", i ? ", " : first, named->text, 100 * share);
		if (has_count && named->count) {
			str_addf(out, " (%" PRIu64 " times, mean ", named->count);
			text_wait_time(out, (double)named->ns / (double)named->count);
			str_add(out, ", longest ");
			text_wait_time(out, (double)named->max_ns);
			str_addc(out, ')');
		}
	}
}

static void text_wait_row(struct str *out, const struct wait_answers *answers,
	const struct wait_answer *answer, enum wait_category category)
{
	const struct wait_row *row = &answer->rows[category];
	struct str time = STR_INIT;

	if (text_wait_share(row->ns, answer->wall_ns) < answers->limits->told.part)
		return;
	text_wait_time(&time, (double)row->ns);
	str_addf(out, "  %5.1f %%  %8s  %s", 100 * text_wait_share(row->ns, answer->wall_ns),
		str_text(&time), wait_category_text(category));
	text_named(out, answers, row, ": ", category != WAIT_QUEUE);
	if (category == WAIT_QUEUE && row->n &&
		text_wait_share(row->named->ns, row->ns) < answers->limits->told.party)
		str_addf(out, ": %zu of them, each with little", row->n);
	str_addc(out, '\n');
	str_free(&time);
}

/* Behind whose requests its own stood, of each device. */
static void text_disks(
	struct str *out, const struct wait_answers *answers, const struct wait_answer *answer)
{
	size_t i;

	if (text_wait_share(answer->rows[WAIT_DISK].ns, answer->wall_ns) <
		answers->limits->told.part)
		return;
	for (i = 0; i < answer->n_disks; i++) {
		str_add(out, "  Its requests to ");
		str_add(out, answer->disks[i].name);
		str_add(out, " took ");
		text_wait_time(out, (double)answer->disks[i].ahead.ns);
		str_add(out, ", all added up: behind");
		text_named(out, answers, &answer->disks[i].ahead, " ", false);
		str_addc(out, '\n');
	}
}

static void text_functions(
	struct str *out, const struct wait_answers *answers, const struct wait_answer *answer)
{
	const uint64_t ns = answer->rows[WAIT_USER].ns + answer->rows[WAIT_KERNEL].ns +
		answer->rows[WAIT_CPU].ns;

	if (!answer->functions.n ||
		text_wait_share(ns, answer->wall_ns) < answers->limits->told.part)
		return;
	str_add(out, "  Functions, of its time on CPUs");
	text_named(out, answers, &answer->functions, ": ", false);
	str_addf(out, " (%" PRIu64 " sample%s)\n", answer->functions.ns,
		answer->functions.ns == 1 ? "" : "s");
}

/* What is in no part: an honest sum has next to nothing. */
static void text_residue(
	struct str *out, const struct wait_answers *answers, const struct wait_answer *answer)
{
	const double residue = ((double)answer->wall_ns - (double)answer->parts_ns) /
		(answer->wall_ns ? (double)answer->wall_ns : 1);

	str_addf(out, "  %5.1f %%            in none of these\n", 100 * residue);
	if (residue > answers->limits->trust.residue || -residue > answers->limits->trust.residue)
		str_addf(out,
			"  However: %.1f %% of the time is not explained; believe no part to more "
			"than that.\n",
			100 * (residue < 0 ? -residue : residue));
}

static void text_answer(
	struct str *out, const struct wait_answers *answers, const struct wait_answer *answer)
{
	int category;

	str_add(out, str_text(&answer->sentence));
	str_addc(out, '\n');
	str_addf(out, "  Wall time of its threads: ");
	text_wait_time(out, (double)answer->wall_ns);
	str_addf(out, " (%zu at the end)\n", answer->process->living);
	for (category = 0; category < WAIT_CATEGORIES; category++)
		text_wait_row(out, answers, answer, (enum wait_category)category);
	text_residue(out, answers, answer);
	text_functions(out, answers, answer);
	text_disks(out, answers, answer);
	if (answer->more.len) {
		const char *line = str_text(&answer->more);

		while (*line) {
			const char *newline = strchr(line, '\n');

			str_add(out, "  ");
			str_addn(out, line, (size_t)(newline + 1 - line));
			line = newline + 1;
		}
	}
	if (answer->advice.len)
		str_addf(out, "  Next: %s\n", str_text(&answer->advice));
}

static void text_doubts(struct str *out, const struct wait_answers *answers)
{
	const struct waits_lost *lost = &answers->look->lost;
	const double confidence = wait_look_confidence(answers->look);
	const uint64_t slow = lost->slow,
		       all = lost->threads + lost->sums + lost->behind + lost->children;

	if (all)
		str_addf(out,
			"However: %" PRIu64 " event%s had no room in the kernel's tables, so some "
			"time is in no part, or is nobody's.\n",
			all, all == 1 ? "" : "s");
	if (1 - confidence > answers->limits->trust.lost)
		str_addf(out,
			"However: that is %.1f %% of all that was seen; believe no part to more "
			"than "
			"that.\n",
			100 * (1 - confidence));
	if (slow)
		str_addf(out, "However: %" PRIu64 " slow wait%s had no room to be told.\n", slow,
			slow == 1 ? "" : "s");
	if (!answers->look->sees_locks)
		str_add(out,
			"However: locks of the kernel are not told apart (this needs Linux "
			"5.19).\n");
	if (answers->look->frames.why.len)
		str_addf(out, "However: in which functions they are was not seen: %s.\n",
			str_text(&answers->look->frames.why));
	if (!answers->look->disks.looked)
		str_addf(out, "However: behind whose I/O anybody waited was not seen: %s.\n",
			str_text(&answers->look->disks.why));
	if (answers->look->interrupted)
		str_addf(
			out, "However: it was interrupted after %.1f s.\n", answers->look->seconds);
}

void wait_text(struct str *out, const struct wait_answers *answers)
{
	size_t i;

	if (!answers->n)
		str_add(out, "Nothing ran and nothing waited.\n");
	if (answers->sum.processes) {
		text_answer(out, answers, &answers->sum);
		str_addc(out, '\n');
	}
	for (i = 0; i < answers->n &&
		i < (answers->asked->target ? answers->asked->top * 3 : answers->n);
		i++) {
		if (i)
			str_addc(out, '\n');
		text_answer(out, answers, &answers->list[i]);
	}
	if (i < answers->n)
		str_addf(out, "\nand %zu more processes: -n shows more\n", answers->n - i);
	text_doubts(out, answers);
}
