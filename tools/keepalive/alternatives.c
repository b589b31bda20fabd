/* SPDX-License-Identifier: GPL-2.0-only */
/* What else makes a tail, and is it that? */
#include "base/banned.h"

#include <math.h>

#include "tools/keepalive/conclusion.h"
#include "tools/keepalive/seconds.h"
#include "sys/url.h"
#include "tools/keepalive/alternatives.h"

__attribute__((format(printf, 4, 5))) static void alternatives_add(
	struct conclusion *answer, const char *name, enum likeness is, const char *format, ...)
{
	struct lookalike *one = &answer->lookalikes[answer->n_lookalikes++];
	struct str text = STR_INIT;
	va_list args;

	va_start(args, format);
	str_addv(&text, format, args);
	va_end(args);
	one->name = name;
	one->is = is;
	one->text = str_take(&text);
}

static void add_connecting(struct conclusion *answer)
{
	const struct comparison *x = answer->experiment;
	const bool tls = answer->target->url->tls;
	const char *what = tls ? "tls" : "connecting";
	char one[32], more[32];
	double dearer;

	if (!isfinite(x->connect_p50))
		return;
	answer_seconds(one, sizeof(one), x->connect_p50);
	dearer = x->close_p50 - x->keep_p50;
	answer_seconds(more, sizeof(more), isfinite(dearer) ? fmax(dearer, 0) : 0);
	alternatives_add(answer, what,
		dearer > answer->limits->judge.connecting_share_least * x->close_p50 ? LOOKALIKE_YES
										     : LOOKALIKE_NO,
		"a new connection%s is open after %s; a request on one takes %s longer than on a "
		"kept one",
		tls ? ", TLS included," : "", one, more);
}

static void add_ports(struct conclusion *answer)
{
	const struct comparison *x = answer->experiment;

	if (answer->target->unix_path)
		return;
	if (x->no_port)
		alternatives_add(answer, "ports", LOOKALIKE_YES,
			"%zu connections found no free local port", x->no_port);
	else if (isfinite(answer->waiting_before) && isfinite(answer->waiting_after))
		alternatives_add(answer, "ports", LOOKALIKE_NO,
			"%zu connections opened, all with a port; TIME_WAIT %.0f before, %.0f "
			"after",
			x->connections_opened, answer->waiting_before, answer->waiting_after);
}

static void alternatives_add_pool(struct conclusion *answer)
{
	const struct level *open = NULL;
	char small[32], whole[32];
	double share;
	size_t i;

	for (i = 0; i < answer->experiment->n_levels; i++)
		if (answer->experiment->levels[i]->has_pool)
			open = answer->experiment->levels[i];
	if (!open) {
		if (answer->experiment->decisive)
			alternatives_add(answer, "pool", LOOKALIKE_NO,
				"this client keeps every connection it can: %zu opened for %zu "
				"requests",
				answer->experiment->decisive->keep.connections,
				answer->experiment->decisive->keep.requests);
		return;
	}
	share = open->pool.requests ? (double)open->pool.connections / (double)open->pool.requests
				    : 0;
	answer_seconds(small, sizeof(small), open->pool.p99);
	answer_seconds(whole, sizeof(whole), open->keep.p99);
	alternatives_add(answer, "pool",
		share >= answer->limits->judge.churn_share_least &&
				open->pool.p99 > 2 * open->keep.p99
			? LOOKALIKE_YES
			: LOOKALIKE_NO,
		"a pool that keeps only two connections opens a new one for %.0f %% of "
		"the requests; its p99 is %s, that of a full pool %s",
		share * 100, small, whole);
}

static void add_delay(struct conclusion *answer)
{
	const struct comparison *x = answer->experiment;
	const double longer = x->keep_p50 - x->close_p50;
	char text[32];

	if (!isfinite(longer))
		return;
	answer_seconds(text, sizeof(text), fabs(longer));
	if (longer > answer->limits->judge.delay_seconds_least)
		alternatives_add(answer, "delay", LOOKALIKE_YES,
			"one request at a time is %s slower on a kept connection: the server sends "
			"in two parts without TCP_NODELAY (Nagle and delayed acknowledgement)",
			text);
	else
		alternatives_add(answer, "delay", LOOKALIKE_NO,
			"one request at a time is %s %s on a kept connection: no delayed "
			"acknowledgement",
			text, longer > 0 ? "slower" : "faster");
}

static void add_load(struct conclusion *answer)
{
	const struct level *level = answer->experiment->decisive;
	const double index = level ? level->close.order.index_ratio : NAN;
	char own[32], all[32];

	if (!level || !isfinite(index))
		return;
	if (index >= answer->limits->judge.order_bad_least)
		alternatives_add(answer, "service",
			level->outcome == OUTCOME_FAIR ? LOOKALIKE_YES : LOOKALIKE_NO,
			"requests take unequal times, so some overtake others anyway: %.2f of "
			"those that wait, without kept connections",
			index);
	answer_seconds(own, sizeof(own), answer->experiment->service_seconds);
	answer_seconds(all, sizeof(all), level->close.p50);
	alternatives_add(answer, "overload",
		level->outcome == OUTCOME_FAIR ? LOOKALIKE_YES : LOOKALIKE_NO,
		"%s alone, %s (median) among %u: the test makes that queue%s", own, all,
		level->connections,
		level->outcome == OUTCOME_FAIR
			? ", and it is fair: a longer tail elsewhere may be load"
			: ", the tail is beyond it");
}

static void add_proxy(struct conclusion *answer)
{
	const struct server *server = answer->server;
	const char *via = answer->experiment->via;

	if (server->proxy || *via)
		alternatives_add(answer, "proxy", LOOKALIKE_UNKNOWN, "%s is between: %s",
			server->proxy ? server->name : "a proxy",
			*via ? "its Via header says so" : "it is a known proxy");
	else if (server->pid)
		alternatives_add(answer, "proxy", LOOKALIKE_NO,
			"the listening process was asked directly, and is not a known proxy");
	else
		alternatives_add(answer, "proxy", LOOKALIKE_UNKNOWN,
			"no Via header; the listening process is not visible");
}

void conclusion_lookalikes(struct conclusion *answer)
{
	add_connecting(answer);
	add_ports(answer);
	alternatives_add_pool(answer);
	add_delay(answer);
	add_load(answer);
	add_proxy(answer);
}
