/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get? Keys are kept for ever; what is not known has no key. */

#include "base/banned.h"
#include "base/json_write.h"
#include "tools/keepalive/conclusion.h"
#include "sys/url.h"
#include "tools/keepalive/json.h"
#include "tools/keepalive/server_trace.h"

#define SCHEMA "tuesday-keepalive/1"

static void write_known_count(struct json_writer *json, const char *key, size_t count)
{
	if (count)
		json_write_count(json, key, count);
}

static void write_arm(struct json_writer *json, const char *key, const struct arm *arm)
{
	json_open(json, key, '{');
	json_write_count(json, "requests", arm->requests);
	json_write_count(json, "answered", arm->answered);
	json_write_count(json, "connections", arm->connections);
	json_write_count(json, "kept", arm->kept);
	json_write_number(json, "p50_seconds", arm->p50);
	json_write_number(json, "p95_seconds", arm->p95);
	json_write_number(json, "p99_seconds", arm->p99);
	json_write_number(json, "max_seconds", arm->max);
	json_write_number(json, "requests_per_second", arm->per_second);
	json_write_number(json, "order_ratio", arm->order.index_ratio);
	json_write_count(json, "overtaking", arm->order.overtakers);
	json_write_count(json, "overtaken", arm->order.victims);
	json_write_number(json, "overtaken_p50_seconds", arm->order.victim_wait_p50_seconds);
	json_write_number(json, "overtaken_max_seconds", arm->order.victim_wait_max_seconds);
	json_write_count(json, "starved", arm->order.starved);
	write_known_count(json, "in_a_row", arm->order.run_mode);
	write_known_count(json, "in_a_row_max", arm->order.run_max);
	json_write_if(json, "in_a_row_cut", arm->order.runs_cut);
	json_close(json);
}

static void write_ratio(struct json_writer *json, const char *key, const struct ratio *ratio)
{
	json_open(json, key, '{');
	json_write_number(json, "estimate", ratio->estimate);
	json_write_number(json, "low", ratio->low);
	json_write_number(json, "high", ratio->high);
	json_close(json);
}

static const char *outcome_text(enum outcome outcome)
{
	static const char *const texts[] = {
		[OUTCOME_NONE] = "none",
		[OUTCOME_QUEUES] = "queues",
		[OUTCOME_UNFAIR] = "unfair",
		[OUTCOME_FAIR] = "fair",
		[OUTCOME_UNDECIDED] = "undecided",
		[OUTCOME_NEVER_KEPT] = "never-kept",
		[OUTCOME_NO_QUEUE] = "no-queue",
	};

	return texts[outcome];
}

static void write_seen(struct json_writer *json, const char *key, const struct seen *seen)
{
	json_open(json, key, '{');
	if (seen->rounds) {
		json_write_count(json, "read", seen->read);
		json_write_count(json, "overtook", seen->overtook);
		json_write_count(json, "continued", seen->continued);
		json_write_count(json, "victims_max", seen->victims_most);
		if (seen->overtook)
			json_write_number(json, "oldest_unread_seconds", seen->oldest_seconds);
		json_write_number(json, "unread_p90_seconds", seen->unread_seconds);
		json_write_number(json, "cpu_busy_ratio", seen->busy_ratio);
		if (seen->served_seconds > 0)
			json_write_number(
				json, "idle_ratio", seen->idle_seconds / seen->served_seconds);
	}
	if (seen->has_queue)
		json_write_count(json, "unaccepted_max", seen->unaccepted_most);
	json_close(json);
}

static void write_level_inside(struct json_writer *json, const struct level *level)
{
	if (!level->seen_keep.rounds && !level->seen_close.rounds)
		return;
	json_open(json, "inside", '{');
	write_seen(json, "kept", &level->seen_keep);
	write_seen(json, "closed", &level->seen_close);
	json_write_number(json, "unread_p95_seconds", level->overtaken.kept);
	json_write_number(json, "unread_p95_fair_seconds", level->overtaken.fair);
	json_write_if(json, "harm", level->overtaken.harms);
	json_close(json);
}

static void write_ramp(struct json_writer *json, const struct comparison *x)
{
	size_t i;

	json_open(json, "ramp", '[');
	for (i = 0; i < x->n_steps; i++) {
		json_open(json, NULL, '{');
		json_write_count(json, "connections", x->steps[i].connections);
		json_write_number(json, "p50_seconds", x->steps[i].p50);
		json_write_number(json, "requests_per_second", x->steps[i].per_second);
		write_known_count(json, "served_at_once", x->steps[i].served_at_once);
		json_close(json);
	}
	json_close(json);
}

