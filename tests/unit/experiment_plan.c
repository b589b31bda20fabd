/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose check files does an experiment obey, and is all that it would do shown before somebody says
 * yes? */
#include "base/banned.h"

#include "base/str.h"
#include "base/wrap.h"
#include "capture/capture.h"
#include "check/check.h"
#include "check/layers.h"
#include "experiment/plan.h"
#include "experiment/plan_text.h"
#include "experiment/program.h"
#include "tap.h"
#include "tree.h"

#define HEAD \
	"[check]\nquestion = Q?\narea = test\n[metric x_count]\nvalue = vmstat:pgfault\n" \
	"class = cause\nsource = none\nwhy = w\nhowever = h\n[experiment e]\nquestion = Q?\n" \
	"observe = rate(vmstat:pgfault)\nbetter = lower\nrisk = 1\nwarning = w\nproves = p\n" \
	"source = s\nhowever = h\n"
#define COMMANDS "save = echo 1\nrestore = true\napply = "

/* Plans the experiment of the file t.ini in the tree; what is said to people in *shown, or NULL. */
static char *plan_of(struct capture *fs, const struct tree *tree, char **shown)
{
	struct str errors = STR_INIT, text = STR_INIT;
	struct check *check = check_read_file(tree_path(tree, "t.ini"), &errors);
	struct experiment_plan plan;
	char *refused;

	if (!check) {
		printf("# %s\n", str_text(&errors));
		exit(1);
	}
	experiment_plan_make(&plan, fs, check, check->experiments[0], "", NULL);
	refused = plan.refused ? mem_strdup(plan.refused) : NULL;
	experiment_plan_describe(&plan, "pgfault", &text);
	if (shown)
		*shown = str_take(&text);
	experiment_plan_free(&plan);
	check_free(check);
	str_free(&text);
	str_free(&errors);
	return refused;
}

static void is_trusted_alike(struct capture *fs, const char *change, const char *what)
{
	struct tree tree = tree_new();
	char *text = mem_printf("%s%s", HEAD, change), *refused;

	tree_write(&tree, "t.ini", text);
	chmod(tree_path(&tree, "t.ini"), 0644);
	refused = plan_of(fs, &tree, NULL);
	ok(!refused, "%s of one's own file is done%s%s", what, refused ? ": " : "",
		refused ? refused : "");
	free(refused);
	chmod(tree_path(&tree, "t.ini"), 0664);
	refused = plan_of(fs, &tree, NULL);
	ok(refused && strstr(refused, "not obeyed: ") && strstr(refused, "/t.ini is writable"),
		"%s of a file that its group may write to is not", what);
	free(refused);
	if (!geteuid() && !chmod(tree_path(&tree, "t.ini"), 0644) &&
		!chown(tree_path(&tree, "t.ini"), 1234, 1234)) {
		refused = plan_of(fs, &tree, NULL);
		ok(refused && strstr(refused, "/t.ini belongs to user 1234"),
			"nor of somebody else's, for root");
		free(refused);
	} else {
		ok(true, "nor of somebody else's, for root # SKIP not root");
	}
	free(text);
	tree_free(&tree);
}

static void test_policy(struct capture *fs)
{
	struct tree tree = tree_new();
	char *refused;

	tree_write(&tree, "t.ini", HEAD "knob = /proc/sys/kernel/core_pattern\nset = |/tmp/x\n");
	refused = plan_of(fs, &tree, NULL);
	ok(refused && strstr(refused, "runs what is written there as root"),
		"what is no knob is none in one's own file either");
	free(refused);
	tree_write(&tree, "t.ini", HEAD "knob = /proc/sys/vm/swappiness\nset = /tmp/x\n");
	refused = plan_of(fs, &tree, NULL);
	ok(refused && strstr(refused, "names a file"), "nor is a path a value");
	free(refused);
	tree_write(&tree, "t.ini", HEAD "hold = /dev/watchdog\nset = 1\n");
	refused = plan_of(fs, &tree, NULL);
	ok(refused && strstr(refused, "no device to hold"), "nor is any device held");
	free(refused);
	tree_free(&tree);
}

