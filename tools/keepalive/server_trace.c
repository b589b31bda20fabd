/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does it mean that answers were seen, inside the server, to be given past older requests?
 *
 * While this client closes each connection after its answer, none of its requests can follow
 * another one on a connection: whoever is served on and on then is somebody else. So those rounds
 * are a passive look at other people's traffic, by the rule and the limits of keepalivehealth.
 */
#include "base/banned.h"

#include <math.h>

#include "tools/keepalive/conclusion.h"
#include "tools/keepalive/seconds.h"
#include "tools/keepalive/server_trace.h"
#include "tools/keepalive/seen.h"

const char *answer_contradiction(const struct conclusion *answer)
{
	const struct limits_of_run *limits = answer->limits;
	const struct seen *seen = &answer->witness->keep;
	const double share = seen_continued_share(seen);

	if ((double)seen->read < limits->judge.inside_least)
		return NULL;
	if (answer->experiment->outcome == OUTCOME_QUEUES && share < limits->judge.inside_fair_most)
		return "inside, almost no request was answered while an older one waited: they "
		       "wait behind the socket, or in a proxy";
	if (answer->experiment->outcome == OUTCOME_FAIR && share >= limits->judge.inside_bad_least)
		return "inside, requests were answered past older ones that waited, which did "
		       "not show in the order of the answers";
	return NULL;
}

/* Others' connections are preferred, and no experiment has shown more than that. */
static bool others_wait(const struct conclusion *answer)
{
	const struct limits_of_run *limits = answer->limits;
	const struct seen *seen = &answer->witness->close;
	const enum outcome outcome = answer->experiment->outcome;

	if (outcome == OUTCOME_QUEUES || outcome == OUTCOME_NEVER_KEPT)
		return false;
	return (double)seen->read >= limits->judge.inside_least &&
		seen_continued_share(seen) >= limits->judge.inside_bad_least;
}

static bool is_seen_fair(const struct limits_of_run *limits, const struct seen *seen)
{
	return seen_continued_share(seen) < limits->judge.inside_fair_most;
}

/* The experiment is not at odds with it, and there was somebody to be overtaken. */
static bool nobody_waits(const struct conclusion *answer)
{
	const struct limits_of_run *limits = answer->limits;
	const struct comparison *x = answer->experiment;
	const struct seen *keep = &answer->witness->keep, *close = &answer->witness->close;
	const bool ended = x->stop == STOP_NOT || x->stop == STOP_WAIT || x->stop == STOP_DRAIN ||
		x->stop == STOP_TIME;

	if (!ended || (x->outcome != OUTCOME_NONE && x->outcome != OUTCOME_UNDECIDED))
		return false;
	if (x->decisive && x->decisive->keep.order.starved)
		return false;
	return (double)(keep->read + close->read) >= limits->judge.inside_fair_least &&
		is_seen_fair(limits, keep) && is_seen_fair(limits, close) &&
		fmax(keep->unread_seconds, close->unread_seconds) >=
		limits->judge.inside_unread_least;
}

static char *say_others(const struct conclusion *answer, const char *stop)
{
	const struct seen *seen = &answer->witness->close;
	struct str s = STR_INIT;
	char oldest[32];

	answer_seconds(oldest, sizeof(oldest), seen->oldest_seconds);
	str_addf(&s,
		"requests wait behind other people's connections: seen inside, by order, "
		"on the existing traffic: %.0f of %.0f answers went to the connection "
		"just served, past older requests that waited for up to %s; ",
		(double)seen->continued, (double)seen->read, oldest);
	if (answer->experiment->outcome == OUTCOME_NONE)
		str_addf(&s, "the experiment itself could not be made because of that traffic%s%s",
			stop ? ": " : "", stop ? stop : "");
	else
		str_add(&s,
			"because of that traffic requests on closed connections wait too, so the "
			"experiment itself cannot say how much");
	return str_take(&s);
}

static char *say_stuck(const struct conclusion *answer)
{
	const struct seen *seen = &answer->witness->close;
	char oldest[32];

	answer_seconds(oldest, sizeof(oldest), seen->oldest_seconds);
	return mem_printf("seen inside, on the existing traffic: %.0f of %.0f answers went to the "
			  "connection just served, past older requests that waited for up to %s; "
			  "but in no round were more than %.0f overtaken, repeatedly: those may be "
			  "connections that nobody reads from, not an order",
		(double)seen->continued, (double)seen->read, oldest, (double)seen->victims_most);
}

static char *say_nobody(const struct conclusion *answer)
{
	const struct seen *keep = &answer->witness->keep, *close = &answer->witness->close;
	char waited[32];

	answer_seconds(waited, sizeof(waited), fmax(keep->unread_seconds, close->unread_seconds));
	return mem_printf("fair, seen inside: of %.0f requests, a tenth of which were unread for "
			  "%s or longer, %.0f were answered past older ones by a thread that went "
			  "on with its connection",
		(double)(keep->read + close->read), waited,
		(double)(keep->continued + close->continued));
}

char *conclusion_from_inside(
	const struct conclusion *answer, const char *stop, enum verdict *verdict)
{
	if (others_wait(answer) && seen_may_be_stuck(&answer->witness->close, answer->limits)) {
		*verdict = VERDICT_MAYBE;
		return say_stuck(answer);
	}
	if (others_wait(answer)) {
		*verdict = seen_may_be_cpus(&answer->witness->close, answer->limits) ? VERDICT_MAYBE
										     : VERDICT_BAD;
		return say_others(answer, stop);
	}
	if (nobody_waits(answer)) {
		*verdict = VERDICT_GOOD;
		return say_nobody(answer);
	}
	return NULL;
}
