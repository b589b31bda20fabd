/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get? Keys are kept for ever; what is not known has no key. */
#include <math.h>

#include "base/json_write.h"
#include "tools/keepalive/conclusion.h"
#include "base/escape.h"
#include "sys/url.h"

#define SCHEMA "tuesday-keepalive/1"

static void set_known_count(json_t *object, const char *key, size_t count)
{
	if (count)
		json_put_count(object, key, count);
}

static json_t *make_arm(const struct arm *arm)
{
	json_t *object = json_object();

	json_put_count(object, "requests", arm->requests);
	json_put_count(object, "answered", arm->answered);
	json_put_count(object, "connections", arm->connections);
	json_put_count(object, "kept", arm->kept);
	json_put_number(object, "p50_seconds", arm->p50);
	json_put_number(object, "p95_seconds", arm->p95);
	json_put_number(object, "p99_seconds", arm->p99);
	json_put_number(object, "max_seconds", arm->max);
	json_put_number(object, "requests_per_second", arm->per_second);
	json_put_number(object, "order_ratio", arm->order.index_ratio);
	json_put_count(object, "overtaking", arm->order.overtakers);
	json_put_count(object, "overtaken", arm->order.victims);
	json_put_number(object, "overtaken_p50_seconds", arm->order.victim_wait_p50_seconds);
	json_put_number(object, "overtaken_max_seconds", arm->order.victim_wait_max_seconds);
	json_put_count(object, "starved", arm->order.starved);
	set_known_count(object, "in_a_row", arm->order.run_mode);
	set_known_count(object, "in_a_row_max", arm->order.run_max);
	if (arm->order.runs_cut)
		json_object_set_new(object, "in_a_row_cut", json_true());
	return object;
}

