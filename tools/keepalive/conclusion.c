/* SPDX-License-Identifier: GPL-2.0-only */
/* What is the verdict, in a sentence, and what must be said beside it? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "tools/keepalive/conclusion.h"
#include "sys/url.h"
#include "output/writer.h"
#include "tools/keepalive/seconds.h"
#include "tools/keepalive/server_trace.h"
#include "tools/keepalive/alternatives.h"
#include "tools/keepalive/seen.h"

__attribute__((format(printf, 2, 3))) static void conclusion_note(
	struct conclusion *answer, const char *format, ...)
{
	struct str text = STR_INIT;
	va_list args;

	va_start(args, format);
	str_addv(&text, format, args);
	va_end(args);
	ARRAY_GROW(answer->notes, answer->n_notes, answer->room_notes);
	answer->notes[answer->n_notes++] = str_take(&text);
}

static enum verdict conclusion_verdict_of(const struct comparison *x)
{
	switch (x->outcome) {
	case OUTCOME_QUEUES:
		return VERDICT_BAD;
	case OUTCOME_UNFAIR:
		return VERDICT_MAYBE;
	case OUTCOME_FAIR:
		return x->client_busy ? VERDICT_UNKNOWN : VERDICT_GOOD;
	case OUTCOME_NEVER_KEPT:
		return VERDICT_SKIP;
	case OUTCOME_NO_QUEUE:
		return x->rate_limited || x->client_busy ? VERDICT_UNKNOWN : VERDICT_GOOD;
	default:
		return VERDICT_UNKNOWN;
	}
}

/* What the last failure was, of which the server's part is worth more than errno's name. */
static const char *name_error(const struct conclusion *answer)
{
	const struct comparison *x = answer->experiment;
	const bool clear = !answer->target->url->tls && !x->status;

	switch (x->error) {
	case 0:
		return "no answer";
	case EPROTO:
		return *answer->tls_error ? answer->tls_error : strerror(EPROTO);
	case EFBIG:
		return "an answer is larger than this program reads";
	case EMSGSIZE:
		return "the header of an answer does not end";
	case ENODATA:
		return clear
			? "the server closed the connection without an answer; a TLS server does "
			  "this too: try https://"
			: "the server closed the connection without an answer";
	case ECONNRESET:
		return clear ? "the server reset the connection; a TLS server does this too: try "
			       "https://"
			     : "the server reset the connection";
	default:
		return strerror(x->error);
	}
}

static char *say_drowned(const struct conclusion *answer)
{
	const struct comparison *x = answer->experiment;
	const struct level *last = x->n_levels ? x->levels[x->n_levels - 1] : NULL;
	struct str s = STR_INIT;

	if (last && last->rate > 0)
		str_addf(&s, "at %g requests a second ", last->rate);
	str_addf(&s,
		"the median with connections closed grew to more than %g times what a single "
		"request takes",
		answer->limits->guard.median_times);
	return str_take(&s);
}

/* Why there is no answer at all, or not the whole of it. */
static char *say_stop(const struct conclusion *answer)
{
	const struct comparison *x = answer->experiment;
	const char *when = x->stop_keep ? "with connections kept" : "with connections closed";
	const char *error = name_error(answer);
	char wait[32];

	switch (x->stop) {
	case STOP_INTERRUPTED:
		return mem_printf("interrupted");
	case STOP_CONNECT:
		return mem_printf("cannot connect to %s: %s", answer->target->text, error);
	case STOP_ERRORS:
		if (x->error_status && !x->error)
			return mem_printf("the server answers %d %s", x->error_status, when);
		if (x->wrong)
			return mem_printf("answers cannot be used %s: %s", when, x->wrong);
		return mem_printf("requests fail %s: %s", when, error);
	case STOP_WAIT:
		return mem_printf(
			"a request waited longer than the guard allows (--max-wait) %s", when);
	case STOP_DRAIN:
		answer_seconds(wait, sizeof(wait), answer->limits->rounds.drain_seconds);
		return mem_printf(
			"requests had no answer %s after the last was sent, %s", wait, when);
	default:
		break;
	}
	if (x->median_guard)
		return say_drowned(answer);
	if (x->out_of_ports)
		return mem_printf("%.0f %% of the machine's local ports are in use",
			answer->limits->guard.ports_most * 100);
	if (x->out_of_requests)
		return mem_printf("the limit of requests was reached (--max-requests)");
	return x->out_of_time ? mem_printf("the time limit was reached (--max-seconds)") : NULL;
}

