/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How hot is it, and from where on does the kernel act? Instances are thermal zones, called by
 * their type too ("x86_pkg_temp"). Fields: celsius, and the trip points passive_celsius (the kernel
 * slows the machine), hot_celsius and critical_celsius (it switches the machine off). Of several
 * points of a kind the lowest counts; a point of 0 degrees or below was never set.
 */
#include "base/banned.h"

#include <stdio.h>

#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "capture/list.h"

#define ZONES_MAX 256
#define TRIPS_MAX 16

enum { PASSIVE, HOT, CRITICAL, KINDS };

static const char *const kinds[KINDS] = {"passive", "hot", "critical"};

struct zone {
	char *name; /* "thermal_zone0" */
	char *type;
	double trips[KINDS]; /* 0 where there is none */
};

/* Trip points do not change: they are read once, and only the temperature is read again. */
struct zones {
	struct capture *fs;
	struct zone *list;
	size_t n, room;
	bool known;
};

static bool thermal_read_text(
	struct capture *fs, const char *zone, const char *file, char *buf, size_t size)
{
	struct bytes text, line;
	char path[256];

	snprintf(path, sizeof(path), "/sys/class/thermal/%s/%s", zone, file);
	return !capture_read(fs, path, &text) && text_line(&text, &line) &&
		text_copy(line, buf, size);
}

static bool read_celsius(struct capture *fs, const char *zone, const char *file, double *out)
{
	char text[32];
	double millidegrees;

	if (!thermal_read_text(fs, zone, file, text, sizeof(text)) ||
		!text_number((struct bytes){text, strlen(text)}, &millidegrees))
		return false;
	*out = millidegrees / 1000;
	return true;
}

static void read_trips(struct capture *fs, struct zone *zone)
{
	char file[48], type[32];
	double celsius;
	int i, kind;

	for (i = 0; i < TRIPS_MAX; i++) {
		snprintf(file, sizeof(file), "trip_point_%d_type", i);
		if (!thermal_read_text(fs, zone->name, file, type, sizeof(type)))
			return;
		snprintf(file, sizeof(file), "trip_point_%d_temp", i);
		if (!read_celsius(fs, zone->name, file, &celsius) || celsius <= 0)
			continue;
		for (kind = 0; kind < KINDS; kind++)
			if (!strcmp(type, kinds[kind]) &&
				(zone->trips[kind] <= 0 || celsius < zone->trips[kind]))
				zone->trips[kind] = celsius;
	}
}

static int add_zone(void *arg, const char *name)
{
	struct zones *zones = arg;
	struct zone *zone;
	char type[64];

	if (!str_starts(name, "thermal_zone"))
		return 0;
	if (!thermal_read_text(zones->fs, name, "type", type, sizeof(type)))
		snprintf(type, sizeof(type), "%s", name);
	ARRAY_GROW(zones->list, zones->n, zones->room);
	zone = &zones->list[zones->n++];
	memset(zone, 0, sizeof(*zone));
	zone->name = mem_strdup(name);
	zone->type = mem_strdup(type);
	read_trips(zones->fs, zone);
	return zones->n == ZONES_MAX;
}

static void put_zone(struct capture *fs, const struct zone *zone, struct sink *sink)
{
	char field[32], label[160];
	double celsius;
	int kind;

	if (!read_celsius(fs, zone->name, "temp", &celsius))
		return;
	sink_put(sink, zone->name, "celsius", celsius);
	for (kind = 0; kind < KINDS; kind++) {
		snprintf(field, sizeof(field), "%s_celsius", kinds[kind]);
		if (zone->trips[kind] > 0)
			sink_put(sink, zone->name, field, zone->trips[kind]);
	}
	snprintf(label, sizeof(label), "%s (%s)", zone->type, zone->name);
	sink_label(sink, zone->name, label);
}

static int open_thermal(struct capture *fs, void **state)
{
	struct zones *zones = mem_zalloc(sizeof(*zones));

	zones->fs = fs;
	*state = zones;
	return 0;
}

static int read_thermal(struct capture *fs, void *state, struct sink *sink)
{
	struct zones *zones = state;
	size_t i;
	int err = 0;

	if (!zones->known)
		err = capture_list(fs, "/sys/class/thermal", add_zone, zones);
	zones->known = true;
	if (err)
		sink_missing(sink, "/sys/class/thermal: %s", strerror(-err));
	if (zones->n == ZONES_MAX)
		sink_missing(sink, "no more than %d thermal zones are read", ZONES_MAX);
	for (i = 0; i < zones->n; i++)
		put_zone(fs, &zones->list[i], sink);
	return err;
}

static void close_thermal(void *state)
{
	struct zones *zones = state;
	size_t i;

	for (i = 0; i < zones->n; i++) {
		free(zones->list[i].name);
		free(zones->list[i].type);
	}
	free(zones->list);
	free(zones);
}

SOURCE(thermal) = {
	.name = "thermal",
	.what = "/sys/class/thermal: temperatures of the zones, and where the kernel acts",
	.open = open_thermal,
	.read = read_thermal,
	.close = close_thermal,
};
