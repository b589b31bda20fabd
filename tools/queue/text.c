/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <inttypes.h>

#include "base/escape.h"
#include "base/str.h"
#include "base/unit.h"
#include "tools/queue/advice.h"
#include "tools/queue/limits.h"
#include "tools/queue/look.h"
#include "tools/queue/text.h"
#include "tools/queue/words.h"

#define NAME_COLUMNS 34
#define MATRIX_COLUMNS 6 /* of those who are ahead, in the picture of all */

static void text_right(struct str *out, const char *text, size_t columns)
{
	str_addf(out, "%*s", (int)columns, text);
}

static void text_time(struct str *out, uint64_t ns, size_t columns)
{
	struct str s = STR_INIT;

	queue_words_time(&s, ns);
	text_right(out, str_text(&s), columns);
	str_free(&s);
}

static void text_share(struct str *out, double share, size_t columns)
{
	struct str s = STR_INIT;

	value_for_people(&s, share, UNIT_RATIO);
	text_right(out, str_text(&s), columns);
	str_free(&s);
}

/* A name of so many columns, padded behind. */
static void text_left(struct str *out, const char *shown, size_t columns)
{
	const size_t wide = escape_columns(shown);

	str_add(out, shown);
	str_addf(out, "%*s", wide < columns ? (int)(columns - wide) : 0, "");
}

static void text_row(struct str *out, const struct matrix_table *table,
	const struct matrix_sum *sum, const struct queue_look *look, bool device)
{
	struct str name = STR_INIT;

	queue_words_ahead(&name, table, sum, NAME_COLUMNS);
	str_add(out, "  ");
	text_left(out, str_text(&name), NAME_COLUMNS);
	if (device) {
		text_time(out, sum->stage_ns[QUEUE_SCHEDULER], 10);
		text_time(out, sum->stage_ns[QUEUE_DEVICE], 10);
	} else {
		text_time(out, sum->ns, 10);
		text_share(out, (double)sum->ns / 1e9 / look->seconds, 10);
	}
	text_share(out, (double)sum->ns / (double)table->ns, 11);
	text_time(out, sum->longest_ns, 10);
	str_addc(out, '\n');
	str_free(&name);
}

/* Behind whom one party waited. */
static void text_rows(struct str *out, const struct matrix_table *table,
	const struct queue_look *look, const struct queue_options *asked, bool device)
{
	size_t i;
	uint64_t rest = 0;

	str_addc(out, '\n');
	str_add(out, "  ");
	text_left(out, "behind", NAME_COLUMNS);
	text_right(out, device ? "in queue" : "time", 10);
	text_right(out, device ? "in device" : "of wall", 10);
	text_right(out, "of waits", 11);
	text_right(out, "longest", 10);
	str_addc(out, '\n');
	for (i = 0; i < table->n_sums; i++)
		if (i < asked->top || table->groups[table->sums[i].ahead].is_b)
			text_row(out, table, &table->sums[i], look, device);
		else
			rest += table->sums[i].ns;
	if (rest) {
		str_add(out, "  ");
		text_left(out, "others: --top shows more", NAME_COLUMNS);
		text_time(out, rest, 10);
		str_addc(out, '\n');
	}
	str_add(out, "  ");
	text_left(out, "all together", NAME_COLUMNS);
	if (device) {
		text_time(out, table->stage_ns[QUEUE_SCHEDULER], 10);
		text_time(out, table->stage_ns[QUEUE_DEVICE], 10);
	} else {
		text_time(out, table->ns, 10);
		text_share(out, (double)table->ns / 1e9 / look->seconds, 10);
	}
	str_addc(out, '\n');
}

/* Those who are most ahead, largest first; at most so many. */
static size_t text_columns(const struct matrix_table *table, size_t columns[MATRIX_COLUMNS])
{
	size_t n = 0, i, at;

	for (i = 0; i < table->n_groups; i++) {
		if (!table->groups[i].ahead_ns)
			continue;
		for (at = n; at > 0 &&
			table->groups[columns[at - 1]].ahead_ns < table->groups[i].ahead_ns;
			at--)
			if (at < MATRIX_COLUMNS)
				columns[at] = columns[at - 1];
		if (at < MATRIX_COLUMNS)
			columns[at] = i;
		if (n < MATRIX_COLUMNS)
			n++;
	}
	return n;
}

