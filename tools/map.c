/* SPDX-License-Identifier: GPL-2.0-only */
/* When within its second was who at work, and how long did things take when? */
#include "base/banned.h"

#include "base/command.h"
#include "base/progress.h"
#include "tools/map/options.h"
#include "tools/map/picture.h"

static int cmd_map(int argc, char **argv);
COMMAND(map_command) = {
	.name = "map",
	.args = "[FILE...]",
	.what = "draw a heat map: who ran when within each second, or latencies",
	.run = cmd_map,
	.works = COMMAND_ON_MACHINE,
};

static int cmd_map(int argc, char **argv)
{
	struct map_options asked;
	const int err = map_options_read(&asked, argc, argv);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err) {
		progress_catch_signals();
		status = map_picture(&asked);
	}
	map_options_free(&asked);
	return status;
}
