/* SPDX-License-Identifier: GPL-2.0-only */
/* Which words do the shipped check files know? */
#include "base/banned.h"
#include "check/check_words.h"
#include "check/compile.h"
#include "check/packed.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/layers.h"
#include "check/settings.h"

#define SECURITY "security"
#define AREAS_MAX 64

extern const struct embedded_check __start_tuesday_checks[] __attribute__((weak));
extern const struct embedded_check __stop_tuesday_checks[] __attribute__((weak));

/* The values that are made of names, and the names of sections. */
static void each_word_of(
	const struct embedded_check *check, void (*add)(void *arg, const char *text), void *arg)
{
	static const char keys[] =
		"value enough acquit acquit.* maybe maybe.* bad bad.* look look.* needs only "
		"ignore "
		"however.*.when package begin end event key end_key who who_kind by";
	struct settings settings = {0};
	size_t i;

	settings_from_packed(&settings, check->packed, check->file, true);
	add(arg, check->name);
	for (i = 0; i < settings.n; i++) {
		const struct setting *setting = &settings.list[i];
		const char *words = *setting->key ? setting->value : setting->section;

		if (*setting->key)
			add(arg, setting->key);
		if (!*setting->key || str_matches(setting->key, keys))
			add(arg, words);
	}
	settings_free(&settings);
}

void check_each_word(void (*add)(void *arg, const char *text), void *arg)
{
	const struct embedded_check *check;

	for (check = __start_tuesday_checks; check != __stop_tuesday_checks; check++)
		each_word_of(check, add, arg);
}

static const char *words_area_of(const struct embedded_check *check)
{
	struct settings settings = {0};
	const char *area = NULL;
	size_t i;

	settings_from_packed(&settings, check->packed, check->file, false);
	for (i = 0; i < settings.n; i++)
		if (!strcmp(settings.list[i].key, "area"))
			area = settings.list[i].value;
	settings_free(&settings);
	return area;
}

bool check_area_is_known(const char *area, const char **near)
{
	const char *areas[AREAS_MAX] = {SECURITY};
	const struct embedded_check *check;
	size_t n = 1, i;

	for (check = __start_tuesday_checks; check != __stop_tuesday_checks; check++) {
		const char *one = words_area_of(check);

		for (i = 0; one && i < n && strcmp(areas[i], one) != 0; i++)
			continue;
		if (one && i == n && n < AREAS_MAX)
			areas[n++] = one;
	}
	for (i = 0; i < n; i++)
		if (!strcmp(areas[i], area))
			return true;
	*near = suggest(area, areas, n);
	/* A program without checks, as a test is, knows of none. */
	return n == 1;
}