static void test_shown(struct capture *fs)
{
	struct tree tree = tree_new();
	char filler[100], *text, *shown;

	memset(filler, 'x', sizeof(filler));
	filler[sizeof(filler) - 1] = 0;
	text = mem_printf("%s%secho  %s\n  %s\n  %s \xc2\x9b \xe2\x80\xae\n  && rm -rf /the/end\n",
		HEAD, COMMANDS, filler, filler, filler);
	tree_write(&tree, "t.ini", text);
	free(plan_of(fs, &tree, &shown));
	ok(strstr(shown, "echo  xxx") && strstr(shown, "&& rm -rf /the/end\n"),
		"a command is shown to its end, every blank of it");
	ok(strstr(shown, "\\xc2\\x9b \\xe2\\x80\\xae &&"), "and what a terminal would obey is not");
	free(shown);
	free(text);
	tree_free(&tree);
}

/* What a program would be asked for an instance, or NULL where there is nothing to ask. */
static char *asks(struct capture *fs, const char *instance, const char *url)
{
	static const char text[] =
		"[check]\nquestion = Q?\narea = test\n[metric x_count]\n"
		"value = vmstat:pgfault\nclass = cause\nsource = none\n"
		"why = w\nhowever = h\n[experiment e]\nprogram = "
		"keepalivediagnose {url} --no-picture\nmeasure = 60s\nrisk = 1\n";
	struct str errors = STR_INIT, command = STR_INIT;
	struct check *check = check_parse("t", text, strlen(text), &errors);
	struct experiment_plan plan;

	if (!check) {
		printf("# %s\n", str_text(&errors));
		exit(1);
	}
	experiment_plan_make(&plan, fs, check, check->experiments[0], instance, url);
	if (!plan.refused || !strstr(plan.refused, "is no address"))
		program_command(&plan, &command);
	experiment_plan_free(&plan);
	check_free(check);
	str_free(&errors);
	return str_take(&command);
}

static void test_program(struct capture *fs)
{
	static const struct {
		const char *instance, *url, *expected;
	} cases[] = {
		{":3000", NULL, "keepalivediagnose http://127.0.0.1:3000/ --no-picture"},
		{"0.0.0.0:80", NULL, "keepalivediagnose http://127.0.0.1:80/ --no-picture"},
		{"[::]:80", NULL, "keepalivediagnose 'http://[::1]:80/' --no-picture"},
		{"10.0.0.7:80", NULL, "keepalivediagnose http://10.0.0.7:80/ --no-picture"},
		{"unix:/run/x.sock", NULL,
			"keepalivediagnose --unix /run/x.sock http://localhost/ --no-picture"},
		{":3000", "http://127.0.0.1:3000/slow",
			"keepalivediagnose http://127.0.0.1:3000/slow --no-picture"},
		{"blue :3000", NULL, ""},
		{"eth0", NULL, ""},
		{":3000/$(x)", NULL, ""},
		{"unix:/a\x1b[2J", NULL, ""},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *command = asks(fs, cases[i].instance, cases[i].url);

		if (!ok(!strcmp(command, cases[i].expected), "what is asked, %zu: '%s'", i,
			    cases[i].expected))
			printf("# got: %s\n", command);
		free(command);
	}
}

static void test_wrap(void)
{
	struct str out = STR_INIT;

	wrap_whole(&out, 40, 4, "rm  -rf a/rather/long/path/of/a/file; echo done   now");
	ok(!strcmp(str_text(&out),
		   "rm  -rf \n    a/rather/long/path/of/a/file; echo \n    done   now\n"),
		"lines end at blanks, and none of these is lost");
	str_clear(&out);
	wrap_whole(&out, 0, 4, "without a terminal all of it is one line, however long that is");
	ok(strchr(str_text(&out), '\n') == out.text + out.len - 1, "without a terminal it is one");
	str_free(&out);
}

int main(void)
{
	struct capture *fs;
	uint64_t now;

	if (capture_open(&fs, "/", NULL) || capture_next_sample(fs, &now))
		return 1;
	is_trusted_alike(fs, "knob = /proc/sys/vm/swappiness\nset = old + 1\n", "a knob");
	is_trusted_alike(fs, "hold = /dev/cpu_dma_latency\nset = 1\n", "a held device");
	is_trusted_alike(fs, COMMANDS "true\n", "a command");
	test_policy(fs);
	test_shown(fs);
	test_wrap();
	test_program(fs);
	capture_close(fs);
	return tap_done();
}
