/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/str.h"
#include "base/unit.h"
#include "tools/queue/limits.h"
#include "tools/queue/look.h"
#include "tools/queue/words.h"

static const char *const words_aheads[] = {
	[MATRIX_SERVED] = "nobody: the device worked for it",
	[MATRIX_IDLE] = "nobody: idle, on its way to it",
	[MATRIX_QUOTA] = "its own CPU quota",
	[MATRIX_EARLIER] = "not known: too long ago",
	[MATRIX_MOVED] = "not known: on another CPU",
	[MATRIX_SEVERAL] = "several: worked on at the same time",
	[MATRIX_HIDDEN] = "a process that the kernel hides",
};

const char *queue_words_nobody(enum matrix_ahead ahead)
{
	return words_aheads[ahead];
}

void queue_words_time(struct str *out, uint64_t ns)
{
	value_for_people(out, (double)ns / 1e9, UNIT_SECONDS);
}

void queue_words_group(struct str *out, const struct matrix_group *group, size_t columns)
{
	char tail[40] = "";
	size_t room;

	if (!group->first) {
		escape_terminal_cut(out, words_aheads[group->ahead], columns);
		return;
	}
	if (group->processes > 1)
		snprintf(tail, sizeof(tail), " (%zu processes)", group->processes);
	else if (group->first->is.is_kernel)
		snprintf(tail, sizeof(tail), " (kernel)");
	else if (strspn(group->name, "0123456789") != strlen(group->name))
		snprintf(tail, sizeof(tail), " (%" PRIu32 ")", group->first->is.pid);
	/* A narrow column has no room for more than the name. */
	room = columns > strlen(tail) + 8 ? columns - strlen(tail) : columns;
	escape_name_cut(out, group->name, room);
	if (room < columns)
		str_add(out, tail);
}

void queue_words_ahead(struct str *out, const struct matrix_table *table,
	const struct matrix_sum *sum, size_t columns)
{
	const struct matrix_group *group = &table->groups[sum->ahead];

	if (sum->ahead != sum->waiter)
		queue_words_group(out, group, columns);
	else if (group->processes > 1)
		escape_terminal_cut(out, "its own processes and threads", columns);
	else
		escape_terminal_cut(out, "its own threads", columns);
}

double queue_words_differs(uint64_t sum, uint64_t counted)
{
	const double far = (double)sum - (double)counted;

	return (far < 0 ? -far : far) / (double)counted;
}

bool queue_words_agrees(uint64_t sum, uint64_t counted, const struct queue_limits *limits)
{
	return (double)counted < limits->trust.least * 1e9 ||
		queue_words_differs(sum, counted) <= limits->trust.differs;
}

static uint64_t words_unnamed_ns(const struct matrix_table *table, const struct queue_lost *lost)
{
	return table->kinds_ns[MATRIX_EARLIER] + table->kinds_ns[MATRIX_MOVED] +
		table->kinds_ns[MATRIX_HIDDEN] + lost->pairs_ns;
}

double queue_words_named(const struct matrix_table *table, const struct queue_lost *lost)
{
	const uint64_t all = table->ns + lost->pairs_ns;

	return all ? 1 - (double)words_unnamed_ns(table, lost) / (double)all : 1;
}

void queue_words_unnamed(
	struct str *out, const struct matrix_table *table, const struct queue_lost *lost)
{
	if (words_unnamed_ns(table, lost)) {
		str_add(out, "Of ");
		value_for_people(out, 1 - queue_words_named(table, lost), UNIT_RATIO);
		str_add(out, " of it nobody saw who was ahead.\n");
	}
	if (lost->pairs_ns) {
		str_add(out, "There was no room for all pairs of processes: ");
		queue_words_time(out, lost->pairs_ns);
		str_add(out,
			" of waiting, of anybody, were dropped, so these numbers are too small.\n");
	}
	if (lost->people)
		str_addf(out, "%" PRIu64 " processes that ended have no name: there was no room.\n",
			(uint64_t)lost->people);
}

static void words_of(struct str *out, const struct queue_options *asked, uint64_t part,
	const struct matrix_table *table)
{
	queue_words_time(out, part);
	str_add(out, " (");
	value_for_people(out, (double)part / (double)table->ns, UNIT_RATIO);
	str_addf(out, ") behind ");
	escape_name_cut(out, asked->b.said, 40);
}

/* Where a device had it, of what was waited. */
static void words_stages(struct str *out, const struct matrix_table *table)
{
	str_add(out, ", all requests added up (");
	queue_words_time(out, table->stage_ns[QUEUE_SCHEDULER]);
	str_add(out, " in its queue, ");
	queue_words_time(out, table->stage_ns[QUEUE_DEVICE]);
	str_add(out, " in the device)");
}

static void words_most(
	struct str *out, const struct matrix_table *table, const struct queue_options *asked)
{
	if (asked->has_b) {
		words_of(out, asked, table->behind_b_ns, table);
		return;
	}
	str_add(out, "most of it ");
	if (!asked->has_a) {
		queue_words_group(out, &table->groups[table->sums[0].waiter], 40);
		str_addc(out, ' ');
	}
	str_add(out, "behind ");
	queue_words_ahead(out, table, &table->sums[0], 40);
	str_add(out, ": ");
	queue_words_time(out, table->sums[0].ns);
}

void queue_words_sentence(struct str *out, const struct matrix_table *table,
	const struct queue_look *look, const struct queue_options *asked, const char *device)
{
	struct str window = STR_INIT;

	value_for_people(&window, look->seconds, UNIT_SECONDS);
	if (asked->has_a)
		escape_name_cut(out, asked->a.said, 40);
	else
		str_add(out, "All programs together");
	if (!table->ns) {
		str_addf(out, " did not wait for %s in %s", device ? device : "a CPU",
			str_text(&window));
		if (asked->has_a && look->cpu.looked && !look->delays.processes)
			str_add(out, ": there is no such process");
	} else {
		str_add(out, " waited ");
		queue_words_time(out, table->ns);
		str_addf(out, " for %s in %s", device ? device : "a CPU", str_text(&window));
		if (device)
			words_stages(out, table);
		str_add(out, ", ");
		words_most(out, table, asked);
	}
	str_add(out, ".\n");
	str_free(&window);
}

void queue_words_device(struct str *out, uint32_t device)
{
	char path[64], target[512];
	const char *name;
	ssize_t len;

	snprintf(path, sizeof(path), "/sys/dev/block/%" PRIu32 ":%" PRIu32, device >> 20,
		device & 0xfffff);
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0) {
		str_addf(out, "device %" PRIu32 ":%" PRIu32, device >> 20, device & 0xfffff);
		return;
	}
	target[len] = 0;
	name = strrchr(target, '/');
	escape_name(out, name ? name + 1 : target);
}
