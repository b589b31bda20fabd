/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many errors of memory have its controllers counted (EDAC), and in which module? Every error
 * is counted in one instance:
 *
 * mc0/dimm3, mc0/rank3  a module, or a rank of one where the controller knows chip selects (AMD)
 * mc0/csrow3            where the driver tells rows alone
 * mc0                   what the controller has counted beyond its modules: of which it was, it
 *                       could not tell (ue_noinfo_count, ce_noinfo_count)
 *
 * Fields: ue, errors that could not be corrected, and ce, errors that were; since the driver was
 * loaded, or somebody has set them to 0.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/str.h"
#include "capture/list.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/common/value_files.h"

#define ROOT "/sys/devices/system/edac/mc"
#define PARTS_MAX 1024

enum { UE, CE, KINDS };

static const char *const edac_fields[KINDS] = {"ue", "ce"};

/* A controller ("mc0"), or a part of the one before it in the list ("mc0/rank3"). */
struct part {
	char *name, *label;
	const char *files[KINDS];
	bool controller;
};

/* Which there are does not change: they are listed once. */
struct edac {
	struct capture *fs;
	struct part *list;
	size_t n, room;
	bool rows; /* looked for: csrows, where a controller has no modules */
	bool known, cut;
};

static bool edac_read(
	const struct edac *edac, const char *part, const char *file, struct bytes *text)
{
	char path[256];

	snprintf(path, sizeof(path), ROOT "/%s/%s", part, file);
	return !capture_read(edac->fs, path, text);
}

static bool edac_read_count(
	const struct edac *edac, const char *part, const char *file, double *out)
{
	struct bytes text;

	return edac_read(edac, part, file, &text) && parse_value(text, 0, out);
}

/* What the board's maker calls it: what is printed beside its slot. */
static char *edac_label(const struct edac *edac, const char *name)
{
	struct bytes text, line;
	char label[64];

	if (!edac_read(edac, name, "dimm_label", &text) || !text_line(&text, &line) || !line.len ||
		!text_copy(line, label, sizeof(label)))
		return mem_strdup(name);
	return mem_printf("%s (%s)", name, label);
}

static struct part *edac_add(struct edac *edac, char *name)
{
	struct part *part;

	if (edac->n == PARTS_MAX) {
		edac->cut = true;
		free(name);
		return NULL;
	}
	ARRAY_GROW(edac->list, edac->n, edac->room);
	part = &edac->list[edac->n++];
	memset(part, 0, sizeof(*part));
	part->name = name;
	return part;
}

struct edac_listing {
	struct edac *edac;
	char controller[64];
};

static int edac_add_module(void *arg, const char *entry)
{
	const struct edac_listing *listing = arg;
	struct edac *edac = listing->edac;
	bool row = str_starts(entry, "csrow");
	struct part *part;

	if (row ? !edac->rows
		: edac->rows || !(str_starts(entry, "dimm") || str_starts(entry, "rank")))
		return 0;
	part = edac_add(edac, mem_printf("%s/%s", listing->controller, entry));
	if (!part)
		return 1;
	part->label = edac_label(edac, part->name);
	part->files[UE] = row ? "ue_count" : "dimm_ue_count";
	part->files[CE] = row ? "ce_count" : "dimm_ce_count";
	return 0;
}

static int edac_add_controller(void *arg, const char *entry)
{
	struct edac *edac = arg;
	struct edac_listing listing = {.edac = edac};
	struct part *part;
	char dir[128];
	size_t before;

	if (!str_starts(entry, "mc") || entry[2] < '0' || entry[2] > '9' ||
		strlen(entry) >= sizeof(listing.controller))
		return 0;
	part = edac_add(edac, mem_strdup(entry));
	if (!part)
		return 1;
	part->label = mem_printf("%s (of which module is not known)", entry);
	part->files[UE] = "ue_count";
	part->files[CE] = "ce_count";
	part->controller = true;
	snprintf(listing.controller, sizeof(listing.controller), "%s", entry);
	snprintf(dir, sizeof(dir), ROOT "/%s", entry);
	before = edac->n;
	edac->rows = false;
	capture_list(edac->fs, dir, edac_add_module, &listing);
	edac->rows = edac->n == before;
	if (edac->rows)
		capture_list(edac->fs, dir, edac_add_module, &listing);
	return 0;
}

static void edac_put_part(
	const struct edac *edac, struct sink *sink, const struct part *part, double sums[KINDS])
{
	double count;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		if (!edac_read_count(edac, part->name, part->files[kind], &count))
			continue;
		sums[kind] += count;
		sink_put(sink, part->name, edac_fields[kind], count);
	}
	sink_label(sink, part->name, part->label);
}

/* The modules are read before their controller, so that an error in between is in neither's rest
 * twice: it is then in none until the next sample. */
static size_t edac_put_controller(const struct edac *edac, struct sink *sink, size_t at)
{
	static const char *const unknown[KINDS] = {"ue_noinfo_count", "ce_noinfo_count"};
	const struct part *controller = &edac->list[at++];
	double sums[KINDS] = {0}, count;
	int kind;

	for (; at < edac->n && !edac->list[at].controller; at++)
		edac_put_part(edac, sink, &edac->list[at], sums);
	for (kind = 0; kind < KINDS; kind++) {
		if (edac_read_count(edac, controller->name, controller->files[kind], &count))
			count = count > sums[kind] ? count - sums[kind] : 0;
		else if (!edac_read_count(edac, controller->name, unknown[kind], &count))
			continue;
		sink_put(sink, controller->name, edac_fields[kind], count);
	}
	sink_label(sink, controller->name, controller->label);
	return at;
}

static int open_edac(struct capture *fs, void **state)
{
	struct edac *edac = mem_zalloc(sizeof(*edac));

	edac->fs = fs;
	*state = edac;
	return 0;
}

static int read_edac(struct capture *fs, void *state, struct sink *sink)
{
	struct edac *edac = state;
	size_t at = 0;
	int err = 0;

	if (!edac->known)
		err = capture_list(fs, ROOT, edac_add_controller, edac);
	if (err && err != -ENOENT) {
		sink_missing(sink, ROOT ": %s", strerror(-err));
		return err;
	}
	edac->known = true;
	if (!edac->n)
		sink_absent(sink, "no memory controller reports its errors here (EDAC)");
	if (edac->cut)
		sink_missing(sink, "there are more memory modules than are read, %d", PARTS_MAX);
	while (at < edac->n)
		at = edac_put_controller(edac, sink, at);
	return 0;
}

static void close_edac(void *state)
{
	struct edac *edac = state;
	size_t i;

	for (i = 0; i < edac->n; i++) {
		free(edac->list[i].name);
		free(edac->list[i].label);
	}
	free(edac->list);
	free(edac);
}

SOURCE(edac) = {
	.name = "edac",
	.what = ROOT ": errors of memory by module, as its controllers count them (EDAC)",
	.open = open_edac,
	.read = read_edac,
	.close = close_edac,
};
