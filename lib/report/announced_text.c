/* SPDX-License-Identifier: GPL-2.0-only */
/* How is what people have announced said in a report? */
#include "base/banned.h"

#include "base/datetime.h"
#include "base/str.h"
#include "report/announced_text.h"
#include "report/report.h"

const char *began_text(enum began began)
{
	static const char *const texts[] = {[BEGAN_BEFORE] = "before", [BEGAN_SINCE] = "since"};

	return texts[began];
}

void report_announced(struct str *out, const struct report *report)
{
	size_t i;

	for (i = 0; i < report->n_announced; i++) {
		const struct announced *announced = &report->announced[i];
		char *since = format_since(announced->since, report->time_start);
		char *until = format_since(announced->until, report->time_start);

		str_addf(out, "%s'%s' (by %s, since %s, ends %s)", i ? ", " : "", announced->what,
			announced->by, since, until);
		free(since);
		free(until);
	}
}