/* Where the tail shows it, that stands first: everybody can measure that again. */
static void add_harm(struct str *s, const struct level *level)
{
	char kept[32], closed[32];

	if (!level->harm_outside) {
		answer_seconds(kept, sizeof(kept), level->overtaken.kept);
		answer_seconds(closed, sizeof(closed), level->overtaken.fair);
		str_addf(s,
			"with %u connections kept, one request in twenty was unread for %s or "
			"longer; in fair order it would be %s",
			level->connections, kept, closed);
		return;
	}
	answer_seconds(kept, sizeof(kept), level->keep.p99);
	answer_seconds(closed, sizeof(closed), level->close.p99);
	str_addf(s, "with %u connections kept p99 %s, closed %s", level->connections, kept, closed);
	if (level->p99.low > 1)
		str_addf(s, " (%.1f times, 95 %%: %.1f to %.1f)", level->p99.estimate,
			level->p99.low, level->p99.high);
}

static char *say_queues(const struct level *level)
{
	struct str s = STR_INIT;

	str_add(&s, "requests wait behind other people's connections: ");
	add_harm(&s, level);
	if (level->keep.order.run_mode)
		str_addf(&s, "; %s%zu requests in a row from one connection",
			level->keep.order.runs_cut ? "at least " : "", level->keep.order.run_mode);
	return str_take(&s);
}

static char *say_outcome(const struct conclusion *answer)
{
	const struct comparison *x = answer->experiment;
	const struct level *level = x->decisive;

	switch (x->outcome) {
	case OUTCOME_QUEUES:
		return say_queues(level);
	case OUTCOME_UNFAIR:
		return mem_printf(
			"with %u connections kept, requests overtake older ones (%.2f against "
			"%.2f with connections closed); harm was not shown",
			level->connections, level->keep.order.index_ratio,
			level->close.order.index_ratio);
	case OUTCOME_FAIR:
		return mem_printf("fair: with %u connections, requests are answered in the same "
				  "order whether connections are kept or closed",
			level->connections);
	case OUTCOME_NEVER_KEPT:
		return mem_printf("the server closes every connection, so nothing can wait behind "
				  "a kept one");
	case OUTCOME_NO_QUEUE:
		if (x->rate_limited)
			return mem_printf(
				"inconclusive: %g requests a second, the limit, make no queue "
				"(--max-rate)",
				answer->limits->most.requests_per_second);
		return mem_printf(
			"nothing queues with up to %u connections, so nothing waits behind a "
			"kept one; more were not tried",
			x->n_steps ? x->steps[x->n_steps - 1].connections : 1);
	case OUTCOME_UNDECIDED:
		return mem_printf("inconclusive: order %.2f kept, %.2f closed; p99 ratio %.2f "
				  "(95 %%: %.2f to %.2f)",
			level->keep.order.index_ratio, level->close.order.index_ratio,
			level->p99.estimate, level->p99.low, level->p99.high);
	default:
		return NULL;
	}
}

