/* SPDX-License-Identifier: GPL-2.0-only */
/* Does this program remember its runs? */
#include "run/run_hooks.h"

extern const struct annals *const __start_tuesday_annals[] __attribute__((weak));
extern const struct annals *const __stop_tuesday_annals[] __attribute__((weak));

void annals_recall(const struct options *options, struct report *report)
{
	const struct annals *const *at;

	for (at = __start_tuesday_annals; at < __stop_tuesday_annals; at++)
		(*at)->recall(options, report);
}

void annals_enter(const struct options *options, const struct report *report)
{
	const struct annals *const *at;

	for (at = __start_tuesday_annals; at < __stop_tuesday_annals; at++)
		(*at)->enter(options, report);
}
