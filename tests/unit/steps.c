/* SPDX-License-Identifier: GPL-2.0-only */
/* Are the commands to run next those of what accuses, and can they be pasted whatever its name is?
 */
#include "base/banned.h"

#include "base/shellquote.h"
#include "base/str.h"
#include "check/check.h"
#include "check/next_steps.h"
#include "judge/steps.h"
#include "report/report.h"
#include "tests/unit/tap.h"

static const char *quoted(const char *name)
{
	static struct str out;

	str_clear(&out);
	return shellquote_add(&out, name) ? str_text(&out) : "refused";
}

static void test_quotes(void)
{
	static const char *const refused[] = {"", "-rf", "a\nb", "a\\b", "a\x1b[0m", "a\xff", "..",
		"../x", "a/../b", "/a/..", "\u202eabc", "tab\there"};
	size_t i;

	ok(!strcmp(quoted("sda1"), "sda1") && !strcmp(quoted("/a/b.service"), "/a/b.service"),
		"a plain name is as it is");
	ok(!strcmp(quoted("my pod"), "'my pod'") && !strcmp(quoted("$(reboot)"), "'$(reboot)'") &&
			!strcmp(quoted("a;b|c&d`e`"), "'a;b|c&d`e`'") &&
			!strcmp(quoted("~root"), "'~root'") && !strcmp(quoted("*"), "'*'") &&
			!strcmp(quoted("{a,b}"), "'{a,b}'"),
		"what a shell would obey is quoted");
	ok(!strcmp(quoted("it's"), "'it'\"'\"'s'"), "a quote too, without a backslash");
	ok(!strcmp(quoted("a..b"), "a..b") && !strcmp(quoted("caf\xc3\xa9"), "'caf\xc3\xa9'"),
		"dots in a name, and letters of others");
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		ok(!strcmp(quoted(refused[i]), "refused"), "name %zu is refused", i);
}

/* The commands of a list, each followed by a '|'. */
static const char *taken(const char *list)
{
	static struct str out;
	char *command;

	str_clear(&out);
	while ((command = next_step_take(&list))) {
		str_addf(&out, "%s|", command);
		free(command);
	}
	return str_text(&out);
}

static void test_lists(void)
{
	ok(!strcmp(taken("a 1, b ,c,, "), "a 1|b|c|"), "commands between commas");
	ok(!strcmp(taken("ps -o 'pid,stat' x, b"), "ps -o 'pid,stat' x|b|"), "a comma in quotes");
	ok(!strcmp(taken("x --a=\"1,2\",b"), "x --a=\"1,2\"|b|"), "and in those behind '='");
	ok(!strcmp(taken("grep don't, grep isn't"), "grep don't|grep isn't|"),
		"no quote in a word");
	ok(!strcmp(taken("echo 'open, b"), "echo 'open|b|"), "nor one that is not closed");
	ok(!strcmp(taken(""), "") && !strcmp(taken(" , "), ""), "no command");
}

static const char *filled(const char *text, const struct step_names *names)
{
	static struct str out;

	str_clear(&out);
	next_step_fill(&out, text, names);
	return str_text(&out);
}

static void test_names(void)
{
	const struct step_names names = {.instance = "/my slice", .who = "-x", .pid = "7"};
	char *longer = mem_printf("cat /%0300d{pid}", 1);

	ok(!strcmp(filled("cat /sys/fs/cgroup{instance}/cpu.max", &names),
		   "cat /sys/fs/cgroup'/my slice'/cpu.max"),
		"a name within a path");
	ok(!strcmp(filled("kill {pid} {who} {x} {", &names), "kill 7 WHO {x} {"),
		"what is refused is a word, and other braces stay");
	ok(!strcmp(filled("cat /proc/{pid}/fd", &(struct step_names){0}), "cat /proc/PID/fd"),
		"and so is what is not known");
	ok(str_ends(filled(longer, &names), "PID"), "nothing is filled in where it would be cut");
	free(longer);
}

static bool has_text(char *const *list, size_t n, size_t i, const char *text)
{
	return i < n && !strcmp(list[i], text);
}

static void test_results(void)
{
	const struct metric own = {
		.next = "cat /sys/{instance}, show {pid}", .remedy = "replace {instance}"};
	const struct metric plain = {.name = "plain"};
	struct culprit process = {.kind = "process", .name = "puma", .id = "123"};
	struct metric_result metrics[] = {
		{.metric = &plain, .instance = "eth0", .verdict = VERDICT_GOOD},
		{.metric = &plain, .instance = "eth1", .verdict = VERDICT_MAYBE},
		{.metric = &own, .instance = "sd a", .verdict = VERDICT_BAD},
	};
	struct check check = {.name = (char *)"t", .next = "ethtool {instance}"};
	struct check_result result = {.verdict = VERDICT_BAD,
		.metrics = metrics,
		.n_metrics = ARRAY_SIZE(metrics),
		.culprits = &process,
		.n_culprits = 1};

	judge_add_steps(&check, &result);
	ok(result.n_next == 4 && has_text(result.next, 4, 0, "cat /sys/'sd a'") &&
			has_text(result.next, 4, 1, "show 123") &&
			has_text(result.next, 4, 2, "ethtool eth1") &&
			has_text(result.next, 4, 3, "tuesday explain t"),
		"the worst metric's own commands, then the check's for one that has none");
	ok(result.n_remedies == 1 && has_text(result.remedies, 1, 0, "replace 'sd a'"), "a remedy");
	while (result.n_next)
		free(result.next[--result.n_next]);
	metrics[1].verdict = VERDICT_GOOD;
	judge_add_steps(&check, &result);
	ok(result.n_next == 3 && result.n_remedies == 1,
		"the check's are left out where every metric that accuses has its own");
	while (result.n_next)
		free(result.next[--result.n_next]);
	result.verdict = VERDICT_GOOD;
	judge_add_steps(&check, &result);
	ok(!result.n_next, "what is good has no next step");
	free(result.next);
	free(result.remedies[0]);
	free(result.remedies);
}

int main(void)
{
	test_quotes();
	test_lists();
	test_names();
	test_results();
	return tap_done();
}
