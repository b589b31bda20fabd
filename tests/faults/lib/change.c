/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hand on the knob: makes the plan of its arguments and does what standard input says.
 *
 *   change [--seconds S] [--survives] [--keep PATH] [--file PATH VALUE]...
 *   change [...] --commands SAVE APPLY RESTORE
 *   change [...] --held DEVICE NUMBER
 *
 * Each line of input, begin, apply, revert, verify, end, pids or values, gives one line of output.
 */
#include "base/banned.h"

#include <errno.h>

#include "experiment/change.h"
#include "base/str.h"
#include "tests/faults/fault.h"
#include "experiment/undo_log.h"

#define FILES 16

static struct change_file files[FILES];
static struct change_plan plan = {
	.check = "test", .experiment = "knob", .files = files, .seconds = 60};
static struct change *change;

static int take_option(char **argv)
{
	if (!strcmp(*argv, "--survives")) {
		plan.survives_reboot = true;
		return 1;
	}
	if (!strcmp(*argv, "--seconds") && argv[1]) {
		plan.seconds = (double)fault_number(argv[1], 1, FAULT_SECONDS_MAX);
		return 2;
	}
	if (!strcmp(*argv, "--keep") && argv[1] && plan.n_files < FILES) {
		files[plan.n_files++].path = argv[1];
		return 2;
	}
	if (!strcmp(*argv, "--file") && argv[1] && argv[2] && plan.n_files < FILES) {
		files[plan.n_files++] = (struct change_file){.path = argv[1], .to = argv[2]};
		return 3;
	}
	if (!strcmp(*argv, "--held") && argv[1] && argv[2]) {
		plan.kind = CHANGE_HELD;
		plan.device = argv[1];
		plan.number = (int32_t)fault_number(argv[2], 0, INT32_MAX);
		return 3;
	}
	if (!strcmp(*argv, "--commands") && argv[1] && argv[2] && argv[3]) {
		plan.kind = CHANGE_COMMANDS;
		plan.save = argv[1];
		plan.apply = argv[2];
		plan.restore = argv[3];
		return 4;
	}
	return 0;
}

static int do_step(const char *word, struct str *why)
{
	int err;

	if (!strcmp(word, "begin"))
		return change_begin(&change, &plan, why);
	if (!change)
		return -EINVAL;
	if (!strcmp(word, "apply"))
		return change_apply(change, why);
	if (!strcmp(word, "revert"))
		return change_revert(change, why);
	if (!strcmp(word, "verify"))
		return change_verify(change, why);
	if (strcmp(word, "end") != 0)
		return -EINVAL;
	err = change_end(change, why);
	change = NULL;
	return err;
}

static void show(const char *word)
{
	struct str why = STR_INIT;
	int err;

	if (!strcmp(word, "pids")) {
		printf("%ld %ld %ld\n", (long)getpid(), (long)change_keeper(),
			change ? (long)change_watchdog(change) : 0L);
	} else if (!strcmp(word, "values") && change) {
		const char *old = change_old(change, 0), *ours = change_ours(change, 0);

		printf("%s -> %s\n", old ? old : "(none)", ours ? ours : "(none)");
	} else {
		err = do_step(word, &why);
		printf("%s%s%s\n", err ? strerrorname_np(-err) : "0", why.len ? " " : "",
			str_text(&why));
	}
	fflush(stdout);
	str_free(&why);
}

int main(int argc, char **argv)
{
	char asked[] = "--invasive", *early[] = {argv[0], asked, NULL};
	char line[64];
	int i, taken;

	change_early(2, early);
	fault_bound(FAULT_SECONDS_MAX);
	for (i = 1; i < argc; i += taken) {
		taken = take_option(argv + i);
		if (!taken) {
			fputs("usage: see tests/faults/lib/change.c\n", stderr);
			return FAULT_MISUSE;
		}
	}
	fault_ready();
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		show(line);
	}
	return 0;
}