static json_t *make_ratio(const struct ratio *ratio)
{
	json_t *object = json_object();

	json_put_number(object, "estimate", ratio->estimate);
	json_put_number(object, "low", ratio->low);
	json_put_number(object, "high", ratio->high);
	return object;
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

static json_t *make_seen(const struct seen *seen)
{
	json_t *object = json_object();

	if (seen->rounds) {
		json_put_count(object, "read", seen->read);
		json_put_count(object, "overtook", seen->overtook);
		json_put_count(object, "continued", seen->continued);
		json_put_count(object, "victims_max", seen->victims_most);
		if (seen->overtook)
			json_put_number(object, "oldest_unread_seconds", seen->oldest_seconds);
		json_put_number(object, "unread_p90_seconds", seen->unread_seconds);
		json_put_number(object, "cpu_busy_ratio", seen->busy_ratio);
		if (seen->served_seconds > 0)
			json_put_number(
				object, "idle_ratio", seen->idle_seconds / seen->served_seconds);
	}
	if (seen->has_queue)
		json_put_count(object, "unaccepted_max", seen->unaccepted_most);
	return object;
}

static json_t *make_level_inside(const struct level *level)
{
	json_t *object = json_object();

	json_object_set_new(object, "kept", make_seen(&level->seen_keep));
	json_object_set_new(object, "closed", make_seen(&level->seen_close));
	json_put_number(object, "unread_p95_seconds", level->overtaken.kept);
	json_put_number(object, "unread_p95_fair_seconds", level->overtaken.fair);
	if (level->overtaken.harms)
		json_object_set_new(object, "harm", json_true());
	return object;
}

static json_t *make_ramp(const struct comparison *x)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < x->n_steps; i++) {
		json_t *object = json_object();

		json_put_count(object, "connections", x->steps[i].connections);
		json_put_number(object, "p50_seconds", x->steps[i].p50);
		json_put_number(object, "requests_per_second", x->steps[i].per_second);
		set_known_count(object, "served_at_once", x->steps[i].served_at_once);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *make_levels(const struct comparison *x)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < x->n_levels; i++) {
		const struct level *level = x->levels[i];
		json_t *object = json_object();

		json_put_count(object, "connections", level->connections);
		if (level->rate > 0)
			json_put_number(object, "rate_per_second", level->rate);
		json_put_count(object, "rounds", level->n_rounds);
		json_put_text(object, "outcome", outcome_text(level->outcome));
		if (level->repeated)
			json_object_set_new(object, "repeated", json_true());
		json_put_number(object, "order_p", level->order_p);
		json_object_set_new(object, "kept", make_arm(&level->keep));
		json_object_set_new(object, "closed", make_arm(&level->close));
		if (level->has_pool)
			json_object_set_new(object, "pool_of_two", make_arm(&level->pool));
		json_object_set_new(object, "p95_ratio", make_ratio(&level->p95));
		json_object_set_new(object, "p99_ratio", make_ratio(&level->p99));
		if (level->seen_keep.rounds || level->seen_close.rounds)
			json_object_set_new(object, "inside", make_level_inside(level));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *make_server(const struct server *server, const char *header)
{
	static const char *const words[] = {"unknown", "yes", "no"};
	json_t *object = json_object(), *remedies = json_array();
	size_t i;

	if (server->known)
		json_put_text(object, "name", server->name);
	json_put_text(object, "header", header);
	json_put_text(object, "version", server->version);
	if (server->pid)
		json_put_count(object, "pid", (size_t)server->pid);
	json_put_text(object, "title", server->title);
	set_known_count(object, "workers", server->workers);
	set_known_count(object, "threads", server->threads);
	json_put_text(object, "settings", str_text(&server->settings));
	json_put_text(object, "suffers", words[server->suffers]);
	json_put_text(object, "why", str_text(&server->why));
	json_put_text(object, "mechanism", server->mechanism);
	for (i = 0; i < server->n_remedies; i++) {
		json_t *remedy = json_object();

		json_put_text(remedy, "what", server->remedies[i].what);
		json_put_text(remedy, "price", server->remedies[i].price);
		json_array_append_new(remedies, remedy);
	}
	json_object_set_new(object, "remedies", remedies);
	return object;
}

static json_t *make_lookalikes(const struct conclusion *answer)
{
	static const char *const words[] = {"no", "yes", "unknown"};
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < answer->n_lookalikes; i++) {
		json_t *object = json_object();

		json_put_text(object, "name", answer->lookalikes[i].name);
		json_put_text(object, "is", words[answer->lookalikes[i].is]);
		json_put_text(object, "text", answer->lookalikes[i].text);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *make_inside(const struct conclusion *answer)
{
	json_t *object = json_object();

	json_put_text(object, "missing", str_text(&answer->witness->missing));
	json_object_set_new(object, "kept", make_seen(&answer->witness->keep));
	json_object_set_new(object, "closed", make_seen(&answer->witness->close));
	if (answer->from_inside)
		json_object_set_new(object, "decides", json_true());
	else if (answer_contradiction(answer))
		json_object_set_new(object, "disagrees", json_true());
	return object;
}

static json_t *make_notes(const struct conclusion *answer)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < answer->n_notes; i++) {
		struct str valid = STR_INIT;

		escape_utf8(&valid, answer->notes[i]);
		json_array_append_new(array, json_string(str_text(&valid)));
		str_free(&valid);
	}
	return array;
}

void answer_write_json(struct str *out, const struct conclusion *answer)
{
	const struct comparison *x = answer->experiment;
	json_t *object = json_object();
	char *text;

	json_put_text(object, "schema", SCHEMA);
	json_put_text(object, "address", answer->target->text);
	json_put_text(object, "path", answer->target->url->path);
	json_put_text(object, "verdict", verdict_text(answer->verdict));
	json_put_text(object, "outcome", outcome_text(x->outcome));
	json_put_text(object, "summary", answer->summary);
	json_object_set_new(object, "howevers", make_notes(answer));
	json_put_number(object, "service_seconds", x->service_seconds);
	json_put_number(object, "alone_closed_p50_seconds", x->close_p50);
	json_put_number(object, "alone_kept_p50_seconds", x->keep_p50);
	json_put_number(object, "connect_p50_seconds", x->connect_p50);
	json_put_number(object, "kept_ratio", x->kept_share);
	set_known_count(object, "served_at_once", x->served_at_once);
	json_object_set_new(object, "ramp", make_ramp(x));
	json_object_set_new(object, "levels", make_levels(x));
	json_object_set_new(object, "inside", make_inside(answer));
	json_object_set_new(object, "server", make_server(answer->server, x->server));
	json_object_set_new(object, "lookalikes", make_lookalikes(answer));
	json_put_count(object, "requests", x->requests);
	json_put_count(object, "connections", x->connections_opened);
	json_put_number(object, "seconds", x->seconds);
	text = json_dumps(object, JSON_OURS);
	str_add(out, text ? text : "{}");
	str_addc(out, '\n');
	free(text);
	json_decref(object);
}
