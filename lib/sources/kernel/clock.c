/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does it cost to read the clock, and is it right?
 *
 * clock:read_ns is the time of one clock_gettime(CLOCK_MONOTONIC), as quick as it gets: the best of
 * a few short rounds, so that being interrupted does not count. Programs read the clock more often
 * than anything else, and a clock that cannot be read without the kernel, or only from a chip far
 * away, slows all of them.
 *
 * adjtimex has what the kernel knows of its own clock's truth: unsynchronized (0 or 1), offset and
 * frequency as far as a time daemon has told it (without their signs: offset_seconds,
 * frequency_ratio), max_error_seconds and estimated_error_seconds.
 */
#include "base/banned.h"

#include <errno.h>
#include <sys/timex.h>
#include <time.h>

#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "sources/kernel/clock.h"
#include "sources/common/value_files.h"
#include "sample/source.h"

#define ROUNDS 8
#define READS 32 /* a round */

static double elapsed_ns(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) * 1e9 + (double)(to->tv_nsec - from->tv_nsec);
}

/* The reading at the end of a round is one of its reads. */
static double measure_read_ns(void)
{
	double best = 0;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		struct timespec from = {0}, to = {0};
		double ns;

		clock_gettime(CLOCK_MONOTONIC, &from);
		for (i = 0; i < READS; i++)
			clock_gettime(CLOCK_MONOTONIC, &to);
		ns = elapsed_ns(&from, &to) / READS;
		if (!round || ns < best)
			best = ns;
	}
	return best;
}

/* What make has written, now or when it was recorded. That it failed is recorded too, as "error N",
 * so that a replay says the same. */
static int clock_take_blob(
	struct capture *fs, const char *name, int (*make)(struct str *out), struct bytes *blob)
{
	struct str made = STR_INIT;
	double number;
	int err;

	if (capture_is_live(fs)) {
		err = make(&made);
		if (err)
			str_addf(&made, "error %d\n", -err);
		err = capture_put_blob(fs, name, str_text(&made), made.len);
		str_free(&made);
		if (err)
			return err;
	} else if (!capture_is_replay(fs)) {
		return -EOPNOTSUPP;
	}
	err = capture_get_blob(fs, name, blob);
	if (!err && parse_named_value(*blob, "error", &number))
		err = number > 0 && number < 4096 ? -(int)number : -EBADMSG;
	return err;
}

static int read_blob(struct capture *fs, const char *name, int (*make)(struct str *out),
	void (*parse)(struct bytes text, struct sink *sink), struct sink *sink)
{
	struct bytes blob;
	int err = clock_take_blob(fs, name, make, &blob);

	if (err)
		sink_missing(sink, "%s: %s", name, capture_why_untold(fs, err));
	else
		parse(blob, sink);
	return err;
}

static int make_clock(struct str *out)
{
	str_addf(out, "read_ns %.1f\n", measure_read_ns());
	return 0;
}

static void clock_parse_readings(struct bytes text, struct sink *sink)
{
	text_put_pairs(text, sink, "", "");
}

static int make_adjtimex(struct str *out)
{
	struct timex timex = {.modes = 0};

	if (adjtimex(&timex) < 0)
		return -errno;
	str_addf(out, "status %d\noffset %ld\nfreq %ld\nmaxerror %ld\nesterror %ld\n", timex.status,
		timex.offset, timex.freq, timex.maxerror, timex.esterror);
	return 0;
}

static double magnitude(double value)
{
	return value < 0 ? -value : value;
}

/* The offset is in nanoseconds where the status says so, else in microseconds; the frequency in
 * parts of a million, times 65536. */
void parse_adjtimex(struct bytes text, struct sink *sink)
{
	double status, value;
	int bits;

	if (!parse_named_value(text, "status", &status) || status < 0 || status > 0xffff)
		return;
	bits = (int)status;
	sink_put(sink, "", "unsynchronized", (bits & STA_UNSYNC) != 0);
	if (parse_named_value(text, "offset", &value))
		sink_put(sink, "", "offset_seconds",
			magnitude(value) / (bits & STA_NANO ? 1e9 : 1e6));
	if (parse_named_value(text, "freq", &value))
		sink_put(sink, "", "frequency_ratio", magnitude(value) / 65536 / 1e6);
	if (parse_named_value(text, "maxerror", &value))
		sink_put(sink, "", "max_error_seconds", value / 1e6);
	if (parse_named_value(text, "esterror", &value))
		sink_put(sink, "", "estimated_error_seconds", value / 1e6);
}

static int read_clock(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return read_blob(fs, "clock", make_clock, clock_parse_readings, sink);
}

static int read_adjtimex(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return read_blob(fs, "adjtimex", make_adjtimex, parse_adjtimex, sink);
}

SOURCE(clock_cost) = {
	.name = "clock",
	.what = "how long it takes to read the clock",
	.read = read_clock,
};

SOURCE(clock_truth) = {
	.name = "adjtimex",
	.what = "whether the clock is right, as far as the kernel was told",
	.read = read_adjtimex,
};
