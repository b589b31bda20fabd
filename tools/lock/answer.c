/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <inttypes.h>

#include "base/escape.h"
#include "base/json_write.h"
#include "base/str.h"
#include "base/terminal.h"
#include "base/unit.h"
#include "base/wrap.h"
#include "tools/lock/answer.h"
#include "tools/lock/watch.h"

#define COLUMNS 100
#define TYPES_MAX 16

struct answer_type {
	const char *name;
	uint64_t ns, count, longest_ns;
};

static void answer_time(struct str *out, uint64_t ns)
{
	value_for_people(out, (double)ns / 1e9, UNIT_SECONDS);
}

/* A cell of a table: text or time to the left, or to the right where columns is negative. */
static void answer_cell(struct str *out, const char *text, int columns)
{
	const int pad = (columns < 0 ? -columns : columns) - (int)escape_columns(text);

	if (columns < 0)
		str_addf(out, "%*s", pad > 0 ? pad : 0, "");
	str_add(out, text);
	if (columns > 0)
		str_addf(out, "%*s", pad > 0 ? pad : 0, "");
}

static void answer_times(struct str *out, uint64_t ns, uint64_t count, uint64_t longest_ns)
{
	struct str s = STR_INIT;

	answer_time(&s, ns);
	answer_cell(out, str_text(&s), -10);
	str_addf(out, "%10" PRIu64, count);
	str_clear(&s);
	answer_time(&s, longest_ns);
	answer_cell(out, str_text(&s), -11);
	str_addc(out, '\n');
	str_free(&s);
}

static void answer_process(struct str *out, const char *comm, uint32_t pid)
{
	char name[LOCKWAIT_COMM + 1];

	snprintf(name, sizeof(name), "%.*s", LOCKWAIT_COMM, comm);
	escape_name(out, name);
	str_addf(out, " (%" PRIu32 ")", pid);
}

static void answer_holder(struct str *out, const struct lock_wait *wait)
{
	if (wait->key.type == LOCKWAIT_FUTEX) {
		str_add(out, "its thread");
		if (*wait->thread) {
			str_addc(out, ' ');
			escape_name(out, wait->thread);
			str_addf(out, " (%" PRIu32 ")", wait->key.holder);
		}
	} else if (!wait->key.holder) {
		str_add(out, "not known");
	} else if (wait->key.holder == wait->key.waiter) {
		str_add(out, "itself");
	} else {
		answer_process(out, wait->sum.holder, wait->key.holder);
	}
}

static void answer_place(struct str *out, const struct lock_wait *wait)
{
	size_t i;

	for (i = 0; i < LOCK_PLACES && wait->place[i]; i++) {
		str_add(out, i ? " < " : "");
		escape_name(out, wait->place[i]);
	}
}

/* Sums by the kind of lock. Returns how many kinds. */
static size_t answer_types(const struct lock_watch *watch, struct answer_type types[TYPES_MAX])
{
	size_t n = 0, i, at;

	for (i = 0; i < watch->n; i++) {
		const struct lockwait_sum *sum = &watch->list[i].sum;
		const char *name = lock_watch_type(watch->list[i].key.type);

		for (at = 0; at < n && strcmp(types[at].name, name) != 0; at++)
			;
		if (at == TYPES_MAX)
			continue;
		if (at == n)
			types[n++] = (struct answer_type){.name = name};
		types[at].ns += sum->ns;
		types[at].count += sum->count;
		if (sum->longest_ns > types[at].longest_ns)
			types[at].longest_ns = sum->longest_ns;
	}
	return n;
}

static void answer_types_text(struct str *out, const struct lock_watch *watch)
{
	struct answer_type types[TYPES_MAX];
	const size_t n = answer_types(watch, types);
	size_t i;

	str_add(out, "\n  ");
	answer_cell(out, "kind of lock", 24);
	str_add(out, "      time     waits    longest\n");
	for (i = 0; i < n; i++) {
		str_add(out, "  ");
		answer_cell(out, types[i].name, 24);
		answer_times(out, types[i].ns, types[i].count, types[i].longest_ns);
	}
}

static void answer_rows(
	struct str *out, const struct lock_watch *watch, const struct lock_options *asked)
{
	struct str s = STR_INIT;
	size_t i;

	str_add(out, "\n  ");
	answer_cell(out, "who waits", 25);
	answer_cell(out, "for", 19);
	answer_cell(out, "held by", 25);
	str_add(out, "      time     waits    longest\n");
	for (i = 0; i < watch->n && i < asked->top; i++) {
		const struct lock_wait *wait = &watch->list[i];

		str_add(out, "  ");
		str_clear(&s);
		answer_process(&s, wait->sum.waiter, wait->key.waiter);
		answer_cell(out, str_text(&s), 25);
		answer_cell(out, lock_watch_type(wait->key.type), 19);
		str_clear(&s);
		answer_holder(&s, wait);
		answer_cell(out, str_text(&s), 25);
		answer_times(out, wait->sum.ns, wait->sum.count, wait->sum.longest_ns);
		str_clear(&s);
		answer_place(&s, wait);
		if (s.len)
			str_addf(out, "    in %s\n", str_text(&s));
	}
	str_free(&s);
}

