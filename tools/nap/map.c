/* SPDX-License-Identifier: GPL-2.0-only */
/* When within each second did who run, by the clocks of a watch on naps? */
#include "base/banned.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/sparkline.h"
#include "base/str.h"
#include "base/terminal.h"
#include "heatmap/axis.h"
#include "tools/nap/map.h"
#include "tools/nap/options.h"
#include "tools/nap/report.h"

#define SECOND_NS UINT64_C(1000000000)
#define ROWS 50
#define ROW_NS (SECOND_NS / ROWS)
/* Of a clock that was read longer ago than this it is not known in which rows it went on. */
#define APART_NS (3 * ROW_NS)

void nap_map_init(struct nap_map *map)
{
	*map = (struct nap_map){0};
	heatmap_init(&map->map, HEATMAP_OFFSET, SECOND_NS, ROWS);
}

void nap_map_free(struct nap_map *map)
{
	heatmap_free(&map->map);
	number_map_free(&map->places);
	free(map->clocks);
}

static struct nap_map_clock *map_clock(struct nap_map *map, pid_t pid)
{
	size_t at;

	if (!number_map_get(&map->places, (uint64_t)pid, &at)) {
		at = map->n;
		number_map_add(&map->places, (uint64_t)pid, at);
		ARRAY_GROW(map->clocks, map->n, map->room);
		map->clocks[map->n++] = (struct nap_map_clock){0};
	}
	return &map->clocks[at];
}

/* "riak (812)": what a pattern would take for more than itself is not in it. */
static void map_name(char name[HEATMAP_NAME_BYTES], const char *comm, pid_t pid)
{
	size_t i;

	snprintf(name, HEATMAP_NAME_BYTES, "%s (%d)", *comm ? comm : "?", (int)pid);
	for (i = 0; name[i]; i++)
		if (strchr("^$*|", name[i]))
			name[i] = '_';
}

/* It ran for so long between these times: each row has its part of it. */
static void map_add_run(
	struct heatmap *map, uint16_t name, uint64_t from_ns, uint64_t to_ns, uint64_t ran_ns)
{
	const double each = (double)ran_ns / (double)(to_ns - from_ns) / 1e3;

	while (from_ns < to_ns) {
		uint64_t end = (from_ns / ROW_NS + 1) * ROW_NS;

		end = end < to_ns ? end : to_ns;
		heatmap_add(map, from_ns, 0, name, (uint64_t)(each * (double)(end - from_ns)));
		from_ns = end;
	}
}

void nap_map_look(struct nap_map *map, const struct nap_watch *watch)
{
	char name[HEATMAP_NAME_BYTES];
	size_t i;

	heatmap_see(&map->map, watch->now_ns);
	for (i = 0; i < watch->processes.n; i++) {
		const struct nap_process *process = &watch->processes.list[i];
		struct nap_map_clock *before;

		if (!process->quick || process->gone)
			continue;
		before = map_clock(map, process->pid);
		if (before->start_ticks == process->start_ticks &&
			process->time_ns > before->time_ns &&
			process->time_ns - before->time_ns <= APART_NS &&
			process->cpu_ns > before->cpu_ns) {
			map_name(name, process->comm, process->pid);
			map_add_run(&map->map, heatmap_name(&map->map, name), before->time_ns,
				process->time_ns, process->cpu_ns - before->cpu_ns);
		}
		*before = (struct nap_map_clock){
			process->start_ticks, process->time_ns, process->cpu_ns};
	}
}

/* "riak (812) napped 957 ms in 5 naps" */
static void map_title(struct str *title, const struct nap_report *report)
{
	const struct nap_sleeper *most = report->sleepers;
	char name[HEATMAP_NAME_BYTES];

	if (!report->n) {
		str_add(title, "When each busy process ran within each second");
		return;
	}
	map_name(name, most->comm, most->pid);
	escape_terminal(title, name);
	str_addf(title, " napped %zu time%s, together ", most->naps, most->naps == 1 ? "" : "s");
	heatmap_axis_time(title, most->napped_ns);
}

/* The name of one that is to have a colour, which lives as long as the text. */
static const char *map_mark(struct str *text, const char *comm, pid_t pid)
{
	char name[HEATMAP_NAME_BYTES];

	map_name(name, comm, pid);
	str_add(text, name);
	return str_text(text);
}

/* Where nobody napped, who was asked for first. */
static const char *map_asked(struct str *text, const struct nap_options *asked)
{
	const char *name = asked->common.n_names ? asked->common.names[0] : NULL;

	if (!name || strpbrk(name, "^$*|"))
		return NULL;
	str_addf(text, strspn(name, "0123456789") == strlen(name) ? "(%s)" : "%s (", name);
	return str_text(text);
}

void nap_map_show(struct heatmap_show *show, const struct nap_map *map,
	const struct nap_report *report, struct nap_map_words *words, unsigned int colors)
{
	const struct nap_sleeper *most = report->sleepers;

	map_title(&words->title, report);
	*show = (struct heatmap_show){.map = &map->map,
		.look = {.title = str_text(&words->title),
			.note = "by CPU clocks that were read 50 times a second",
			.unit = "microseconds on CPUs",
			.colors = colors,
			.utf8 = spark_utf8()},
		.columns = terminal_columns()};
	if (!report->n) {
		show->marks[0] = map_asked(&words->sleeper, report->asked);
		return;
	}
	show->marks[0] = map_mark(&words->sleeper, most->comm, most->pid);
	if (most->blame.named)
		show->marks[1] = map_mark(
			&words->suspect, most->blame.suspects[0].comm, most->blame.suspects[0].pid);
}

void nap_map_words_free(struct nap_map_words *words)
{
	str_free(&words->title);
	str_free(&words->sleeper);
	str_free(&words->suspect);
}
