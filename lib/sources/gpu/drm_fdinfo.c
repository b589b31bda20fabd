/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a file of /proc/PID/fdinfo say of a client of a GPU? */
#include "base/banned.h"

#include <string.h>

#include "base/num.h"
#include "sources/gpu/gpu_source.h"
#include "sources/common/parse_text.h"
#include "sources/gpu/drm_fdinfo.h"

#define CAPACITY_MAX 1024 /* engines of a class */

static struct drm_engine *drm_intern_engine(struct drm_usage *usage, const char *name)
{
	struct drm_engine *engine;
	size_t i;

	for (i = 0; i < usage->n_engines; i++)
		if (!strcmp(usage->engines[i].name, name))
			return &usage->engines[i];
	if (usage->n_engines == GPU_ENGINES_MAX)
		return NULL;
	engine = &usage->engines[usage->n_engines++];
	memset(engine, 0, sizeof(*engine));
	memcpy(engine->name, name, strlen(name) + 1);
	engine->capacity = 1;
	return engine;
}

/* A name that goes into lines of words: letters, digits, - and _. */
static bool drm_take_name(struct bytes text, char *buf, size_t size)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			    c == '-' || c == '_'))
			return false;
	}
	return text_copy(text, buf, size);
}

static bool drm_take_number(struct bytes *rest, uint64_t *out)
{
	struct bytes word;
	const char *at;

	if (!text_word(rest, &word))
		return false;
	at = word.data;
	return !num_next(&at, word.data + word.len, out) && at == word.data + word.len;
}

/* "12 KiB": bytes where no unit stands. */
static bool drm_take_size(struct bytes rest, uint64_t *out)
{
	uint64_t factor = 1;
	struct bytes unit;

	if (!drm_take_number(&rest, out))
		return false;
	if (text_word(&rest, &unit)) {
		if (text_is(unit, "KiB"))
			factor = 1 << 10;
		else if (text_is(unit, "MiB"))
			factor = 1 << 20;
		else if (text_is(unit, "GiB"))
			factor = 1 << 30;
		else
			return false;
	}
	return !__builtin_mul_overflow(*out, factor, out);
}

static bool cut_start(struct bytes *text, const char *prefix)
{
	if (!text_starts(*text, prefix))
		return false;
	text->data += strlen(prefix);
	text->len -= strlen(prefix);
	return true;
}

static void take_engine(struct drm_usage *usage, struct bytes key, struct bytes rest)
{
	static const char *const kinds[] = {"capacity-", "engine-", "total-cycles-", "cycles-"};
	struct drm_engine *engine;
	struct bytes unit;
	uint64_t value;
	char name[16];
	size_t kind;

	/* drm-engine-capacity-rcs has drm-engine- in front of it too. */
	if (text_starts(key, "engine-capacity-"))
		cut_start(&key, "engine-");
	for (kind = 0; kind < 4 && !cut_start(&key, kinds[kind]); kind++)
		;
	if (kind == 4 || !drm_take_number(&rest, &value))
		return;
	if (!drm_take_name(key, name, sizeof(name)))
		return;
	engine = drm_intern_engine(usage, name);
	if (!engine)
		return;
	if (kind == 0 && value > 0 && value <= CAPACITY_MAX) {
		engine->capacity = (uint32_t)value;
	} else if (kind == 1 && text_word(&rest, &unit) && text_is(unit, "ns")) {
		engine->busy = value;
		engine->has_ns = true;
	} else if (kind == 2) {
		engine->total = value;
		engine->has_total = true;
	} else if (kind == 3 && !engine->has_ns) {
		engine->busy = value;
		engine->has_cycles = true;
	}
}

/* What is resident counts; where only the total is told, that. */
static void take_region(
	struct drm_usage *usage, struct bytes name, struct bytes rest, bool resident)
{
	struct drm_region *region;
	uint64_t bytes;
	char text[16];
	size_t i;

	if (!drm_take_name(name, text, sizeof(text)) || !drm_take_size(rest, &bytes))
		return;
	for (i = 0; i < usage->n_regions && strcmp(usage->regions[i].name, text) != 0; i++)
		;
	if (i == GPU_REGIONS_MAX)
		return;
	region = &usage->regions[i];
	if (i == usage->n_regions) {
		usage->n_regions++;
		memset(region, 0, sizeof(*region));
		memcpy(region->name, text, strlen(text) + 1);
	}
	if (region->resident && !resident)
		return;
	region->bytes = bytes;
	region->resident = resident;
}

static void drm_take_line(struct drm_usage *usage, struct bytes key, struct bytes rest)
{
	struct bytes word;

	if (text_is(key, "driver")) {
		if (text_word(&rest, &word) &&
			!drm_take_name(word, usage->driver, sizeof(usage->driver)))
			*usage->driver = 0;
	} else if (text_is(key, "pdev")) {
		if (text_word(&rest, &word) &&
			!text_copy(word, usage->device, sizeof(usage->device)))
			*usage->device = 0;
	} else if (text_is(key, "client-id")) {
		usage->has_client = drm_take_number(&rest, &usage->client);
	} else if (text_starts(key, "total-cycles-")) {
		take_engine(usage, key, rest);
	} else if (cut_start(&key, "resident-") || cut_start(&key, "memory-")) {
		take_region(usage, key, rest, true);
	} else if (cut_start(&key, "total-")) {
		take_region(usage, key, rest, false);
	} else {
		take_engine(usage, key, rest);
	}
}

bool drm_parse_fdinfo(struct bytes text, struct drm_usage *out)
{
	struct bytes line, key;

	memset(out, 0, sizeof(*out));
	while (text_line(&text, &line)) {
		if (!text_until(&line, ':', &key) || !cut_start(&key, "drm-"))
			continue;
		drm_take_line(out, key, line);
	}
	return *out->driver && out->has_client;
}
