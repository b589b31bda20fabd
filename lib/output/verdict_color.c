/* SPDX-License-Identifier: GPL-2.0-only */
/* In which colour does a terminal show a verdict? */
#include "base/banned.h"
#include "base/str.h"
#include "output/verdict_color.h"

void terminal_verdict(struct str *out, enum verdict verdict, bool color)
{
	static const char *const colors[] = {
		[VERDICT_GOOD] = "\033[32m",
		[VERDICT_MAYBE] = "\033[33m",
		[VERDICT_BAD] = "\033[1;31m",
		[VERDICT_UNKNOWN] = "\033[35m",
		[VERDICT_SKIP] = "\033[2m",
	};

	str_add(out, color ? colors[verdict] : "");
	str_add(out, verdict_text(verdict));
	str_add(out, color ? "\033[0m" : "");
}