static void write_level(struct json_writer *json, const struct level *level)
{
	json_open(json, NULL, '{');
	json_write_count(json, "connections", level->connections);
	if (level->rate > 0)
		json_write_number(json, "rate_per_second", level->rate);
	json_write_count(json, "rounds", level->n_rounds);
	json_write_text(json, "outcome", outcome_text(level->outcome));
	json_write_if(json, "repeated", level->repeated);
	json_write_number(json, "order_p", level->order_p);
	write_arm(json, "kept", &level->keep);
	write_arm(json, "closed", &level->close);
	if (level->has_pool)
		write_arm(json, "pool_of_two", &level->pool);
	write_ratio(json, "p95_ratio", &level->p95);
	write_ratio(json, "p99_ratio", &level->p99);
	write_level_inside(json, level);
	json_close(json);
}

static void write_levels(struct json_writer *json, const struct comparison *x)
{
	size_t i;

	json_open(json, "levels", '[');
	for (i = 0; i < x->n_levels; i++)
		write_level(json, x->levels[i]);
	json_close(json);
}

static void write_remedies(struct json_writer *json, const struct server *server)
{
	size_t i;

	json_open(json, "remedies", '[');
	for (i = 0; i < server->n_remedies; i++) {
		json_open(json, NULL, '{');
		json_write_text(json, "what", server->remedies[i].what);
		json_write_text(json, "price", server->remedies[i].price);
		json_close(json);
	}
	json_close(json);
}

static void write_server(struct json_writer *json, const struct server *server, const char *header)
{
	static const char *const words[] = {"unknown", "yes", "no"};

	json_open(json, "server", '{');
	if (server->known)
		json_write_text(json, "name", server->name);
	json_write_text(json, "header", header);
	json_write_text(json, "version", server->version);
	write_known_count(json, "pid", (size_t)server->pid);
	json_write_text(json, "title", server->title);
	write_known_count(json, "workers", server->workers);
	write_known_count(json, "threads", server->threads);
	json_write_text(json, "settings", str_text(&server->settings));
	json_write_text(json, "suffers", words[server->suffers]);
	json_write_text(json, "why", str_text(&server->why));
	json_write_text(json, "mechanism", server->mechanism);
	write_remedies(json, server);
	json_close(json);
}

static void write_lookalikes(struct json_writer *json, const struct conclusion *answer)
{
	static const char *const words[] = {"no", "yes", "unknown"};
	size_t i;

	json_open(json, "lookalikes", '[');
	for (i = 0; i < answer->n_lookalikes; i++) {
		json_open(json, NULL, '{');
		json_write_text(json, "name", answer->lookalikes[i].name);
		json_write_text(json, "is", words[answer->lookalikes[i].is]);
		json_write_text(json, "text", answer->lookalikes[i].text);
		json_close(json);
	}
	json_close(json);
}

static void write_inside(struct json_writer *json, const struct conclusion *answer)
{
	json_open(json, "inside", '{');
	json_write_text(json, "missing", str_text(&answer->witness->missing));
	write_seen(json, "kept", &answer->witness->keep);
	write_seen(json, "closed", &answer->witness->close);
	if (answer->from_inside)
		json_write_bool(json, "decides", true);
	else if (answer_contradiction(answer))
		json_write_bool(json, "disagrees", true);
	json_close(json);
}

void conclusion_write_json(struct str *out, const struct conclusion *answer)
{
	const struct comparison *x = answer->experiment;
	struct json_writer json;

	json_start(&json, out);
	json_write_text(&json, "schema", SCHEMA);
	json_write_text(&json, "address", answer->target->text);
	json_write_text(&json, "path", answer->target->url->path);
	json_write_text(&json, "verdict", verdict_text(answer->verdict));
	json_write_text(&json, "outcome", outcome_text(x->outcome));
	json_write_text(&json, "summary", answer->summary);
	json_write_texts(&json, "howevers", answer->notes, answer->n_notes);
	json_write_number(&json, "service_seconds", x->service_seconds);
	json_write_number(&json, "alone_closed_p50_seconds", x->close_p50);
	json_write_number(&json, "alone_kept_p50_seconds", x->keep_p50);
	json_write_number(&json, "connect_p50_seconds", x->connect_p50);
	json_write_number(&json, "kept_ratio", x->kept_share);
	write_known_count(&json, "served_at_once", x->served_at_once);
	write_ramp(&json, x);
	write_levels(&json, x);
	write_inside(&json, answer);
	write_server(&json, answer->server, x->server);
	write_lookalikes(&json, answer);
	json_write_count(&json, "requests", x->requests);
	json_write_count(&json, "connections", x->connections_opened);
	json_write_number(&json, "seconds", x->seconds);
	json_finish(&json);
}
