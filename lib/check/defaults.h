/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What metrics have whose own sections do not say it: lib/check/defaults.ini, which is linked in,
 * and the files defaults.ini of the layers over it. [limit] is for metrics of class limit.
 */
#ifndef TUESDAY_CHECK_DEFAULTS_H
#define TUESDAY_CHECK_DEFAULTS_H

#include <stdbool.h>

struct check_defaults;
struct complaints;
struct settings;
struct trend_rule;

/* The name of the files, which are no checks. */
#define DEFAULTS_NAME "defaults"

/* Those that are linked in. The caller frees. */
struct check_defaults *check_defaults_new(void);
void check_defaults_free(struct check_defaults *defaults);

/* Lays a file of a layer over them. Returns false after complaints: then it says nothing. */
bool check_defaults_lay(struct check_defaults *defaults, const struct settings *layer,
	struct complaints *complaints);

/* What metrics of class limit have; it lives as long as nothing is laid over it. */
const struct trend_rule *check_defaults_trend(const struct check_defaults *defaults);

#endif
