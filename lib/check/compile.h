/* SPDX-License-Identifier: GPL-2.0-only */
/* From the keys of a check's files to a check. */
#ifndef TUESDAY_CHECK_COMPILE_H
#define TUESDAY_CHECK_COMPILE_H

#include "check/check.h"
#include "base/diag.h"
#include "check/settings.h"

/*
 * Makes a check of settings that are complete. Of one that is switched off (see settings_are_off)
 * neither metrics nor traces nor experiments are kept. Takes over the settings, which are empty
 * then. trend: that of limits that do not say it, or NULL. Returns NULL after complaints,
 * each at the place that its key came from.
 */
struct check *check_compile(const char *name, bool asked, struct settings *settings,
	const struct trend_rule *trend, struct complaints *complaints);

struct embedded_check;

/* The same of a check that is linked in, of which only [check] is read so far. For the rest trend
 * has to stay. */
struct check *check_compile_shipped(const struct embedded_check *shipped, bool asked,
	const struct trend_rule *trend, struct complaints *complaints);

/* Reads the rest of such a check, once; of any other it does nothing. What is judged are metrics
 * and traces; all are the experiments too, and the settings. Returns false after complaints, with a
 * part of the check. */
bool check_complete(struct check *check, bool all, struct complaints *complaints);

#endif
