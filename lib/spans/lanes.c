/* SPDX-License-Identifier: GPL-2.0-only */
/* Which spans are Chrome's trace events, and which of them is within which? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "spans/internal.h"

#define LANE_TEXT_MAX 200

/* What is wanted of an event. */
struct lane_event {
	struct json_text ph, name, cat, id;
	char pid[32], tid[32];
	int64_t ts, dur;
	bool has_ts, has_dur;
	bool is_total; /* clang's sum of all events of a kind, at no time of its own */
};

/* A number or a text as it stands there, without its quotes. */
static void lane_event_word(struct json_scan *scan, char word[32])
{
	const char kind = json_kind(scan), *from = scan->at;
	size_t len;

	json_skip(scan);
	len = (size_t)(scan->at - from);
	if (scan->err || (kind != '"' && kind != '0') || len > 31)
		return;
	if (kind == '"') {
		from++;
		len -= 2;
	}
	memcpy(word, from, len);
	word[len] = 0;
}

static bool lane_event_time(struct json_scan *scan, int64_t *ns)
{
	const char kind = json_kind(scan), *from = scan->at;

	json_skip(scan);
	return !scan->err && kind == '0' &&
		!span_decimal(from, (size_t)(scan->at - from), 1000, ns) && *ns <= SPAN_TIME_MAX &&
		*ns >= -SPAN_TIME_MAX;
}

static void lane_event_id(struct json_scan *scan, struct json_text *id)
{
	const char kind = json_kind(scan), *from = scan->at;

	json_skip(scan);
	if (!scan->err && kind != '{')
		*id = (struct json_text){from, (size_t)(scan->at - from), false};
}

static void lane_event_args(struct json_scan *scan, struct lane_event *event)
{
	const char *from = scan->at;

	json_skip(scan);
	event->is_total = !scan->err && memmem(from, (size_t)(scan->at - from), "\"avg ms\"", 8);
}

static bool lane_event_read(const char *text, size_t len, struct lane_event *event)
{
	struct json_scan scan;
	struct json_text key;

	*event = (struct lane_event){0};
	json_begin(&scan, text, len);
	json_enter(&scan, '{');
	while (json_member(&scan, &key)) {
		if (json_is(&key, "ph"))
			json_text(&scan, &event->ph);
		else if (json_is(&key, "name"))
			json_text(&scan, &event->name);
		else if (json_is(&key, "cat"))
			json_text(&scan, &event->cat);
		else if (json_is(&key, "ts"))
			event->has_ts = lane_event_time(&scan, &event->ts);
		else if (json_is(&key, "dur"))
			event->has_dur = lane_event_time(&scan, &event->dur);
		else if (json_is(&key, "pid"))
			lane_event_word(&scan, event->pid);
		else if (json_is(&key, "tid"))
			lane_event_word(&scan, event->tid);
		else if (json_is(&key, "id"))
			lane_event_id(&scan, &event->id);
		else if (json_is(&key, "args"))
			lane_event_args(&scan, event);
		else
			json_skip(&scan);
	}
	return !scan.err && event->ph.len == 1;
}

/* "7:12" of a thread; of what runs across threads its category and id. */
static void lane_event_name(struct str *lane, const struct lane_event *event, bool is_async)
{
	str_addf(lane, "%s", event->pid);
	if (!is_async) {
		str_addf(lane, ":%s", event->tid);
		return;
	}
	str_addc(lane, ' ');
	str_addn(lane, event->cat.at ? event->cat.at : "",
		event->cat.len < LANE_TEXT_MAX ? event->cat.len : LANE_TEXT_MAX);
	str_addc(lane, ' ');
	str_addn(lane, event->id.at ? event->id.at : "",
		event->id.len < LANE_TEXT_MAX ? event->id.len : LANE_TEXT_MAX);
}

static uint32_t *lanes_open_of(struct span_lanes *lanes, uint32_t trace)
{
	if (trace >= lanes->n_open) {
		const size_t n = 2 * (size_t)trace + 64;

		lanes->open = mem_realloc_array(lanes->open, n, sizeof(*lanes->open));
		memset(lanes->open + lanes->n_open, 0, (n - lanes->n_open) * sizeof(*lanes->open));
		lanes->n_open = n;
	}
	return &lanes->open[trace];
}

/* The row before an open one that is open too is kept in its id until it ends. */
static int lanes_event_begins(struct span_lanes *lanes, const struct lane_event *event,
	const struct str *lane, uint64_t at)
{
	struct span_table *table = lanes->filler->table;
	const uint32_t row = table->n;
	const struct span_line line = {
		.trace = {str_text(lane), lane->len, false},
		.name = event->name.len ? event->name : (struct json_text){"?", 1, false},
		.start_ns = event->ts,
	};
	uint32_t *open;
	const int err = span_fill(lanes->filler, &line, at);

	if (err)
		return err;
	open = lanes_open_of(lanes, table->trace[row]);
	table->id[row] = *open;
	table->duration_ns[row] = UINT64_MAX;
	*open = row + 1;
	return 0;
}

static int lanes_event_ends(
	struct span_lanes *lanes, const struct lane_event *event, struct str *lane)
{
	struct span_table *table = lanes->filler->table;
	uint32_t *open = lanes_open_of(lanes, span_table_trace(table, str_text(lane), lane->len)),
		 row;

