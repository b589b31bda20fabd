/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get? Keys are kept for ever; what is not known has no key. */
#include <math.h>

#include <jansson.h>

#include "answer.h"
#include "escape.h"
#include "url.h"

#define SCHEMA "tuesday-keepalive/1"
#define FLAGS (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15))

static void set_text(json_t *object, const char *key, const char *text)
{
	struct str valid = STR_INIT;

	if (!text || !*text)
		return;
	escape_utf8(&valid, text);
	json_object_set_new(object, key, json_string(str_text(&valid)));
	str_free(&valid);
}

static void set_number(json_t *object, const char *key, double number)
{
	if (isfinite(number))
		json_object_set_new(object, key, json_real(number));
}

static void set_count(json_t *object, const char *key, size_t count)
{
	json_object_set_new(object, key, json_integer((json_int_t)count));
}

static void set_known_count(json_t *object, const char *key, size_t count)
{
	if (count)
		set_count(object, key, count);
}

static json_t *make_arm(const struct arm *arm)
{
	json_t *object = json_object();

	set_count(object, "requests", arm->requests);
	set_count(object, "answered", arm->answered);
	set_count(object, "connections", arm->connections);
	set_count(object, "kept", arm->kept);
	set_number(object, "p50_seconds", arm->p50);
	set_number(object, "p95_seconds", arm->p95);
	set_number(object, "p99_seconds", arm->p99);
	set_number(object, "max_seconds", arm->max);
	set_number(object, "requests_per_second", arm->per_second);
	set_number(object, "order_ratio", arm->order.index_ratio);
	set_count(object, "overtaking", arm->order.overtakers);
	set_count(object, "overtaken", arm->order.victims);
	set_number(object, "overtaken_p50_seconds", arm->order.victim_wait_p50_seconds);
	set_number(object, "overtaken_max_seconds", arm->order.victim_wait_max_seconds);
	set_count(object, "starved", arm->order.starved);
	set_known_count(object, "in_a_row", arm->order.run_mode);
	set_known_count(object, "in_a_row_max", arm->order.run_max);
	if (arm->order.runs_cut)
		json_object_set_new(object, "in_a_row_cut", json_true());
	return object;
}

static json_t *make_ratio(const struct ratio *ratio)
{
	json_t *object = json_object();

	set_number(object, "estimate", ratio->estimate);
	set_number(object, "low", ratio->low);
	set_number(object, "high", ratio->high);
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

static json_t *make_levels(const struct comparison *x)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < x->n_levels; i++) {
		const struct level *level = x->levels[i];
		json_t *object = json_object();

		set_count(object, "connections", level->connections);
		if (level->rate > 0)
			set_number(object, "rate_per_second", level->rate);
		set_count(object, "rounds", level->n_rounds);
		set_text(object, "outcome", outcome_text(level->outcome));
		set_number(object, "order_p", level->order_p);
		json_object_set_new(object, "kept", make_arm(&level->keep));
		json_object_set_new(object, "closed", make_arm(&level->close));
		if (level->has_pool)
			json_object_set_new(object, "pool_of_two", make_arm(&level->pool));
		json_object_set_new(object, "p95_ratio", make_ratio(&level->p95));
		json_object_set_new(object, "p99_ratio", make_ratio(&level->p99));
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
		set_text(object, "name", server->name);
	set_text(object, "header", header);
	set_text(object, "version", server->version);
	if (server->pid)
		set_count(object, "pid", (size_t)server->pid);
	set_text(object, "title", server->title);
	set_known_count(object, "workers", server->workers);
	set_known_count(object, "threads", server->threads);
	set_text(object, "settings", str_text(&server->settings));
	set_text(object, "suffers", words[server->suffers]);
	set_text(object, "why", str_text(&server->why));
	set_text(object, "mechanism", server->mechanism);
	for (i = 0; i < server->n_remedies; i++) {
		json_t *remedy = json_object();

		set_text(remedy, "what", server->remedies[i].what);
		set_text(remedy, "price", server->remedies[i].price);
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

		set_text(object, "name", answer->lookalikes[i].name);
		set_text(object, "is", words[answer->lookalikes[i].is]);
		set_text(object, "text", answer->lookalikes[i].text);
		json_array_append_new(array, object);
	}
	return array;
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

	set_text(object, "schema", SCHEMA);
	set_text(object, "address", answer->target->text);
	set_text(object, "path", answer->target->url->path);
	set_text(object, "verdict", verdict_text(answer->verdict));
	set_text(object, "outcome", outcome_text(x->outcome));
	set_text(object, "summary", answer->summary);
	json_object_set_new(object, "howevers", make_notes(answer));
	set_number(object, "service_seconds", x->service_seconds);
	set_number(object, "alone_closed_p50_seconds", x->close_p50);
	set_number(object, "alone_kept_p50_seconds", x->keep_p50);
	set_number(object, "connect_p50_seconds", x->connect_p50);
	set_number(object, "kept_ratio", x->kept_share);
	set_known_count(object, "served_at_once", x->served_at_once);
	json_object_set_new(object, "levels", make_levels(x));
	json_object_set_new(object, "server", make_server(answer->server, x->server));
	json_object_set_new(object, "lookalikes", make_lookalikes(answer));
	set_count(object, "requests", x->requests);
	set_count(object, "connections", x->connections_opened);
	set_number(object, "seconds", x->seconds);
	text = json_dumps(object, FLAGS);
	str_add(out, text ? text : "{}");
	str_addc(out, '\n');
	free(text);
	json_decref(object);
}
