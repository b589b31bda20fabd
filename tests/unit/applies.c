/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a check run on the kernels and packages that it is about, until its day, and nowhere else? */
#include "base/banned.h"
#include "check/applies.h"
#include "check/check.h"
#include "check/lint.h"
#include "judge/skip.h"
#include "sample/sweep.h"
#include "tests/unit/machine.h"
#include "tests/unit/tap.h"
#include "check/layers.h"

static void is_before(const char *a, const char *b)
{
	ok(applies_compare_versions(a, b) < 0 && applies_compare_versions(b, a) > 0,
		"version %s is before %s", a, b);
}

static void test_versions(void)
{
	is_before("1.0", "1.1");
	is_before("1.9", "1.10");
	is_before("1.0~rc1", "1.0");
	is_before("1.0", "1.0a");
	is_before("1.0a", "1.0+b");
	is_before("1.0-1", "1.0-1+deb12u1");
	is_before("1.0-1~bpo1", "1.0-1");
	is_before("9.9", "1:0.1");
	is_before("5.6.5-3+deb12u2", "7.0.3-1");
	ok(applies_compare_versions("1.007", "1.7") == 0, "zeros in front of a number are nothing");
	ok(applies_compare_versions("1.0", "1.0-0") == 0, "no revision is revision 0");
	ok(applies_compare_versions("", "") == 0, "nothing is as old as nothing");
}

/* Whether the check with these keys is judged on the machine that was written. */
static bool applies(const char *keys, char **why)
{
	char *text = mem_printf("[check]\nquestion = Is it?\narea = x\n%s\n[metric x_count]\n"
				"value = 1\nclass = cause\nsource = x\n",
		keys);
	struct str errors = STR_INIT;
	struct check *check = check_parse("test", text, strlen(text), &errors);
	struct capture *fs = NULL;
	uint64_t now_ns;
	bool skipped;

	if (!check || capture_open_replay(&fs, machine_dir) || capture_next_sample(fs, &now_ns)) {
		printf("Bail out! %s\n", str_text(&errors));
		exit(1);
	}
	*why = judge_why_skipped(check, fs);
	skipped = *why != NULL;
	if (!skipped)
		*why = mem_strdup("");
	check_free(check);
	capture_close(fs);
	str_free(&errors);
	free(text);
	return !skipped;
}

static void runs(const char *keys, bool expected)
{
	char *why = NULL;
	bool got = applies(keys, &why);

	ok(got == expected, "'%s' %s here%s%s", keys, expected ? "is run" : "is not run",
		*why ? ": " : "", why);
	free(why);
}

static void says(const char *keys, const char *phrase)
{
	char *why = NULL;
	bool got = applies(keys, &why);

	ok(!got && strstr(why, phrase), "'%s' is skipped, since %s", keys, phrase);
	free(why);
}

static void test_kernels(void)
{
	runs("kernel = 6.1", true);
	runs("kernel = 6.1.55", true);
	runs("kernel = 6.1.39..6.1 6.5..", true);
	runs("kernel = ..6.1", true);
	runs("kernel = ..6.1.54", false);
	runs("kernel = 6.2..", false);
	runs("kernel = ..5.3 5.10..5.15", false);
	says("kernel = ..5.3", "Linux 6.1.55-1-amd64 is not within ..5.3");
}

static void test_days(void)
{
	runs("expires = 2026-11-21", true);
	runs("expires = 2026-11-20", false);
	says("expires = 2020-01-01", "expired on 2020-01-01");
}

static void test_packages(void)
{
	runs("package = sysstat < 12.7.5", true);
	runs("package = sysstat", true);
	runs("package = sysstat >= 12.7.5", false);
	runs("package = sysstat >= 12, sysstat < 12.7", true);
	says("package = nothing < 1", "nothing is not installed");
	says("package = unrecorded", "cannot be read here");
	says("package = sysstat == 1", "sysstat is of version 12.6.1-1, not == 1");
}

static void is_refused(const char *key, const char *text)
{
	struct str error = STR_INIT;
	int err = *key == 'k' ? applies_check_kernel(text, &error)
		: *key == 'p' ? applies_check_package(text, &error)
			      : applies_check_expires(text, &error);

	ok(err && error.len, "%s = %s is refused: %s", key, text, str_text(&error));
	str_free(&error);
}

static void test_refusals(void)
{
	is_refused("kernel", "five");
	is_refused("kernel", "5.4...5.6");
	is_refused("kernel", "..");
	is_refused("kernel", "5.4..x");
	is_refused("kernel", "5.4-rc1");
	is_refused("kernel", "99999999999999999999..");
	is_refused("package", "puma <");
	is_refused("package", "puma 5");
	is_refused("package", "pu/ma < 5");
	is_refused("package", "< 5");
	is_refused("package", "puma < 5 and more");
	is_refused("expires", "tomorrow");
	is_refused("expires", "2026-13-01");
	is_refused("expires", "2026-1-1");
	is_refused("expires", "2026-01-01x");
}

static bool is_said_to_have_expired(const char *day)
{
	char *text = mem_printf("[check]\nquestion = Is it?\narea = x\nexpires = %s\n"
				"[metric x_count]\nvalue = 1\nclass = cause\nsource = x\n"
				"why = x\nhowever = x\n",
		day);
	struct str errors = STR_INIT;
	struct check *check = check_parse("test", text, strlen(text), &errors);
	bool said;

	if (!check)
		exit(1);
	said = check_lint(check, &errors) == 1 &&
		strstr(str_text(&errors), ":4: the check expired on") != NULL &&
		applies_has_expired(check);
	check_free(check);
	str_free(&errors);
	free(text);
	return said;
}

static void test_lint(void)
{
	ok(is_said_to_have_expired("2020-01-01"), "lint says that a check has expired, and where");
	ok(!is_said_to_have_expired("2100-01-01"), "and nothing before its day");
}

int main(void)
{
	machine_begin(1);
	machine_write(0, "/../environment",
		"kernel 6.1.55-1-amd64\ntime 1795219199\n"
		"package-sysstat 12.6.1-1\npackage-nothing -\n");
	test_versions();
	test_kernels();
	test_days();
	test_packages();
	test_refusals();
	test_lint();
	machine_end();
	return tap_done();
}
