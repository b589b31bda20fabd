/* SPDX-License-Identifier: GPL-2.0-only */
/* Does each kind of option keep what it takes, refuse the rest, and leave the old value then? */
#include "base/banned.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "run/options.h"
#include "tests/unit/tap.h"

struct kept {
	bool flag, json;
	const char *text, *some;
	unsigned int count;
	size_t size;
	double whole, seconds;
	enum color_when color;
	const char *called;
};

static int set_called(void *to, const char *program, const char *value)
{
	if (!strcmp(value, "no"))
		return option_refused(program, "call", value, "a yes");
	((struct kept *)to)->called = value;
	return 0;
}

static const struct option_row own[] = {
	{'f', "flag", NULL, "a switch", OPTION_FLAG(struct kept, flag)},
	{'t', "text", "TEXT", "any text", OPTION_TEXT(struct kept, text)},
	{0, "some", "TEXT", "a short text",
		OPTION_TEXT_OF(struct kept, some, 4, "four bytes at most")},
	{'n', "count", "N", "a number", OPTION_COUNT(struct kept, count, 2, 64)},
	{0, "size", "N", "a number", OPTION_COUNT(struct kept, size, 0, 1e9)},
	{0, "whole", "N", "a number", OPTION_COUNT(struct kept, whole, 1, 100)},
	{0, "seconds", "TIME", "a time",
		OPTION_SECONDS(struct kept, seconds, 0.1, 60, "a time from 0.1s to 1min")},
	{0, "color", "WHEN", "one of three", OPTION_CHOICE(struct kept, color, option_colors)},
	{'o', "output", "FORMAT", "one of two", OPTION_CHOICE(struct kept, json, option_json)},
	{0, "call", "WORD", "asks its function", OPTION_CALL(set_called)},
};

/* What a command line leaves behind, and what is said meanwhile on both streams. */
static int parse(struct kept *kept, struct options *options, char *said, size_t size,
	const char *first, const char *second)
{
	char *argv[] = {(char *)"program", (char *)first, (char *)second, NULL};
	const struct usage usage = {.line = "program",
		.what = "Is a test.",
		.groups = OPTIONS_STATE,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = kept};
	FILE *file = tmpfile();
	int old[2] = {dup(1), dup(2)}, i, err;
	size_t n;

	*kept = (struct kept){.count = 7, .seconds = 5};
	fflush(stdout);
	for (i = 0; i < 2; i++)
		dup2(fileno(file), i + 1);
	err = options_parse_usage(options, second ? 3 : 2, argv, &usage);
	fflush(stdout);
	for (i = 0; i < 2; i++) {
		dup2(old[i], i + 1);
		close(old[i]);
	}
	rewind(file);
	n = fread(said, 1, size - 1, file);
	said[n] = 0;
	fclose(file);
	options_free(options);
	return err;
}

static void keeps(void)
{
	struct options options;
	struct kept kept;
	char said[4096];

	ok(!parse(&kept, &options, said, sizeof(said), "-f", "--state=/x") && kept.flag &&
			!strcmp(options.state, "/x"),
		"a switch is set, beside a common option");
	ok(!parse(&kept, &options, said, sizeof(said), "-t", "") && !strcmp(kept.text, ""),
		"a text is kept as it is, be it empty");
	ok(!parse(&kept, &options, said, sizeof(said), "--some=four", NULL) &&
			!strcmp(kept.some, "four"),
		"a bounded text is kept up to its bound");
	ok(!parse(&kept, &options, said, sizeof(said), "-n64", "--size=1000000000") &&
			kept.count == 64 && kept.size == 1000000000,
		"whole numbers are kept in fields of their type");
	ok(!parse(&kept, &options, said, sizeof(said), "--whole=1", NULL) && kept.whole == 1,
		"and in a double");
	ok(!parse(&kept, &options, said, sizeof(said), "--seconds=100ms", "--color=never") &&
			fabs(kept.seconds - 0.1) < 1e-12 && kept.color == COLOR_NEVER,
		"a time has a unit, and a choice is kept as its place");
	ok(!parse(&kept, &options, said, sizeof(said), "-ojson", "--call=yes") && kept.json &&
			!strcmp(kept.called, "yes"),
		"a choice of two is a bool, and a function takes what it asked for");
}

static void refuses(const char *option, const char *message)
{
	struct options options;
	struct kept kept;
	char said[4096], *wanted = mem_printf("program: %s\n", message);

	ok(parse(&kept, &options, said, sizeof(said), option, NULL) < 0 &&
			str_starts(said, wanted) && kept.count == 7 && kept.seconds == 5 &&
			!kept.some && !kept.called,
		"%s: %s", option, message);
	free(wanted);
}

static void helps(void)
{
	struct options options;
	struct kept kept;
	char said[4096];

	ok(parse(&kept, &options, said, sizeof(said), "-h", NULL) == 1 &&
			str_starts(said,
				"Usage: program [OPTION...]\nIs a test.\n\n"
				"  -f, --flag             a switch\n"
				"  -t, --text=TEXT        any text\n"
				"      --some=TEXT        a short text\n") &&
			strstr(said, "      --state=DIR        keep history") &&
			!strstr(said, "--quick") && str_ends(said, "64 misuse.\n"),
		"help is the rows: its own, then the common ones that it has");
	ok(parse(&kept, &options, said, sizeof(said), "--version", NULL) == 1 &&
			str_starts(said, "tuesday "),
		"the version is printed");
}

int main(void)
{
	keeps();
	refuses("--some=", "--some: '' is not four bytes at most");
	refuses("--some=fiver", "--some: 'fiver' is not four bytes at most");
	refuses("--count=1", "--count: '1' is not a whole number from 2 to 64");
	refuses("-n65", "--count: '65' is not a whole number from 2 to 64");
	refuses("-n-3", "--count: '-3' is not a whole number from 2 to 64");
	refuses("--seconds=0.05", "--seconds: '0.05' is not a time from 0.1s to 1min");
	refuses("--seconds=1hour", "--seconds: '1hour' is not a time from 0.1s to 1min");
	refuses("--color=green", "--color: 'green' is not auto, always or never");
	refuses("--output=xml", "--output: 'xml' is not text or json");
	refuses("--call=no", "--call: 'no' is not a yes");
	refuses("--flag=3", "--flag=3: it takes no value");
	refuses("-fn", "the option -n wants a value");
	refuses("-fZ", "unknown or ambiguous option '-Z'");
	refuses("--stat3", "there is no option '--stat3'; did you mean '--state'?");
	helps();
	return tap_done();
}
