/* SPDX-License-Identifier: GPL-2.0-only */
/* From where on something is said: by limits.ini, and by the check span for all who read spans. */
#ifndef TUESDAY_TOOLS_SPAN_LIMITS_H
#define TUESDAY_TOOLS_SPAN_LIMITS_H

struct options;

struct span_limits {
	struct {
		double share, jobs, checks;
	} told;
};

/* Those of limits.ini that the program was built with. */
void span_limits_default(struct span_limits *limits);

/* The share of wrong spans above which no stage is judged: bad of wrong_ratio, in the check as this
 * machine has it with all its layers, those of -c among them. INFINITY where it has none. */
double span_limit_wrong(const struct options *options);

#endif
