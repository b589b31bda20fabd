/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a person get to read? */
#include "base/banned.h"

#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/keepalive/conclusion.h"
#include "base/escape.h"
#include "tools/keepalive/seconds.h"
#include "sys/url.h"
#include "tools/keepalive/text.h"
#include "tools/keepalive/timeline_text.h"

static void add_arm(struct str *out, const char *name, const struct arm *arm)
{
	const double values[] = {arm->p50, arm->p95, arm->p99, arm->max};
	size_t i;

	str_addf(out, "    %-8s", name);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		char text[32];

		str_addf(out, " %9s",
			isfinite(values[i]) ? answer_seconds(text, sizeof(text), values[i]) : "-");
	}
	str_addf(out, " %9.1f %8zu %8zu   %.2f\n", isfinite(arm->per_second) ? arm->per_second : 0,
		arm->requests, arm->connections,
		isfinite(arm->order.index_ratio) ? arm->order.index_ratio : 0.0);
}

static void add_order(struct str *out, const struct level *level)
{
	const struct order *order = &level->keep.order;
	char wait[32], most[32];

	if (order->victims && level->outcome != OUTCOME_FAIR)
		str_addf(out,
			"    kept: %zu of %zu answers overtook an older request; %zu were "
			"overtaken, by %zu others (median), and took %s (median), %s at most\n",
			order->overtakers, order->answered, order->victims, order->overtaken_by_p50,
			answer_seconds(wait, sizeof(wait), order->victim_wait_p50_seconds),
			answer_seconds(most, sizeof(most), order->victim_wait_max_seconds));
	if (order->run_mode && level->outcome != OUTCOME_FAIR)
		str_addf(out,
			"    in a row from one connection: %s%zu (%zu of %zu runs), %zu the "
			"longest\n",
			order->runs_cut ? "at least " : "", order->run_mode, order->runs,
			order->runs_whole, order->run_max);
}

static void add_level(struct str *out, const struct level *level)
{
	char kept[32], fair[32];

	str_addf(out, "\n  %u connections, ", level->connections);
	if (level->rate > 0)
		str_addf(out, "open loop of %.3g requests a second", level->rate);
	else
		str_add(out, "closed loop");
	str_addf(out, ", %zu rounds%s\n", level->n_rounds,
		level->repeated ? ", not clear: repeated" : "");
	str_add(out,
		"                   p50       p95       p99       max      req/s requests "
		"connects order\n");
	add_arm(out, "kept", &level->keep);
	add_arm(out, "closed", &level->close);
	if (level->has_pool)
		add_arm(out, "pool: 2", &level->pool);
	if (isfinite(level->order_p) && isfinite(level->p99.low))
		str_addf(out,
			"    order differs by chance: p = %.3f; p99 kept to closed: %.2f times "
			"(95 %%: %.2f to %.2f)\n",
			level->order_p, level->p99.estimate, level->p99.low, level->p99.high);
	add_order(out, level);
	if (isfinite(level->overtaken.kept) &&
		(level->outcome == OUTCOME_QUEUES || level->outcome == OUTCOME_UNFAIR))
		str_addf(out,
			"    kept, seen inside: one request in twenty was unread for %s or "
			"longer; in fair order it would be %s\n",
			answer_seconds(kept, sizeof(kept), level->overtaken.kept),
			answer_seconds(fair, sizeof(fair), level->overtaken.fair));
}

static void keepalive_text_add_server(
	struct str *out, const struct server *server, const char *header)
{
	if (!server->name)
		return;
	str_add(out, "\n  Server: ");
	escape_terminal_cut(out,
		server->pid	  ? server->title
			: *header ? header
				  : "not recognised",
		90);
	if (server->pid)
		str_addf(out, " (pid %d)", server->pid);
	str_addc(out, '\n');
	if (server->workers || server->threads) {
		str_add(out, "    ");
		if (server->workers)
			str_addf(out, "%zu workers%s", server->workers,
				server->threads ? ", each with " : "");
		if (server->threads)
			str_addf(out, "%zu threads", server->threads);
		if (server->suffers == SUFFERS_NO)
			str_addc(out, '\n');
		else
			str_addf(out, ": more connections than %zu can wait for each other\n",
				(server->workers ? server->workers : 1) *
					(server->threads ? server->threads : 1));
	}
	if (server->settings.len) {
		str_add(out, "    configuration: ");
		escape_terminal(out, str_text(&server->settings));
		str_addc(out, '\n');
	}
	if (server->why.len)
		str_addf(out, "    %s make requests wait behind connections: %s\n",
			server->suffers == SUFFERS_YES		? "known to"
				: server->suffers == SUFFERS_NO ? "not known to"
								: "may",
			str_text(&server->why));
}

