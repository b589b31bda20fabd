/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The answer of the child that traces: text, a line for each fact, also kept in recordings.
 *
 *   tuesday-trace 1
 *   trace =CHECK =NAME
 *   missing =WHY                          or all of the following:
 *   method =TEXT
 *   unit ns|value|none                    what totals are counted in
 *   ran NANOSECONDS
 *   asked NANOSECONDS         how long it was to run; fields have that of their trace
 *   away NANOSECONDS BUDGET   when it took itself away: more than so many events a second
 *   lost STARTS INSTANCES CULPRITS MISSES
 *   left-out BACKGROUND THROTTLED
 *   cost KNOWN RUN_NS RUN_COUNT START_NS
 *   apart                                 instances are kept apart, even if none was seen
 *   instance KIND =NAME COUNT TOTAL MAX [SLOT:COUNT …]     KIND is one, text or device
 *   who INSTANCE ROLE =KIND TYPE =NAME =ID COUNT TOTAL [SLOT:COUNT …]
 *                                         ROLE is blamed or victim, TYPE text or device; the slots
 *                                         where the trace may have to ignore somebody
 *
 * A trace that measures several things has a block for each behind its own, =NAME.FIELD, with its
 * method, unit, time, instances and culprits; what was lost stands with the whole and counts for
 * each.
 *
 * A word behind '=' is text with every byte that is not printable ASCII, and %, as %XX. A device is
 * MAJOR:MINOR. INSTANCE is the number of the instance's line, from 0.
 */
#ifndef TUESDAY_TRACE_CODEC_H
#define TUESDAY_TRACE_CODEC_H

#include <stddef.h>

struct str;
struct traces;

#define TRACE_BLOB_FIRST_LINE "tuesday-trace 1\n"

/* Appends " =" and the text. */
void trace_blob_text(struct str *out, const char *text);

/*
 * Fills the results of the traces that were asked for from a blob, which anybody may have written:
 * a line that is not as above, and what stands for a trace that was not asked for, is passed over.
 * Returns 0, or -EINVAL where it is no blob at all.
 */
int trace_blob_parse(struct traces *traces, const char *data, size_t len);

#endif
