/* SPDX-License-Identifier: GPL-2.0-only */
/* What was seen inside a server: is it read as it was written, and what does it do to a verdict? */
#include "base/banned.h"
#include "tap.h"

#include "base/str.h"
#include "tools/keepalive/conclusion.h"
#include "tools/keepalive/limits.h"
#include "sys/url.h"

static void test_parse(void)
{
	static const char *const wrong[] = {"", "seen", "seen ", "seen 1 2 3 4 5 6 7 8 9 10 11",
		"seen 1 2 3 4 5 6 7 8 9 10 11 12 13", "seen 1 2 3 4 5 6 7 8 9 10 11 -12",
		"seen 1 2 3 4 5 6 7 8 9 10 11 12\n", "missing it",
		"seen 99999999999999999999 2 3 4 5 6 7 8 9 10 11 12"};
	struct seen seen = {0};
	size_t i, refused = 0;

	ok(witness_parse(&seen,
		   "seen 100 80 70 2000000000 5 10 3000000000 20000000 500000 "
		   "4000000000 90000000 4") &&
			seen.rounds == 1 && seen.read == 100 && seen.overtook == 80 &&
			seen.continued == 70 && seen.victims_most == 4 &&
			seen.oldest_seconds == 2 && seen.overtaken_seconds == 3 &&
			seen.unread_seconds == 0.02 && seen.busy_ratio == 0.5 &&
			seen.n_waits == 1 && seen.waits[0].read == 100 &&
			seen.waits[0].mean_seconds == 0.04 && seen.waits[0].p95_seconds == 0.09,
		"counts and times of a round are read");
	ok(witness_parse(&seen, "seen 50 0 0 0 0 0 0 0 1000000 0 0 3") && seen.rounds == 2 &&
			seen.read == 150 && seen.oldest_seconds == 2 && seen.busy_ratio == 1 &&
			seen.n_waits == 2,
		"those of the next one are added");
	ok(seen.victims_most == 4, "but for the victims, which may be the same");
	ok(witness_parse(&seen, "seen 0 0 0 0 0 0 0 0 0 0 0 0") && seen.n_waits == 2,
		"a round without a request has no mean");
	for (i = 0; i < 2 * SEEN_WAITS_MAX; i++)
		witness_parse(&seen, "seen 1 0 0 0 0 0 0 0 0 0 0 0");
	ok(seen.n_waits == SEEN_WAITS_MAX, "and many rounds have a bound");
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		refused += !witness_parse(&seen, wrong[i]);
	ok(refused == i, "anything else is refused");
}

/* The verdict of an outcome, with what was seen inside; told: what the notes or the summary hold.
 */
static enum verdict judge(struct comparison *x, const struct seen *keep, const struct seen *close,
	const char *text, bool *told)
{
	struct level level = {.connections = 10, .outcome = x->outcome};
	struct limits_of_run limits;
	struct url url = {0};
	struct target target = {.url = &url};
	struct server server = {0};
	struct witness witness = {.target = &target, .keep = *keep, .close = *close};
	struct conclusion answer = {.experiment = x,
		.server = &server,
		.target = &target,
		.limits = &limits,
		.witness = &witness,
		.tls_error = "",
		.tls_untrusted = ""};
	size_t i;

	limits_default(&limits);
	x->limits = &limits;
	if (x->outcome) {
		x->decisive = x->levels[0] = &level;
		x->n_levels = 1;
	}
	conclusion_make(&answer);
	*told = strstr(answer.summary, text) != NULL;
	for (i = 0; i < answer.n_notes; i++)
		*told |= strstr(answer.notes[i], text) != NULL;
	conclusion_free(&answer);
	return answer.verdict;
}

/* Where so many of read requests overtook others inside while connections were kept. */
static enum verdict weigh(enum outcome outcome, uint64_t read, uint64_t continued, bool *told)
{
	const struct seen close = {0},
			  keep = {.rounds = 1,
				  .read = read,
				  .overtook = continued,
				  .continued = continued};
	struct comparison x = {.outcome = outcome};

	return judge(&x, &keep, &close, "disagree", told);
}

