/* SPDX-License-Identifier: GPL-2.0-only */
/* A source that hands bytes to a parser, so that its numbers can be asked for by name. */
#ifndef TUESDAY_PROBE_H
#define TUESDAY_PROBE_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "sample/sweep.h"
#include "sample/source.h"

#define PROBE_KEYS 64

typedef void (*probe_parser)(struct bytes text, struct sink *sink);

static struct {
	struct capture *fs;
	probe_parser parse;
	struct bytes text;
} probe;

static int probe_read(struct capture *fs, void *state, struct sink *sink)
{
	(void)fs;
	(void)state;
	probe.parse(probe.text, sink);
	return 0;
}

SOURCE(probe_source) = {
	.name = "probe",
	.what = "the parser under test",
	.read = probe_read,
};

/* The values of keys ("field" or "instance.field", ended by NULL) that a parser finds in bytes. The
 * parser gets a copy without anything behind it, so that reading on is seen. */
static inline void probe_bytes(
	probe_parser parse, const char *text, size_t len, const char *const *keys, double *values)
{
	struct sweep *sweep = sweep_new();
	char *copy = malloc(len ? len : 1);
	int references[PROBE_KEYS], i;

	if (!probe.fs && capture_open(&probe.fs, "/", NULL))
		exit(1);
	memcpy(copy, text, len);
	probe.parse = parse;
	probe.text = (struct bytes){copy, len};
	for (i = 0; keys[i]; i++)
		references[i] = sweep_reference(sweep, "probe", keys[i]);
	sweep_open(sweep, probe.fs);
	sweep_take(sweep);
	for (i = 0; keys[i]; i++)
		values[i] = sweep_value(sweep, references[i], 0, 0);
	sweep_free(sweep);
	free(copy);
}

static inline double probe_value(probe_parser parse, const char *text, const char *key)
{
	const char *keys[] = {key, NULL};
	double value;

	probe_bytes(parse, text, strlen(text), keys, &value);
	return value;
}

/* Whether a text that is cut after any byte gives each value as it is in the whole text, or none:
 * never a part of a number, never 0. */
static inline bool probe_cuts(probe_parser parse, const char *text, const char *const *keys)
{
	double whole[PROBE_KEYS], cut[PROBE_KEYS];
	size_t len = strlen(text), n;
	int i;

	probe_bytes(parse, text, len, keys, whole);
	for (i = 0; keys[i]; i++)
		if (isnan(whole[i]))
			return false;
	for (n = 0; n < len; n++) {
		probe_bytes(parse, text, n, keys, cut);
		for (i = 0; keys[i]; i++)
			if (!isnan(cut[i]) && cut[i] != whole[i])
				return false;
	}
	return true;
}

static inline void probe_end(void)
{
	capture_close(probe.fs);
}

#endif
