/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A JSON report (schema tuesday/1, docs/json.md) back into the struct that a run makes: what
 * `tuesday merge` and `tuesday report` read.
 *
 * A report is as hostile as the machine that it came from: every length, depth and count is
 * bounded, what this version does not know is passed over, and a verdict that it does not know is
 * "unknown".
 */
#ifndef TUESDAY_OUTPUT_READ_JSON_H
#define TUESDAY_OUTPUT_READ_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

/* A report of a real machine is 110 KB. */
#define REPORT_BYTES_MAX ((size_t)16 << 20)

struct report_reader;

/*
 * brief leaves out what only one machine's report is read for: texts and numbers of what is good,
 * evidence, howevers, commands, limits, experiments. Such a report is read three times as fast.
 */
struct report_reader *report_reader_new(bool brief);
void report_reader_free(struct report_reader *reader);

/*
 * Reads the first report of a text. *report belongs to the reader and is valid until the next call;
 * report_free must not be called for it. Its checks and metrics have the fields that a report says
 * of them (name, area, unit, class, the side of limits, source, why, however) and nothing to
 * measure with. *used is how far the report reaches, or how far it was read before it was refused.
 *
 * Returns 0; -ENODATA for white space only; -EAGAIN where the text ends inside the report; -E2BIG
 * for too much of something; -EINVAL for what is no report. reader_wrong says why.
 */
int report_read(struct report_reader *reader, const char *text, size_t len, size_t *used,
	const struct report **report);
const char *report_reader_wrong(const struct report_reader *reader);

#endif