/* Where they did so while this client kept none. */
static enum verdict beside(enum outcome outcome, enum stop_reason stop, const struct seen *close,
	const char *text, bool *told)
{
	const struct seen keep = {0};
	struct comparison x = {.outcome = outcome, .stop = stop};

	return judge(&x, &keep, close, text, told);
}

/* What a level said before another one drowned stands, and why there is no more is told. */
static void test_drowned(void)
{
	const struct seen none = {0};
	struct comparison x = {.outcome = OUTCOME_FAIR, .median_guard = true};
	bool told;

	ok(judge(&x, &none, &none, "stopped early: the median", &told) == VERDICT_GOOD && told,
		"that the guard of the median ended it is told though it is fair");
}

static void test_others(void)
{
	static const char inside[] = "seen inside", could[] = "could not be made";
	const struct seen harm = {
		.rounds = 1, .read = 100, .continued = 6, .victims_most = 3, .oldest_seconds = 3};
	const struct seen fair = {.rounds = 1, .read = 100, .unread_seconds = 0.05};
	const struct seen idle = {.rounds = 1, .read = 100, .unread_seconds = 0.01};
	struct seen busy = harm, few = harm, stuck = harm;
	bool told;

	ok(beside(OUTCOME_NONE, STOP_WAIT, &harm, could, &told) == VERDICT_BAD && told,
		"others' connections that hold every thread are bad though nothing is answered");
	ok(beside(OUTCOME_UNFAIR, STOP_NOT, &harm, inside, &told) == VERDICT_BAD && told,
		"and where they hide the harm of kept ones");
	ok(beside(OUTCOME_UNDECIDED, STOP_NOT, &harm, inside, &told) == VERDICT_BAD && told &&
			beside(OUTCOME_FAIR, STOP_NOT, &harm, inside, &told) == VERDICT_BAD && told,
		"and where they harm closed connections as much");
	ok(beside(OUTCOME_NEVER_KEPT, STOP_NOT, &harm, inside, &told) == VERDICT_SKIP && !told,
		"a server that keeps none cannot do that");
	few.read = 49;
	few.continued = 40;
	ok(beside(OUTCOME_NONE, STOP_WAIT, &few, inside, &told) == VERDICT_UNKNOWN && !told,
		"few requests accuse nobody");
	stuck.continued = 90;
	stuck.victims_most = 2;
	ok(beside(OUTCOME_NO_QUEUE, STOP_NOT, &stuck, "nobody reads from", &told) ==
				VERDICT_MAYBE &&
			told &&
			beside(OUTCOME_NONE, STOP_WAIT, &stuck, "CPUs were busy", &told) ==
				VERDICT_MAYBE &&
			!told,
		"nor do two victims, however often they are overtaken");
	busy.busy_ratio = 0.96;
	ok(beside(OUTCOME_NONE, STOP_WAIT, &busy, inside, &told) == VERDICT_BAD,
		"busy CPUs do not explain seconds");
	busy.oldest_seconds = 0.1;
	ok(beside(OUTCOME_NONE, STOP_WAIT, &busy, "CPUs were busy", &told) == VERDICT_MAYBE && told,
		"but a tenth of one");
	ok(beside(OUTCOME_UNDECIDED, STOP_NOT, &fair, inside, &told) == VERDICT_GOOD && told,
		"nobody overtaken, though many lay there, acquits");
	ok(beside(OUTCOME_UNDECIDED, STOP_NOT, &idle, inside, &told) == VERDICT_UNKNOWN && !told,
		"where hardly anything lay unread there was nothing to see");
	ok(beside(OUTCOME_UNFAIR, STOP_NOT, &fair, inside, &told) == VERDICT_MAYBE && !told,
		"another order is not explained away");
	ok(beside(OUTCOME_NONE, STOP_INTERRUPTED, &fair, inside, &told) == VERDICT_UNKNOWN && !told,
		"nor does it stand in for a run that was interrupted");
}

