/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who remembers runs. A program that has none (every single health tool) links no database.
 */
#ifndef TUESDAY_ANNALS_H
#define TUESDAY_ANNALS_H

struct options;
struct report;

struct annals {
	/* After the last verdict: adds to the report what is known of the past. It changes no
	 * verdict, and where it knows nothing it adds nothing. */
	void (*recall)(const struct options *options, struct report *report);
	/* When the report has been written. Says on standard error what went wrong; the run is
	 * none the worse for it. */
	void (*enter)(const struct options *options, const struct report *report);
};

#define ANNALS(id) \
	static const struct annals id; \
	static const struct annals *const id##_registered \
		__attribute__((used, section("tuesday_annals"))) = &id; \
	static const struct annals id

void annals_recall(const struct options *options, struct report *report);
void annals_enter(const struct options *options, const struct report *report);

#endif
