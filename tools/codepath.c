/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a function take more of the CPU than it did, by profiles that were kept? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "flame/codepath.h"
#include "flame/folded.h"
#include "flame/tree.h"
#include "report/report.h"
#include "run/options.h"
#include "sys/opener.h"

struct codepath_asked {
	const char *program;
	struct options common;
	double hertz, seconds;
};

static int cmd_codepath(int argc, char **argv);
COMMAND(codepath_command) = {
	.name = "codepath",
	.args = "NOW BEFORE...",
	.what = "does a function take more CPU time than in earlier profiles?",
	.run = cmd_codepath,
};

static const struct option_row own[] = {
	{0, "hertz", "N", "samples a second and CPU in the profiles (49)",
		OPTION_SECONDS(struct codepath_asked, hertz, 1, 1e6, "a number from 1 on")},
	{0, "seconds", "TIME", "the time that NOW covers (10s), for CPU hours a day",
		OPTION_SECONDS(struct codepath_asked, seconds, 0.1, 1e6, "a time from 0.1s on")},
};

/* The look of one file, or NULL after a message. */
static struct codepath_look *codepath_read(const struct codepath_asked *asked, const char *path)
{
	struct codepath_look *look = codepath_look_new(asked->seconds, asked->hertz);
	const bool is_stdin = !strcmp(path, "-");
	struct flame_tree *tree = flame_tree_new();
	int fd = is_stdin ? STDIN_FILENO : opener_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? fd : flame_tree_read(tree, fd);

	if (fd >= 0 && !is_stdin)
		close(fd);
	if (!err && !tree->total)
		err = -ENODATA;
	if (err) {
		char *shown = escape_path(path);

		fprintf(stderr, "%s: %s: %s\n", asked->program, shown,
			err == -ENODATA
				? "it has no stacks: expected lines like \"main;read;vfs_read 23\""
				: strerror(-err));
		free(shown);
		codepath_look_free(look);
		look = NULL;
	} else {
		codepath_look_add_tree(look, tree);
	}
	flame_tree_free(tree);
	return look;
}

/* Whether the look before this one accused the same function of the same: compared, as this one,
 * with those before both. */
static bool codepath_is_again(const struct codepath_look *now, struct codepath_look *const *earlier,
	size_t n, const struct codepath_limits *limits)
{
	struct codepath_result then, result;
	bool again;

	if (n < 2)
		return false;
	codepath_compare(&then, earlier[n - 1], earlier, n - 1, limits);
	codepath_compare(&result, now, earlier, n - 1, limits);
	again = then.answer == CODEPATH_MORE && result.answer == CODEPATH_MORE &&
		!strcmp(then.function, result.function);
	free(then.function);
	free(result.function);
	return again;
}

static enum verdict codepath_say(
	struct str *out, const struct codepath_result *result, bool again, size_t n)
{
	if (result->answer == CODEPATH_TOO_FEW) {
		str_add(out, "unknown: too few samples to compare\n");
		return VERDICT_UNKNOWN;
	}
	if (result->answer == CODEPATH_RENAMED) {
		str_addf(out,
			"unknown: the earlier profiles know only %.0f %% of what runs now by "
			"name: they cannot be compared, as after a deploy that renamed functions\n",
			result->known * 100);
		return VERDICT_UNKNOWN;
	}
	if (result->answer == CODEPATH_SAME) {
		str_addf(out,
			"good: no function takes more CPU time than before, of %zu compared with "
			"%zu earlier profile%s\n",
			result->compared, n, n == 1 ? "" : "s");
		return VERDICT_GOOD;
	}
	str_add(out, again ? "bad: " : "maybe: ");
	escape_name_cut(out, result->function, 90);
	str_addf(out, " takes %.1f %% of the CPU time, %.1f %% before: %.3g CPU hours a day more\n",
		result->share * 100, result->before * 100, result->cpu_hours_per_day);
	if (!again)
		str_add(out,
			"however: a single increase may be chance, or a different workload: the "
			"next profile will tell\n");
	return again ? VERDICT_BAD : VERDICT_MAYBE;
}

static int codepath_judge(struct codepath_look *const *looks, size_t n)
{
	struct codepath_limits limits;
	struct codepath_result result;
	struct str out = STR_INIT;
	enum verdict verdict;
	bool again;

	codepath_limits_default(&limits);
	again = codepath_is_again(looks[0], looks + 1, n - 1, &limits);
	/* What the look before has already is no earlier share. */
	codepath_compare(&result, looks[0], looks + 1, again ? n - 2 : n - 1, &limits);
	verdict = codepath_say(&out, &result, again, n - 1);
	fputs(str_text(&out), stdout);
	free(result.function);
	str_free(&out);
	return verdict_exit_status(verdict);
}

static int codepath_run(const struct codepath_asked *asked)
{
	const size_t n = asked->common.n_names;
	struct codepath_look **looks;
	int status = 3;
	size_t read;

	if (n < 2) {
		fprintf(stderr, "%s: name a profile of now and one from before; see --help\n",
			asked->program);
		return EXIT_MISUSE;
	}
	progress_catch_signals();
	looks = mem_zalloc(n * sizeof(*looks));
	for (read = 0; read < n; read++) {
		looks[read] = codepath_read(asked, asked->common.names[read]);
		if (!looks[read])
			break;
	}
	if (read == n)
		status = codepath_judge(looks, n);
	for (size_t i = 0; i < n; i++)
		codepath_look_free(looks[i]);
	free(looks);
	return status;
}

static int cmd_codepath(int argc, char **argv)
{
	struct codepath_asked asked = {.program = argv[0], .hertz = 49, .seconds = 10};
	const struct usage usage = {
		.line = "tuesday codepath NOW BEFORE...",
		.what = "Does a function take more CPU time than in earlier profiles? All are "
			"files of folded\n"
			"stacks, the earlier ones in order of time. The verdict is maybe at "
			"first, and bad if the\n"
			"previous profile accused the same function. See docs/codepath.md.",
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &asked,
		.status = "0 no function takes more, 1 maybe, 2 again, 3 not comparable",
	};
	int err = options_parse_usage(&asked.common, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err)
		status = codepath_run(&asked);
	options_free(&asked.common);
	return status;
}