static void test_weighing(void)
{
	bool told;

	ok(weigh(OUTCOME_QUEUES, 200, 100, &told) == VERDICT_BAD && !told,
		"two who agree are believed");
	ok(weigh(OUTCOME_QUEUES, 200, 0, &told) == VERDICT_MAYBE && told,
		"bad outside and fair inside is no more than maybe, and said");
	ok(weigh(OUTCOME_FAIR, 200, 100, &told) == VERDICT_MAYBE && told,
		"so is fair outside and bad inside");
	ok(weigh(OUTCOME_FAIR, 200, 0, &told) == VERDICT_GOOD && !told, "fair is good");
	ok(weigh(OUTCOME_QUEUES, 20, 0, &told) == VERDICT_BAD && !told,
		"few requests contradict nobody");
	ok(weigh(OUTCOME_NO_QUEUE, 200, 100, &told) == VERDICT_GOOD && !told,
		"where nothing was compared there is nothing to contradict");
}

/* What was seen of two rounds: p95 of the first and of the second, in means of 100 ms. */
static struct seen rounds_of(uint64_t read, uint64_t continued, double first, double second)
{
	return (struct seen){.rounds = 2,
		.read = 2 * read,
		.overtook = continued,
		.continued = continued,
		.victims_most = 3,
		.oldest_seconds = 1,
		.waits = {{read, 0.1, 0.1 * first}, {read, 0.1, 0.1 * second}},
		.n_waits = 2};
}

static bool harms(const struct seen *keep, const struct seen *close)
{
	struct limits_of_run limits;

	limits_default(&limits);
	return overtaken_judge(keep, close, &limits, 0.05).harms;
}

static void test_overtaken(void)
{
	const struct seen starving = rounds_of(60, 40, 4.5, 5), fair = rounds_of(25, 0, 1.6, 3);
	struct seen keep = starving, close = fair;
	struct limits_of_run limits;
	struct overtaken found;

	limits_default(&limits);
	found = overtaken_judge(&starving, &fair, &limits, 0.05);
	ok(found.harms && found.kept > 0.449 && found.kept < 0.451 && found.fair > 0.299 &&
			found.fair < 0.301,
		"one in twenty waits longer than in any fair round, by the round with the least");
	ok(!overtaken_judge(&starving, &fair, &limits, 0.16).harms,
		"but not by less than a service time");
	keep.waits[0].p95_seconds = 0.3;
	ok(!harms(&keep, &fair), "nor where one round shows none");
	keep = starving;
	/* Twice as many slow requests, in whichever order. */
	keep.waits[0] = (struct waits){60, 0.2, 0.6};
	keep.waits[1] = (struct waits){60, 0.2, 0.5};
	ok(!harms(&keep, &fair), "longer waits of everybody are no harm done by the order");
	keep = starving;
	keep.continued = 5;
	ok(!harms(&keep, &fair), "nor is harm what no thread did that went on with its connection");
	keep = starving;
	keep.victims_most = 2;
	ok(!harms(&keep, &fair), "or what it did to two requests");
	close.continued = 1;
	ok(!harms(&starving, &close), "or did with connections closed too");
	close = rounds_of(19, 0, 1.6, 3);
	ok(!harms(&starving, &close), "too few requests in all");
	close = rounds_of(60, 0, 1.6, 3);
	close.waits[0].read = close.waits[1].read = 19;
	ok(!harms(&starving, &close) && !harms(&close, &starving), "or in each round");
	close = fair;
	close.n_waits = 0;
	keep.n_waits = 0;
	ok(!harms(&starving, &close) && !harms(&keep, &fair), "or no round at all say nothing");
	keep = starving;
	keep.busy_ratio = 1;
	ok(harms(&keep, &fair), "busy CPUs do not explain a second");
	keep.oldest_seconds = 0.1;
	ok(!harms(&keep, &fair), "but a tenth of one");
	close = fair;
	close.waits[0] = close.waits[1] = (struct waits){25, 0, 0};
	ok(!harms(&starving, &close), "a mean of 0 has no multiple");
}

int main(void)
{
	test_overtaken();
	test_parse();
	test_weighing();
	test_others();
	test_drowned();
	return tap_done();
}
