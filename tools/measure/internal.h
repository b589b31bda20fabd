/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Microbenchmarks of `tuesday measure`: how fast is one part of this machine now, by itself?
 *
 * A microbenchmark changes nothing and takes one sample at a time. A file that defines one
 * registers it with MICROBENCH(); no list is edited. It runs in a forked child, so that a disk that
 * never answers hangs the child and not the program.
 */
#ifndef TUESDAY_TOOLS_MEASURE_INTERNAL_H
#define TUESDAY_TOOLS_MEASURE_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "check/check.h"
#include "base/str.h"
#include "base/unit.h"

/* What a microbenchmark was asked for, and what it has to say beside its samples. */
struct probe {
	const char *arg;  /* its operand, or NULL where none was given */
	struct str notes; /* what a reader must know of the samples: one phrase a line */
	struct str why;	  /* why it failed */
};

struct microbench {
	const char *name;
	const char *arg;  /* as in help: "PATH", "[SIZE]" for one that may be left out, or NULL */
	const char *what; /* one line of help: what a sample is */
	enum unit unit;	  /* seconds, or bytes per second, whose slow tail is p1 instead of p99 */

	/*
	 * Opens what the samples need. Returns 0, or -errno after probe_fail. The state belongs to
	 * the microbenchmark until end.
	 */
	int (*begin)(struct probe *probe, void **state);
	/* Takes one sample. Returns 0, or -errno after probe_fail. */
	int (*once)(struct probe *probe, void *state, double *value);
	void (*end)(void *state); /* called after a begin that returned 0 */
};

#define MICROBENCH(id) \
	static const struct microbench id; \
	static const struct microbench *const id##_registered \
		__attribute__((used, section("tuesday_microbenches"))) = &id; \
	static const struct microbench id

/* What came of one call. */
struct measured {
	const struct microbench *bench;
	const char *arg; /* NULL where none was given */
	double *samples; /* sorted; owned */
	size_t n;
	double seconds;	  /* that it took */
	bool interrupted; /* by a signal: fewer samples than there was time for */
	struct str notes; /* as in struct probe */
	struct str why;	  /* "" where it worked */
};

/* Notes why it failed, once. Returns err, a negative errno, whose text is not added. */
int probe_fail(struct probe *probe, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds a line to the notes. */
void probe_note(struct probe *probe, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Whether a file system lives in memory, so that a file of it says nothing of any disk: of an open
 * file or directory. False where it cannot be told.
 */
bool measure_in_memory(int fd);

/*
 * Takes samples for that long, after some that are thrown away for warming up, or until a signal.
 * Returns 0, also after a signal if there are samples, or -errno with the reason in out->why.
 */
int measure_run(
	struct measured *out, const struct microbench *bench, const char *arg, double seconds);
void measured_free(struct measured *measured);

/*
 * A quantile (q between 0 and 1) of the samples, with its 95 % interval from order statistics. The
 * interval is NAN where there are too few samples for one.
 */
struct quantile {
	double value, low, high;
};
struct quantile measured_quantile(const struct measured *measured, double q);

/* The writers of a result; both append. */
void measured_as_text(struct str *out, const struct measured *measured);
void measured_as_json(struct str *out, const struct measured *measured);

#endif
