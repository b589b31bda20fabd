/* SPDX-License-Identifier: GPL-2.0-only */
/* What the check span says of spans, for a tool that judges nothing. */
#ifndef TUESDAY_TOOLS_SPAN_LIMITS_H
#define TUESDAY_TOOLS_SPAN_LIMITS_H

struct options;

/* The share of wrong spans above which no stage is judged: bad of wrong_ratio, in the check as this
 * machine has it with all its layers, those of -c among them. INFINITY where it has none. */
double span_limit_wrong(const struct options *options);

#endif
