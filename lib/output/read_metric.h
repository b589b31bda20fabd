/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics and the experiments of a check in a JSON report. */
#ifndef TUESDAY_OUTPUT_READ_METRIC_H
#define TUESDAY_OUTPUT_READ_METRIC_H

#include <stddef.h>

struct check_result;
struct metric_result;
struct report_fields;

/* Metrics, froman empty list on; returns how many. */
size_t fields_metrics(struct report_fields *fields, struct metric_result **list);
void fields_experiments(struct report_fields *fields, struct check_result *result);

#endif
