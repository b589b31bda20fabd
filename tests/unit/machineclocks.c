/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a copy of a machine told from one on which time passes? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "capture/capture.h"
#include "sample/machine_clocks.h"
#include "tap.h"
#include "tree.h"

static void test_clocks(void)
{
	static const struct {
		const char *what;
		struct machine_clocks from, to;
		bool stands;
	} cases[] = {
		{"time passes", {100, 400}, {110, 440}, false},
		{"a copy stands still", {100, 400}, {100, 400}, true},
		{"one that was restored an hour ago as well", {100, 400}, {10, 40}, true},
		{"uptime that a container is lied to about is no proof", {100, 400}, {100, 420},
			false},
		{"nor is CPU time", {100, 400}, {110, 400}, false},
		{"one clock is enough to tell", {100, NAN}, {100, NAN}, true},
		{"without any it cannot be told", {NAN, NAN}, {NAN, NAN}, false},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		ok(machine_clocks_stand(&cases[i].from, &cases[i].to, 10) == cases[i].stands, "%s",
			cases[i].what);
}

static void test_short_time(void)
{
	const struct machine_clocks clocks = {100, 400};

	ok(!machine_clocks_stand(&clocks, &clocks, 0.02),
		"that none of them ticked in an instant says nothing");
}

static void test_clocks_of_tree(void)
{
	struct tree tree = tree_new();
	struct capture *fs = NULL;
	struct machine_clocks clocks;
	uint64_t ns;

	tree_write(&tree, "proc/uptime", "11652.67 7875.76\n");
	tree_write(&tree, "proc/stat", "cpu  100 200 300 400 500 600 700 800 900 1000\n");
	if (capture_open(&fs, tree.dir, NULL) || capture_next_sample(fs, &ns))
		exit(1);
	clocks = machine_clocks_read(fs);
	ok(fabs(clocks.uptime - 11652.67) < 1e-6, "uptime is read");
	ok(fabs(clocks.cpu - 36) < 1e-6, "and the CPU time, guests not twice");
	capture_close(fs);
	tree_free(&tree);
}

int main(void)
{
	test_clocks();
	test_short_time();
	test_clocks_of_tree();
	return tap_done();
}
