/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of instances, and their numbers. */
#ifndef TUESDAY_SAMPLE_INSTANCES_H
#define TUESDAY_SAMPLE_INSTANCES_H

#include <stddef.h>

/* The instances seen of one source or trace, numbered in the order they were met. */
struct instances;

size_t instances_count(const struct instances *set);
const char *instances_name(const struct instances *set, size_t i);
/* The name to show; the instance's own name where it has no label. */
const char *instances_label(const struct instances *set, size_t i);
/* The number of the instance of that name, or -1. */
long instances_find(const struct instances *set, const char *name);

/* For traces, which bring instances of their own; sources do it through sink_put. */
struct instances *instances_new(void);
size_t instances_intern(struct instances *set, const char *name);
void instances_set_label(struct instances *set, size_t i, const char *label);
void instances_free(struct instances *set);

#endif