static void answer_sentence(struct str *out, const struct lock_watch *watch, uint64_t all_ns)
{
	const struct lock_wait *first = watch->list;

	str_add(out, "Threads waited ");
	answer_time(out, all_ns);
	str_add(out, " for locks in ");
	value_for_people(out, watch->seconds, UNIT_SECONDS);
	str_add(out, ", most of it ");
	answer_process(out, first->sum.waiter, first->key.waiter);
	str_addf(out, " for a %s, held by ", lock_watch_type(first->key.type));
	answer_holder(out, first);
	str_add(out, ": ");
	answer_time(out, first->sum.ns);
	str_add(out, ".\n");
}

static void answer_advice(struct str *out, const struct lock_wait *first)
{
	const unsigned int wide = terminal_columns();
	struct str text = STR_INIT;

	if (first->key.type == LOCKWAIT_FUTEX)
		str_add(&text,
			"the lock is the program's own: hold it for less time (no I/O and no "
			"sleep while holding it), or split it. More threads would only wait for "
			"it too.");
	else if (first->key.holder && first->key.holder == first->key.waiter)
		str_add(&text,
			"its own threads make each other wait in the kernel, mostly for what "
			"they share: memory map, directory or file. Fewer and larger calls help.");
	else if (first->key.holder)
		str_addf(&text,
			"look at what %.*s does meanwhile: cat /proc/%" PRIu32
			"/stack, perf trace -p %" PRIu32
			". Where it waits for a slow disk, so does "
			"everybody behind it.",
			LOCKWAIT_COMM, first->sum.holder, first->key.holder, first->key.holder);
	else
		str_add(&text,
			"this kind of lock has no known holder: the functions above show what it "
			"is for, and the holder is another caller of the same functions.");
	str_add(out, "What to do: ");
	wrap_text(out, wide && wide < COLUMNS ? wide : COLUMNS, 12, 12, str_text(&text));
	str_free(&text);
}

static void answer_lost(struct str *out, const struct lock_watch *watch)
{
	if (watch->lost_waits || watch->lost_sums)
		str_addf(out,
			"%" PRIu64 " waits had no room and are in no sum: these are too small.\n",
			watch->lost_waits + watch->lost_sums);
	if (watch->lost_stacks)
		str_addf(out, "Of %" PRIu64 " waits it is not known where: there was no room.\n",
			watch->lost_stacks);
	if (watch->n && !watch->names.n)
		str_add(out,
			"The functions have no names: /proc/kallsyms shows none "
			"(kernel.kptr_restrict).\n");
}

void lock_answer_text(
	struct str *out, const struct lock_watch *watch, const struct lock_options *asked)
{
	uint64_t all_ns = 0;
	size_t i;

	for (i = 0; i < watch->n; i++)
		all_ns += watch->list[i].sum.ns;
	if (!watch->n) {
		str_add(out, "No thread waited for a lock for ");
		value_for_people(out, asked->slow_seconds, UNIT_SECONDS);
		str_add(out, " or more in ");
		value_for_people(out, watch->seconds, UNIT_SECONDS);
		str_add(out, ".\n");
	} else {
		answer_sentence(out, watch, all_ns);
		answer_types_text(out, watch);
		answer_rows(out, watch, asked);
		str_addc(out, '\n');
		answer_advice(out, watch->list);
	}
	answer_lost(out, watch);
}

static void answer_json_wait(struct json_writer *json, const struct lock_wait *wait)
{
	char name[LOCKWAIT_COMM + 1];
	size_t i;

	json_open(json, NULL, '{');
	json_write_string(json, "type", lock_watch_type(wait->key.type));
	snprintf(name, sizeof(name), "%.*s", LOCKWAIT_COMM, wait->sum.waiter);
	json_write_string(json, "waiter", name);
	json_write_count(json, "waiter_pid", wait->key.waiter);
	if (wait->key.type == LOCKWAIT_FUTEX) {
		json_write_text(json, "holder_thread", wait->thread);
		if (*wait->thread)
			json_write_count(json, "holder_tid", wait->key.holder);
	} else if (wait->key.holder) {
		snprintf(name, sizeof(name), "%.*s", LOCKWAIT_COMM, wait->sum.holder);
		json_write_string(json, "holder", name);
		json_write_count(json, "holder_pid", wait->key.holder);
	}
	json_write_number(json, "seconds", (double)wait->sum.ns / 1e9);
	json_write_number(json, "longest_seconds", (double)wait->sum.longest_ns / 1e9);
	json_write_count(json, "waits_count", wait->sum.count);
	json_open(json, "where", '[');
	for (i = 0; i < LOCK_PLACES && wait->place[i]; i++)
		json_write_string(json, NULL, wait->place[i]);
	json_close(json);
	json_close(json);
}

void lock_answer_json(
	struct str *out, const struct lock_watch *watch, const struct lock_options *asked)
{
	struct json_writer json;
	size_t i;

	json_start(&json, out);
	json_write_string(&json, "schema", "tuesday-locks/1");
	json_write_number(&json, "seconds", watch->seconds);
	json_write_number(&json, "slow_seconds", asked->slow_seconds);
	json_write_count(
		&json, "dropped_count", watch->lost_waits + watch->lost_sums + watch->lost_stacks);
	json_open(&json, "waits", '[');
	for (i = 0; i < watch->n; i++)
		answer_json_wait(&json, &watch->list[i]);
	json_close(&json);
	json_finish(&json);
}