	if (!*open || event->ts < table->start_ns[*open - 1])
		return -EINVAL;
	row = *open - 1;
	table->duration_ns[row] = (uint64_t)event->ts - (uint64_t)table->start_ns[row];
	*open = (uint32_t)table->id[row];
	return 0;
}

static int lanes_whole(struct span_lanes *lanes, const struct lane_event *event,
	const struct str *lane, uint64_t at)
{
	int64_t end;
	const struct span_line line = {
		.trace = {str_text(lane), lane->len, false},
		.name = event->name.len ? event->name : (struct json_text){"?", 1, false},
		.start_ns = event->ts,
		.duration_ns = (uint64_t)event->dur,
	};

	if (!event->has_dur || event->dur < 0 ||
		__builtin_add_overflow(event->ts, event->dur, &end) || end > SPAN_TIME_MAX)
		return -EINVAL;
	if (end > lanes->last_ns)
		lanes->last_ns = end;
	return span_fill(lanes->filler, &line, at);
}

int span_lanes_event(struct span_lanes *lanes, const char *text, size_t len, uint64_t at)
{
	struct lane_event event;
	struct str lane = STR_INIT;
	const char *kinds = "XBEbe", *kind;
	uint64_t pid;
	int err = -EINVAL;

	lanes->used = true;
	if (!lane_event_read(text, len, &event))
		return -EINVAL;
	kind = strchr(kinds, *event.ph.at);
	if (!kind || (event.is_total && !event.ts)) {
		lanes->filler->table->other++;
		return 0;
	}
	if (!event.has_ts)
		return -EINVAL;
	if (event.ts > lanes->last_ns)
		lanes->last_ns = event.ts;
	if (!lanes->pid && !num_u64(event.pid, 1, UINT32_MAX, &pid))
		lanes->pid = (uint32_t)pid;
	lane_event_name(&lane, &event, kind >= kinds + 3);
	if (*kind == 'X')
		err = lanes_whole(lanes, &event, &lane, at);
	else if (*kind == 'B' || *kind == 'b')
		err = lanes_event_begins(lanes, &event, &lane, at);
	else
		err = lanes_event_ends(lanes, &event, &lane);
	str_free(&lane);
	return err;
}

/* By lane, then the one that begins first, then the longer one, which is around the other. */
static int lanes_order(const void *a, const void *b, void *arg)
{
	const struct span_table *table = arg;
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	if (table->trace[left] != table->trace[right])
		return table->trace[left] < table->trace[right] ? -1 : 1;
	if (table->start_ns[left] != table->start_ns[right])
		return table->start_ns[left] < table->start_ns[right] ? -1 : 1;
	if (table->duration_ns[left] != table->duration_ns[right])
		return table->duration_ns[left] > table->duration_ns[right] ? -1 : 1;
	return left < right ? -1 : left > right;
}

static int64_t lanes_end_of(const struct span_table *table, uint32_t row)
{
	return table->start_ns[row] + (int64_t)table->duration_ns[row];
}

/* Who is around whom: rows in order, and those that have not ended on a stack, which is threaded
 * through the parents themselves until each is known. */
static void lanes_nest(struct span_table *table, const uint32_t *rows, uint32_t n)
{
	uint32_t *around = mem_realloc_array(NULL, (size_t)n + 1, sizeof(*around)), depth = 0, i;

	for (i = 0; i < n; i++) {
		const uint32_t row = rows[i];

		while (depth &&
			(table->trace[around[depth - 1]] != table->trace[row] ||
				lanes_end_of(table, around[depth - 1]) <= table->start_ns[row]))
			depth--;
		table->parent[row] = depth ? table->id[around[depth - 1]] : 0;
		around[depth++] = row;
	}
	free(around);
}

/* A clock that would take a time out of its type is none. */
static void lanes_set_clock(const struct span_lanes *lanes)
{
	struct span_table *table = lanes->filler->table;
	uint32_t row;

	if (lanes->clock_ns < 0 || lanes->clock_ns > SPAN_TIME_MAX ||
		lanes->last_ns > SPAN_TIME_MAX - lanes->clock_ns)
		return;
	for (row = lanes->first; row < table->n; row++)
		table->start_ns[row] += lanes->clock_ns;
	span_table_log(table,
		&(struct span_log){.first = lanes->first,
			.end = table->n,
			.is_compiler = true,
			.pid = lanes->pid,
			.origin = lanes->origin});
}

void span_lanes_settle(struct span_lanes *lanes)
{
	struct span_table *table = lanes->filler->table;
	const uint32_t n = table->n - lanes->first;
	uint32_t *rows, i;

	free(lanes->open);
	if (!lanes->used)
		return;
	rows = mem_realloc_array(NULL, (size_t)n + 1, sizeof(*rows));
	for (i = 0; i < n; i++) {
		const uint32_t row = lanes->first + i;
		const uint64_t number = row;

		rows[i] = row;
		if (table->duration_ns[row] == UINT64_MAX) {
			table->duration_ns[row] = (uint64_t)(lanes->last_ns - table->start_ns[row]);
			table->cut_off = true;
		}
		table->id[row] = span_hash(1, (const char *)&number, sizeof(number));
	}
	if (n)
		qsort_r(rows, n, sizeof(*rows), lanes_order, table);
	lanes_nest(table, rows, n);
	free(rows);
	if (n && lanes->has_clock)
		lanes_set_clock(lanes);
}
