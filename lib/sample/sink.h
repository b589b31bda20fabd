/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a source puts its numbers: whoever asked for one gets it. */
#ifndef TUESDAY_SAMPLE_SINK_H
#define TUESDAY_SAMPLE_SINK_H

#include <stdbool.h>

struct sink;

/*
 * One number. instance is "" for a source without instances. Numbers are in the kernel's own units:
 * the check file converts. Only what is finite is taken.
 */
void sink_put(struct sink *sink, const char *instance, const char *field, double value);

/* From now on, what is put without an instance is put for this one too, so that a file that says
 * both is parsed once; NULL ends it. The name stays the caller's. */
void sink_also(struct sink *sink, const char *instance);

/* Whether anybody asked for a field of this name (any instance), or for any that starts with
 * prefix: lets a source leave dear files unread. */
bool sink_wants(const struct sink *sink, const char *field);
bool sink_wants_prefix(const struct sink *sink, const char *prefix);

/* Whether anybody asked for every instance with '*': lets a source leave out instances that cost
 * much to read. */
bool sink_wants_instances(const struct sink *sink);

/*
 * Calls each for every field that was asked for, as it is written in the check file behind "*." or
 * behind the colon. The source of single-value files has patterns here.
 */
void sink_each_wanted(
	const struct sink *sink, void (*each)(void *arg, const char *field), void *arg);

/* A name to show for an instance instead of its own ("puma (pid 1234)" for task 1234). */
void sink_label(struct sink *sink, const char *instance, const char *label);

/* Says that everything was read and there is none of the kind, in this sample: no listener, no such
 * device. A metric over its instances is idle then, where it would have no value otherwise. */
void sink_none(struct sink *sink);

/*
 * Says that what the source is about is not here at all, as a reason: a check whose every number
 * lacks for that is skipped. Only where the devices themselves had to be asked; else `needs` of the
 * check file says it sooner. Kept once; sink_missing goes before it.
 */
void sink_absent(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * The same of one field, as it was asked for, where each is a file of its own: what is said of one
 * is no reason for another. is_there: the file is there, and could not be read or holds no number;
 * else nothing of the kind is here. The first reason stays, but one of what is there goes before.
 */
void sink_unread(struct sink *sink, const char *field, bool is_there, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same where a part of what the field asks for was not looked at: what was seen of it is not
 * all, so that it may accuse and clears nothing. */
void sink_in_part(struct sink *sink, const char *field, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Says that something could not be read, as a phrase that ends the sentence "no value: …", for
 * example "/proc/pressure/cpu: the kernel was booted without psi=1". Kept once.
 */
void sink_missing(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
