/* SPDX-License-Identifier: GPL-2.0-only */
/* Which Tuesday is this? The same as --version, for who expects a command. */
#include "base/banned.h"

#include "base/command.h"
#include "base/str.h"
#include "run/options.h"

static int cmd_version(int argc, char **argv);
COMMAND(version_command) = {
	.name = "version",
	.args = "",
	.what = "print the version, with -v of all libraries inside",
	.group = COMMAND_HELPS,
	.run = cmd_version,
};

static const struct option_row version_rows[] = {
	{'v', "verbose", NULL, "print the libraries inside, too",
		OPTION_FLAG(struct options, verbose)},
};

static int cmd_version(int argc, char **argv)
{
	struct options options;
	const struct usage usage = {
		.line = "tuesday version",
		.what = "Prints the version.",
		.status = "0 printed",
		.own = version_rows,
		.n_own = ARRAY_SIZE(version_rows),
		.to = &options,
	};
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names)
		fprintf(stderr, "%s: it takes no operand; see --help\n", argv[0]);
	else if (!err)
		status = options_print_version(&options);
	options_free(&options);
	return status;
}