static void conclusion_add_notes(struct conclusion *answer)
{
	const struct comparison *x = answer->experiment;
	const struct level *level = x->decisive;
	const double tail = answer->limits->judge.tail_requests_least;

	if (x->status >= 300 && (x->outcome || !x->stop))
		conclusion_note(
			answer, "the answers were %d: is this the page that is slow?", x->status);
	if (answer->server->proxy || *x->via)
		conclusion_note(answer,
			"%s is a proxy: this tested how it serves, not the server behind it; "
			"test that at its own address",
			answer->server->proxy ? answer->server->name : "a proxy (Via)");
	if (*answer->tls_untrusted)
		conclusion_note(answer,
			"the certificate was not verified, and other clients would reject it: %s",
			answer->tls_untrusted);
	if (x->client_busy)
		conclusion_note(answer,
			"this client was busy %.0f %% of the time: its own slowness may be in "
			"the numbers",
			x->client_cpu_max * 100);
	if (x->closed_early)
		conclusion_note(answer, "the server closed %zu kept connections without notice",
			x->closed_early);
	if (level && level->outcome == OUTCOME_QUEUES && !level->harm_outside)
		conclusion_note(answer,
			"the 99th percentile does not show it: slow requests make the tail "
			"whether connections are kept or closed");
	else if (level && level->outcome != OUTCOME_FAIR && level->keep.requests < (size_t)tail)
		conclusion_note(answer,
			"%zu requests of each kind: a 99th percentile has an upper bound only "
			"from %.0f on; the order needs fewer",
			level->keep.requests, tail);
	if (x->stop == STOP_WAIT && !x->n_levels && !answer->from_inside)
		conclusion_note(answer,
			"the server may be overloaded, or busy with other clients' kept "
			"connections: keepalivehealth tells which, and sends nothing");
	if (level && level->keep.order.starved)
		conclusion_note(answer,
			"%zu requests were answered only once other connections had been "
			"closed, or never",
			level->keep.order.starved);
	if (x->n_levels == 1 && x->out_of_time && !x->fixed_connections)
		conclusion_note(answer,
			"twice as many connections were not tried: no time was left "
			"(--max-seconds)");
}

/* Two who disagree are believed less than one alone. */
static void weigh_inside(struct conclusion *answer)
{
	const char *against = answer_contradiction(answer);

	if (!against)
		return;
	answer->verdict = VERDICT_MAYBE;
	conclusion_note(answer, "the two views disagree: %s", against);
}

/* What was seen inside goes before an experiment that says less; what that says is a note then. */
static void conclusion_summarize(struct conclusion *answer, char *outcome, char *stop)
{
	char *inside = conclusion_from_inside(answer, stop, &answer->verdict);

	answer->from_inside = inside != NULL;
	if (inside && outcome)
		conclusion_note(answer, "the experiment: %s", outcome);
	if (inside && answer->verdict == VERDICT_GOOD)
		conclusion_note(
			answer, "requests that a server has read and queues inside are not seen");
	if (inside && answer->verdict == VERDICT_MAYBE &&
		seen_may_be_cpus(&answer->witness->close, answer->limits))
		conclusion_note(answer,
			"all CPUs were busy: a thread that waits for a CPU leaves its request "
			"unread too");
	if (inside)
		answer->summary = inside;
	else if (outcome)
		answer->summary = mem_strdup(outcome);
	else
		answer->summary = mem_printf("no answer: %s", stop ? stop : "nothing was answered");
}

void conclusion_make(struct conclusion *answer)
{
	char *stop = say_stop(answer), *outcome = say_outcome(answer);

	answer->verdict = conclusion_verdict_of(answer->experiment);
	if (outcome && stop &&
		(answer->experiment->stop || answer->experiment->median_guard ||
			(answer->experiment->decisive && answer->experiment->decisive->few)))
		conclusion_note(answer, "stopped early: %s", stop);
	conclusion_summarize(answer, outcome, stop);
	free(stop);
	free(outcome);
	if (!answer->from_inside)
		weigh_inside(answer);
	conclusion_add_notes(answer);
	conclusion_lookalikes(answer);
}

void conclusion_free(struct conclusion *answer)
{
	size_t i;

	free(answer->summary);
	for (i = 0; i < answer->n_notes; i++)
		free(answer->notes[i]);
	free(answer->notes);
	for (i = 0; i < answer->n_lookalikes; i++)
		free(answer->lookalikes[i].text);
}
