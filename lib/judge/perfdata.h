/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a monitoring plugin prints: "TEXT | 'label'=value[UNIT];[warn];[crit];[min];[max] …", by the
 * Monitoring Plugins Development Guidelines. Anybody may have written it.
 */
#ifndef TUESDAY_JUDGE_PERFDATA_H
#define TUESDAY_JUDGE_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>

#include "check/check.h"
#include "base/unit.h"

/* More are left out. */
#define PERFDATA_MAX 64

/* "10", "10:", "~:10", "10:20", "@10:20": where an alert begins. */
struct perf_range {
	bool set;
	bool inside;	  /* alert within low..high, else outside of it */
	double low, high; /* may be infinite */
};

struct perf {
	char *label;  /* as it was written, without quotes; owned */
	double value; /* in base units; NAN: the plugin does not know ("U") */
	enum unit unit;
	struct perf_range warn, crit; /* in base units too */
};

struct plugin_output {
	char *text; /* the first line, without performance data; "" for none; owned */
	struct perf *list;
	size_t n, room;
};

/* Reads what a plugin printed. What is no performance data is passed over. Never fails. */
void plugin_output_parse(struct plugin_output *out, const char *data, size_t len);
void plugin_output_free(struct plugin_output *output);

/* Whether a value is where the alert is; false for NAN. */
bool perf_range_alerts(const struct perf_range *range, double value);

/* Reads one range; false where the text is none. */
bool perf_range_parse(struct perf_range *range, const char *text, size_t len);

#endif
