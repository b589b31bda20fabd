/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the clocks count nanoseconds, and the same ones as the kernel's? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/unit/tap.h"

static bool is_between(uint64_t value, const struct timespec *from, const struct timespec *to)
{
	return value >= timespec_ns(*from) && value <= timespec_ns(*to);
}

static void is_clock(clockid_t clock, uint64_t (*read)(void), const char *name)
{
	struct timespec from, to;
	uint64_t value;

	clock_gettime(clock, &from);
	value = read();
	clock_gettime(clock, &to);
	ok(is_between(value, &from, &to), "%s is that clock", name);
}

int main(void)
{
	uint64_t from;

	ok(timespec_ns((struct timespec){3, 999999999}) == 3999999999u,
		"a timespec is nanoseconds");
	ok(timespec_ns((struct timespec){18000000000, 1}) == 18000000000000000001u,
		"no bit is lost of five hundred years");
	ok(timeval_ns((struct timeval){2, 500000}) == 2500000000u, "a timeval is nanoseconds");
	is_clock(CLOCK_MONOTONIC, monotonic_ns, "monotonic_ns");
	is_clock(CLOCK_BOOTTIME, boottime_ns, "boottime_ns");
	is_clock(CLOCK_REALTIME, realtime_ns, "realtime_ns");
	ok(clock_ns(12345) == 0, "a clock that is not there is 0");
	from = monotonic_ns();
	ok(fabs(monotonic_seconds() - (double)from / 1e9) < 5, "seconds count from the same start");
	ok(llabs(monotonic_ms() - (int64_t)(from / 1000000)) < 5000, "and so do milliseconds");
	usleep(2000);
	ok(monotonic_ns() - from >= 2000000, "two milliseconds are two million nanoseconds");
	return tap_done();
}
