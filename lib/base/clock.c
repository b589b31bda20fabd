/* SPDX-License-Identifier: GPL-2.0-only */
/* What time is it? */
#include "base/banned.h"

#include "base/clock.h"

uint64_t timespec_ns(struct timespec time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return timespec_ns(now);
}

uint64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t boottime_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

uint64_t realtime_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

double monotonic_seconds(void)
{
	return (double)monotonic_ns() / 1e9;
}

int64_t monotonic_ms(void)
{
	return (int64_t)(monotonic_ns() / 1000000);
}
