/* SPDX-License-Identifier: GPL-2.0-only */
/* Which check was meant? */
#include "base/banned.h"

#include "check/names.h"
#include "run/options.h"
#include "run/unknown_check.h"

int run_unknown_check(const char *program, const struct checks *all, const char *name)
{
	struct check_names names;

	check_names_of_checks(&names, all);
	check_names_unknown(&names, program, name);
	check_names_free(&names);
	return EXIT_MISUSE;
}
