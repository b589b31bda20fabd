/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clocks of this machine as one number. CLOCK_MONOTONIC begins with the machine, no one can set
 * it, and it stands still while the machine sleeps; CLOCK_BOOTTIME goes on then; CLOCK_REALTIME is
 * the time of day since 1970, which anyone may set.
 */
#ifndef TUESDAY_BASE_CLOCK_H
#define TUESDAY_BASE_CLOCK_H

#include <stdint.h>
#include <sys/time.h>
#include <time.h>

/* Nanoseconds of any clock, 0 for one that is not there; and of three of them. */
uint64_t clock_ns(clockid_t clock);
uint64_t monotonic_ns(void);
uint64_t boottime_ns(void);
uint64_t realtime_ns(void);

/* CLOCK_MONOTONIC in seconds, to about a microsecond after a month. */
double monotonic_seconds(void);
/* In whole milliseconds, signed, so that what is left until a deadline may be negative. */
int64_t monotonic_ms(void);

/* Nanoseconds of a time that is not negative. */
uint64_t timespec_ns(struct timespec time);
uint64_t timeval_ns(struct timeval time);

#endif
