/* SPDX-License-Identifier: GPL-2.0-only */
/* Which part of the system is a check about, and how does that part stand? */
#include "base/banned.h"

#include <stdio.h>

#include "base/diag.h"
#include "base/ini.h"
#include "base/str.h"
#include "tools/report/model.h"
#include "check/check.h"
#include "tools/report/areas.h"

extern const char report_system_ini[], report_system_ini_end[];

#define GRID_COLUMNS 12
#define UNNAMED_WIDTH 3
#define UNNAMED_MAX 40
#define UNNAMED "other"

static struct area *new_area(struct areas *areas, const char *name)
{
	ARRAY_GROW(areas->list, areas->n, areas->room);
	areas->list[areas->n] = (struct area){.name = mem_strdup(name), .verdict = VERDICT_SKIP};
	return &areas->list[areas->n++];
}

static void take_place(struct area *area, const char *text)
{
	unsigned int *const numbers[] = {&area->x, &area->y, &area->width, &area->height};
	char *end;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++, text = end)
		*numbers[i] = (unsigned int)strtoul(text, &end, 10);
}

static enum area_part part_of(const char *word)
{
	static const char *const words[] = {
		[PART_NONE] = "",
		[PART_RESOURCE] = "resource",
		[PART_CONFIG] = "config",
		[PART_PROGRAMS] = "programs",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i]))
			return (enum area_part)i;
	return PART_NONE;
}

static void area_take_key(struct area *area, const struct ini_entry *entry)
{
	if (!strcmp(entry->key, "title"))
		area->title = mem_strdup(entry->value);
	else if (!strcmp(entry->key, "also"))
		area->also = mem_strdup(entry->value);
	else if (!strcmp(entry->key, "layers"))
		area->layers = mem_strdup(entry->value);
	else if (!strcmp(entry->key, "at"))
		take_place(area, entry->value);
	else if (!strcmp(entry->key, "part"))
		area->part = part_of(entry->value);
}

/* The file is linked in, so what is wrong with it the tests find. */
static void read_named(struct areas *areas)
{
	struct complaints complaints = {0};
	size_t len = (size_t)(report_system_ini_end - report_system_ini), i;
	struct inifile *ini = inifile_parse("system.ini", report_system_ini, len, &complaints);

	for (i = 0; ini && i < inifile_count(ini); i++) {
		const struct ini_entry *entry = inifile_entry(ini, i);
		struct area *area = areas->n ? &areas->list[areas->n - 1] : NULL;

		if (!area || strcmp(area->name, entry->section) != 0)
			area = new_area(areas, entry->section);
		area_take_key(area, entry);
		if (area->y + area->height > areas->rows)
			areas->rows = area->y + area->height;
	}
	areas->n_named = areas->n;
	inifile_free(ini);
}

static struct area *find_area(struct areas *areas, const char *name)
{
	size_t i;

	for (i = 0; i < areas->n; i++) {
		struct area *area = &areas->list[i];

		if (!strcmp(area->name, name) || (area->also && !strcmp(area->also, name)))
			return area;
	}
	if (areas->n - areas->n_named >= UNNAMED_MAX)
		return strcmp(name, UNNAMED) != 0 ? find_area(areas, UNNAMED)
						  : &areas->list[areas->n - 1];
	return new_area(areas, name);
}

static void place_unnamed(struct areas *areas)
{
	unsigned int x = 0, y = areas->rows;
	size_t i;

	for (i = areas->n_named; i < areas->n; i++) {
		struct area *area = &areas->list[i];

		area->title = mem_strdup(area->name);
		area->x = x;
		area->y = y;
		area->width = UNNAMED_WIDTH;
		area->height = 1;
		areas->rows = y + 1;
		x += UNNAMED_WIDTH;
		if (x + UNNAMED_WIDTH > GRID_COLUMNS) {
			x = 0;
			y++;
		}
	}
}

void areas_make(struct areas *areas, const struct report *report)
{
	size_t *order = worst_checks(report), i;

	read_named(areas);
	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[order[i]];
		const char *name = result->check->area;
		struct area *area = find_area(areas, name && *name ? name : UNNAMED);

		ARRAY_GROW(area->checks, area->n, area->room);
		area->checks[area->n++] = order[i];
		area->at[result->verdict]++;
		area->exonerated += result->exonerated;
		if (verdict_is_worse(result->verdict, area->verdict))
			area->verdict = result->verdict;
	}
	place_unnamed(areas);
	free(order);
}

void areas_free(struct areas *areas)
{
	size_t i;

	for (i = 0; i < areas->n; i++) {
		free(areas->list[i].name);
		free(areas->list[i].title);
		free(areas->list[i].also);
		free(areas->list[i].layers);
		free(areas->list[i].checks);
	}
	free(areas->list);
	*areas = (struct areas){0};
}

bool is_accused(const struct check_result *result)
{
	return result->verdict == VERDICT_BAD || result->verdict == VERDICT_MAYBE;
}

/* In five passes, which keep the order of the report among equals. */
size_t *worst_checks(const struct report *report)
{
	size_t *order = mem_realloc_array(NULL, report->n_checks + 1, sizeof(*order)), n = 0;
	static const enum verdict verdicts[] = {
		VERDICT_BAD, VERDICT_MAYBE, VERDICT_UNKNOWN, VERDICT_GOOD, VERDICT_SKIP};
	size_t rank, i;

	for (rank = 0; rank < ARRAY_SIZE(verdicts); rank++)
		for (i = 0; i < report->n_checks; i++)
			if (report->checks[i].verdict == verdicts[rank])
				order[n++] = i;
	return order;
}
