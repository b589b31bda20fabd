/* SPDX-License-Identifier: GPL-2.0-only */
/* Are the commands to run next those of what accuses, and can they be pasted whatever its name is?
 */
#include "base/banned.h"

#include "base/shellquote.h"
#include "base/str.h"
#include "check/check.h"
#include "check/layers.h"
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

static const char *remedied(const char *text, const struct step_names *names)
{
	static struct str out;

	str_clear(&out);
	next_step_fill_remedy(&out, text, names);
	return str_text(&out);
}

static void test_names(void)
{
	const struct step_names names = {.instance = "/my slice", .who = "-x", .pid = "7"};
	const struct step_names nobody = {.instance = ""};
	char *longer = mem_printf("cat /%0300d{pid} else ps", 1);

	ok(!strcmp(filled("cat /sys/fs/cgroup{instance}/cpu.max", &names),
		   "cat /sys/fs/cgroup'/my slice'/cpu.max"),
		"a name within a path");
	ok(!strcmp(filled("kill {pid} {x} {", &names), "kill 7 {x} {"), "other braces stay");
	ok(!*filled("kill {pid} {who}", &names) && !*filled("cat /proc/{pid}/fd", &nobody),
		"what needs a name that is refused or not known is no command");
	ok(!strcmp(filled("kill {who} else kill {pid} else ps", &names), "kill 7") &&
			!strcmp(filled("kill {who} else kill {pid} else ps", &nobody), "ps") &&
			!strcmp(filled("awk 'a else b' {who} else ps", &nobody), "ps"),
		"the first alternative of which all is known is");
	ok(!strcmp(filled(longer, &names), "ps"), "nor is what would be cut");
	ok(!strcmp(remedied("restart {who}, then look at {instance}", &nobody),
		   "restart the process, then look at it"),
		"in a remedy a plain word stands for what is not known");
	free(longer);
}

static const char *url_of(const char *instance)
{
	const struct step_names names = {.instance = instance};
	static struct str out;

	str_clear(&out);
	next_step_fill(&out, "dig {url} {port} else dig {url} else none", &names);
	return str_text(&out);
}

static void test_urls(void)
{
	ok(!strcmp(url_of(":3000"), "dig http://127.0.0.1:3000/ 3000") &&
			!strcmp(url_of("0.0.0.0:80"), "dig http://127.0.0.1:80/ 80") &&
			!strcmp(url_of("10.1.2.3:80"), "dig http://10.1.2.3:80/ 80") &&
			!strcmp(url_of("[::]:80"), "dig 'http://[::1]:80/' 80") &&
			!strcmp(url_of("[fe80::1]:80"), "dig 'http://[fe80::1]:80/' 80"),
		"a listener is asked at its address, or at loopback where it has all");
	ok(!strcmp(url_of("unix:/run/x y"), "dig --unix='/run/x y' http://localhost/") &&
			!strcmp(url_of("unix:@a"), "dig --unix=@a http://localhost/"),
		"a Unix socket by its path");
	ok(!strcmp(url_of("pod 10.0.0.1:80"), "none") && !strcmp(url_of("unix:"), "none") &&
			!strcmp(url_of("unix:-x"), "none") && !strcmp(url_of("$(x):80"), "none") &&
			!strcmp(url_of("sda"), "none") && !strcmp(url_of("a:0"), "none") &&
			!strcmp(url_of(":65536"), "none"),
		"one in another network namespace, and what is none, by nothing");
}

/* What nobody can paste: a placeholder that is left, or a word to be filled in by hand. */
static bool wants_filling(const char *text)
{
	static const char *const words[] = {"ADDRESS", "CGROUP", "CONTAINER", "DEVICE", "DIR",
		"DISK", "FILE", "HOST", "IFACE", "INSTANCE", "INTERFACE", "MOUNT", "N", "NAME",
		"PATH", "PID", "POOL", "PORT", "TARGET", "TID", "UNIT", "URL", "USER", "VOLUME",
		"WHO"};
	const char *at;
	size_t i;

	for (at = text; *at; at++) {
		size_t len = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_. ");

		if ((*at == '{' && at[1 + len] == '}' && len && at[1] != ' ') ||
			(*at == '<' && at[1 + len] == '>'))
			return true;
	}
	for (i = 0; i < ARRAY_SIZE(words); i++)
		for (at = text; (at = strstr(at, words[i])); at++) {
			char before = at == text ? ' ' : at[-1], behind = at[strlen(words[i])];

			if (strchr(" /=:@", before) && (!behind || strchr(" /=:,;)", behind)))
				return true;
		}
	return false;
}

/* All of a list, or a remedy, filled in with these names. Returns how many can be pasted. */
static size_t render(
	const char *list, bool is_remedy, const struct step_names *names, const char *check)
{
	char *command;
	size_t n = 0;

	while (list && (command = is_remedy ? mem_strdup(list) : next_step_take(&list))) {
		const char *text = is_remedy ? remedied(command, names) : filled(command, names);

		if (wants_filling(text))
			ok(false, "%s: '%s' has nothing to be filled in by hand", check, text);
		n += *text != 0;
		free(command);
		if (is_remedy)
			break;
	}
	return n;
}

/* Whatever accuses, and whether its names are known or not. */
static void test_shipped(void)
{
	static const struct step_names known = {"sda", "puma", "812"},
				       listener = {":80", "a b", "1"}, unknown = {.instance = ""};
	static const struct step_names *const all[] = {&known, &listener, &unknown};
	struct checks *checks = checks_load(&(struct check_layers){.root = ""});
	size_t i, k, m, n = 0;

	for (i = 0; i < checks->n; i++)
		for (k = 0; k < ARRAY_SIZE(all); k++) {
			const struct check *check = checks->list[i];

			n += render(check->next, false, all[k], check->name);
			for (m = 0; m < check->n_metrics; m++) {
				n += render(check->metrics[m]->next, false, all[k], check->name);
				n += render(check->metrics[m]->remedy, true, all[k], check->name);
			}
		}
	ok(n > 1000, "%zu commands and remedies of the checks can be pasted as they are", n);
	ok(wants_filling("cat /proc/PID/stack") && wants_filling("ls {whom}") &&
			wants_filling("lxc exec <name> x") && !wants_filling("mpstat -P ALL 1") &&
			!wants_filling("ss | awk '{print $5}'") &&
			!wants_filling("dmesg | grep XFS"),
		"and what cannot would be seen");
	checks_free(checks);
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
	test_urls();
	test_shipped();
	test_results();
	return tap_done();
}