static uint64_t text_cell(const struct matrix_table *table, size_t waiter, size_t ahead)
{
	size_t i;

	for (i = 0; i < table->n_sums; i++)
		if (table->sums[i].waiter == waiter && table->sums[i].ahead == ahead)
			return table->sums[i].ns;
	return 0;
}

static void text_matrix_row(struct str *out, const struct matrix_table *table, size_t waiter,
	const size_t *columns, size_t n)
{
	struct str name = STR_INIT;
	uint64_t rest = table->groups[waiter].waited_ns, ns;
	size_t i;

	queue_words_group(&name, &table->groups[waiter], 18);
	str_add(out, "  ");
	text_left(out, str_text(&name), 18);
	str_free(&name);
	text_time(out, rest, 9);
	for (i = 0; i < n; i++) {
		ns = text_cell(table, waiter, columns[i]);
		rest -= ns;
		if (ns)
			text_time(out, ns, 13);
		else
			text_right(out, ".", 13);
	}
	if (rest)
		text_time(out, rest, 10);
	str_addc(out, '\n');
}

static int text_by_wait(const void *a, const void *b, void *arg)
{
	const struct matrix_table *table = arg;
	const uint64_t left = table->groups[*(const size_t *)a].waited_ns,
		       right = table->groups[*(const size_t *)b].waited_ns;

	return (left < right) - (left > right);
}

/* Who waits in rows, behind whom in columns. */
static void text_matrix(
	struct str *out, struct matrix_table *table, const struct queue_options *asked)
{
	size_t columns[MATRIX_COLUMNS], n = text_columns(table, columns), i, n_rows = 0;
	size_t *rows = mem_realloc_array(NULL, table->n_groups + 1, sizeof(*rows));
	struct str name = STR_INIT;

	for (i = 0; i < table->n_groups; i++)
		if (table->groups[i].waited_ns)
			rows[n_rows++] = i;
	qsort_r(rows, n_rows, sizeof(*rows), text_by_wait, table);
	str_add(out, "\n  ");
	text_left(out, "who waits", 18);
	text_right(out, "waited", 9);
	for (i = 0; i < n; i++) {
		str_clear(&name);
		queue_words_group(&name, &table->groups[columns[i]], 12);
		str_addf(out, "%*s%s", (int)(13 - escape_columns(str_text(&name))), "",
			str_text(&name));
	}
	text_right(out, "others", 10);
	str_addc(out, '\n');
	for (i = 0; i < n_rows && i < asked->top; i++)
		text_matrix_row(out, table, rows[i], columns, n);
	if (i < n_rows)
		str_addf(out, "  and %zu more who wait: --top shows them\n", n_rows - i);
	str_free(&name);
	free(rows);
}

/* The two are the same thing, counted twice. */
static void text_doubt(
	struct str *out, const struct matrix_table *table, const struct queue_look *look)
{
	struct queue_limits limits;

	queue_limits_default(&limits);
	if (queue_words_agrees(table->ns, look->delays.ns, &limits))
		return;
	str_add(out, "However: that is more than ");
	value_for_people(out, limits.trust.differs, UNIT_RATIO);
	str_add(out,
		", so believe the sum to no more than that: processes came or went, waits\n"
		"were under way at both ends, or some were not seen.\n");
}

/* What the kernel counted beside the sum, and what of it has no name. */
static void text_counted(struct str *out, const struct matrix_table *table,
	const struct queue_look *look, const struct queue_options *asked)
{
	struct str s = STR_INIT;

	if (look->delays.known) {
		str_add(out, "The kernel's own count of that is ");
		queue_words_time(out, look->delays.ns);
		str_add(out,
			asked->has_a ? " (run delay, /proc/PID/schedstat)"
				     : " (run delay, /proc/schedstat)");
		if (look->delays.ns && table->ns) {
			str_add(out, ": the sum differs by ");
			value_for_people(
				out, queue_words_differs(table->ns, look->delays.ns), UNIT_RATIO);
		}
		str_add(out, ".\n");
		text_doubt(out, table, look);
	}
	queue_words_unnamed(&s, table, &look->cpu.lost);
	str_add(out, str_text(&s));
	str_free(&s);
}

static void text_still(
	struct str *out, const struct queue_look *look, const struct queue_options *asked)
{
	struct matrix_table still;

