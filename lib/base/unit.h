/* SPDX-License-Identifier: GPL-2.0-only */
/* Units of numbers, by the ends of their names, and numbers as people read them. */
#ifndef TUESDAY_BASE_UNIT_H
#define TUESDAY_BASE_UNIT_H

struct str;

/* Told by the end of a metric's name: _ratio _seconds _bytes _count _per_second _bytes_per_second.
 */
enum unit {
	UNIT_RATIO,
	UNIT_SECONDS,
	UNIT_BYTES,
	UNIT_COUNT,
	UNIT_PER_SECOND,
	UNIT_BYTES_PER_SECOND
};
const char *unit_text(enum unit unit);

/*
 * A value for people: "1.2 ms", "4.1 %", "9.1 GiB", "212/s"; three digits at most, but counts are
 * said in full up to 99999, since a limit of 4096 is known by that number. "no value" for NAN.
 */
void value_for_people(struct str *out, double value, enum unit unit);

#endif