static void add_remedies(struct str *out, const struct conclusion *answer)
{
	const struct server *server = answer->server;
	size_t i;

	if (answer->verdict != VERDICT_BAD && answer->verdict != VERDICT_MAYBE)
		return;
	if (server->mechanism)
		str_addf(out, "\n  How: %s.\n", server->mechanism);
	str_add(out, "\n  What helps, the best first:\n");
	for (i = 0; i < server->n_remedies; i++) {
		str_addf(out, "    %zu. %s\n", i + 1, server->remedies[i].what);
		if (server->remedies[i].price)
			str_addf(out, "       price: %s\n", server->remedies[i].price);
	}
}

static void add_lookalikes(struct str *out, const struct conclusion *answer)
{
	static const char *const words[] = {"not ", "yes ", "?   "};
	size_t i;

	if (!answer->n_lookalikes || answer->experiment->outcome == OUTCOME_NONE)
		return;
	str_add(out, "\n  Is it something else?\n");
	for (i = 0; i < answer->n_lookalikes; i++) {
		const struct lookalike *one = &answer->lookalikes[i];

		str_addf(out, "    %s %-11s ", words[one->is], one->name);
		escape_terminal(out, one->text);
		str_addc(out, '\n');
	}
}

static void add_alone(struct str *out, const struct comparison *x)
{
	char closed[32], kept[32];
	size_t i;

	if (!isfinite(x->service_seconds))
		return;
	str_addf(out, "  one at a time: %s closed",
		answer_seconds(closed, sizeof(closed), x->close_p50));
	if (isfinite(x->keep_p50))
		str_addf(out, ", %s kept (median); %.0f %% of the connections were kept",
			answer_seconds(kept, sizeof(kept), x->keep_p50), x->kept_share * 100);
	str_addc(out, '\n');
	for (i = 0; i < x->n_steps; i++)
		str_addf(out, "%s %u at once %.3g/s", i ? "," : "  ramp:", x->steps[i].connections,
			x->steps[i].per_second);
	if (x->served_at_once)
		str_addf(out, ": it serves about %u at once", x->served_at_once);
	if (x->n_steps)
		str_addc(out, '\n');
}

static void keepalive_text_add_seen(struct str *out, const struct seen *seen, const char *kind)
{
	char oldest[32];

	if (!seen->rounds && !seen->has_queue)
		return;
	str_addf(out, "    %-6s", kind);
	if (seen->rounds)
		str_addf(out, " %.0f of %.0f answers given while an older request waited",
			(double)seen->overtook, (double)seen->read);
	if (seen->overtook)
		str_addf(out, " (for up to %s)",
			answer_seconds(oldest, sizeof(oldest), seen->oldest_seconds));
	if (seen->served_seconds > 0)
		str_addf(out, ", threads idle meanwhile %.0f %%",
			seen->idle_seconds / seen->served_seconds * 100);
	if (seen->has_queue)
		str_addf(out, "%s up to %u connections not accepted", seen->rounds ? "," : "",
			seen->unaccepted_most);
	str_addc(out, '\n');
}

/* Where there is no answer, nothing seen inside could stand in for it. */
static void add_inside(struct str *out, const struct conclusion *answer)
{
	const struct witness *witness = answer->witness;

	if (!answer->experiment->n_levels && !witness->close.rounds &&
		(answer->experiment->outcome || !witness->missing.len))
		return;
	str_add(out, "\n  Seen inside the server meanwhile:\n");
	keepalive_text_add_seen(out, &witness->keep, "kept");
	keepalive_text_add_seen(out, &witness->close, "closed");
	if (witness->missing.len) {
		str_add(out, "    requests could not be traced: ");
		escape_terminal(out, str_text(&witness->missing));
		str_addc(out, '\n');
	} else if (!witness->keep.read && !witness->close.read) {
		str_add(out,
			"    no request at this port: its server is in another network "
			"namespace, or does not read HTTP from TCP\n");
	}
}

static unsigned int columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 40)
		return 100;
	return size.ws_col < 200 ? size.ws_col : 200;
}

void conclusion_write_text(struct str *out, const struct conclusion *answer, bool picture)
{
	const struct comparison *x = answer->experiment;
	size_t i;

	str_addf(out, "%s  keep-alive at ", verdict_text(answer->verdict));
	escape_terminal(out, answer->target->text);
	escape_terminal_cut(out, answer->target->url->path, 60);
	str_add(out, "\n  ");
	escape_terminal(out, answer->summary);
	str_add(out, "\n");
	for (i = 0; i < answer->n_notes; i++) {
		str_add(out, "  However: ");
		escape_terminal(out, answer->notes[i]);
		str_addc(out, '\n');
	}
	add_alone(out, x);
	for (i = 0; i < x->n_levels; i++)
		add_level(out, x->levels[i]);
	add_inside(out, answer);
	if (picture)
		picture_text(out, answer, columns());
	keepalive_text_add_server(out, answer->server, x->server);
	add_remedies(out, answer);
	add_lookalikes(out, answer);
	str_addf(out, "\n  %zu requests, %zu connections, %.0f s.\n", x->requests,
		x->connections_opened, x->seconds);
}