	matrix_tell(&still, &look->matrix, asked->has_a ? &asked->a : NULL,
		asked->has_b ? &asked->b : NULL, 1u << QUEUE_STILL, 0);
	if (still.ns) {
		struct str who = STR_INIT;

		queue_words_group(&who, &still.groups[still.sums[0].waiter], NAME_COLUMNS);
		str_add(out, "Waits that had not ended then are beside this, ");
		queue_words_time(out, still.ns);
		str_addf(out, ", most of it of %s behind ", str_text(&who));
		queue_words_ahead(out, &still, &still.sums[0], NAME_COLUMNS);
		str_add(out, ".\n");
		str_free(&who);
	}
	matrix_table_free(&still);
}

static void text_cpu(
	struct str *out, const struct queue_look *look, const struct queue_options *asked)
{
	struct matrix_table table;

	matrix_tell(&table, &look->matrix, asked->has_a ? &asked->a : NULL,
		asked->has_b ? &asked->b : NULL, 1u << QUEUE_CPU, 0);
	queue_words_sentence(out, &table, look, asked, NULL);
	if (table.ns) {
		if (asked->has_a)
			text_rows(out, &table, look, asked, false);
		else
			text_matrix(out, &table, asked);
		str_addc(out, '\n');
	}
	text_counted(out, &table, look, asked);
	text_still(out, look, asked);
	queue_advice_cpu(out, &table);
	matrix_table_free(&table);
}

static void text_device(struct str *out, const struct queue_look *look,
	const struct queue_options *asked, uint32_t device)
{
	struct str name = STR_INIT;
	struct matrix_table table;

	matrix_tell(&table, &look->matrix, asked->has_a ? &asked->a : NULL,
		asked->has_b ? &asked->b : NULL, 1u << QUEUE_SCHEDULER | 1u << QUEUE_DEVICE,
		device);
	if (table.ns) {
		queue_words_device(&name, device);
		str_addc(out, '\n');
		queue_words_sentence(out, &table, look, asked, str_text(&name));
		if (asked->has_a)
			text_rows(out, &table, look, asked, true);
		else
			text_matrix(out, &table, asked);
		queue_advice_block(out, &table, str_text(&name));
	}
	matrix_table_free(&table);
	str_free(&name);
}

static void text_block(
	struct str *out, const struct queue_look *look, const struct queue_options *asked)
{
	struct matrix_table all;
	uint32_t *devices;
	size_t n = matrix_devices(&look->matrix, &devices), i;

	for (i = 0; i < n; i++)
		text_device(out, look, asked, devices[i]);
	free(devices);
	matrix_tell(&all, &look->matrix, asked->has_a ? &asked->a : NULL, NULL,
		1u << QUEUE_SCHEDULER | 1u << QUEUE_DEVICE, 0);
	if (!all.ns) {
		if (asked->has_a)
			escape_name_cut(out, asked->a.said, 40);
		else
			str_add(out, "Nobody");
		str_addf(out, " %s for a block device meanwhile.\n",
			asked->has_a ? "did not wait" : "waited");
	}
	if (look->block.lost.requests)
		str_addf(out,
			"Of %llu requests nobody knows who asked for them: they are in no sum.\n",
			(unsigned long long)look->block.lost.requests);
	if (look->block.lost.unstamped)
		str_add(out,
			"Requests without a time are left out: queue/iostats of their device "
			"is 0.\n");
	matrix_table_free(&all);
}

void queue_text(struct str *out, const struct queue_look *look, const struct queue_options *asked)
{
	if (look->cpu.looked)
		text_cpu(out, look, asked);
	else if (asked->only != QUEUE_ONLY_DISK)
		str_addf(out, "CPUs were not looked at: %s.\n", str_text(&look->cpu.why));
	if (look->block.looked)
		text_block(out, look, asked);
	else if (asked->only != QUEUE_ONLY_CPU)
		str_addf(
			out, "Block devices were not looked at: %s.\n", str_text(&look->block.why));
	if (look->interrupted) {
		str_add(out, "However: it was interrupted after ");
		value_for_people(out, look->seconds, UNIT_SECONDS);
		str_add(out, " of the ");
		value_for_people(out, asked->seconds, UNIT_SECONDS);
		str_add(out, " that it was to look.\n");
	}
}
