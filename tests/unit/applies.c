/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a check run on the kernels and packages that it is about, until its day, and nowhere else? */
#include "base/banned.h"

#include <fcntl.h>
#include <unistd.h>

#include "check/applies.h"
#include "check/check.h"
#include "check/lint.h"
#include "check/package_list.h"
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

/* Whether the check with these keys is judged on the machine that was written; *why not, and
 * whether that is *unknown. A bar stands for the end of a line. */
static bool applies_or_unknown(const char *keys, char **why, bool *unknown)
{
	char *text = mem_printf("[check]\nquestion = Is it?\narea = x\n%s\n[metric x_count]\n"
				"value = 1\nclass = cause\nsource = x\n",
		keys);
	char *bar = strchr(text, '|');
	struct str errors = STR_INIT;
	struct check *check;
	struct capture *fs = NULL;
	uint64_t now_ns;
	bool skipped;

	if (bar)
		*bar = '\n';
	check = check_parse("test", text, strlen(text), &errors);
	if (!check || capture_open_replay(&fs, machine_dir) || capture_next_sample(fs, &now_ns)) {
		printf("Bail out! %s\n", str_text(&errors));
		exit(1);
	}
	*why = judge_why_skipped(check, fs, unknown);
	skipped = *why != NULL;
	if (!skipped)
		*why = mem_strdup("");
	check_free(check);
	capture_close(fs);
	str_free(&errors);
	free(text);
	return !skipped;
}

static bool applies(const char *keys, char **why)
{
	bool unknown, is = applies_or_unknown(keys, why, &unknown);

	return is && !unknown;
}

static void is_unknown(const char *keys, const char *phrase)
{
	char *why = NULL;
	bool unknown, got = applies_or_unknown(keys, &why, &unknown);

	ok(!got && unknown && strstr(why, phrase), "'%s' is unknown, since %s", keys, phrase);
	free(why);
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

/* Of several that run each counts by itself, and one whose version is not known is not away. */
static void test_running(void)
{
	runs("package = puma < 7|program = puma", true);
	runs("package = puma >= 7, puma < 8|program = puma", true);
	runs("package = puma >= 6, puma < 7|program = puma", false);
	says("package = puma < 5|program = puma", "puma is of versions 5.6.5, 7.1.0, not < 5");
	is_unknown("package = half < 5|program = half",
		"half runs (pid 812), and which version it is cannot be told");
	runs("package = half >= 7|program = half", true);
	says("package = closed|program = closed", "cannot be read here");
	says("package = nothing|program = nothing",
		"nothing is not installed as a package, and none runs");
}

/* What lists below a directory have of a package, with blanks between the versions. */
static const char *listed(const char *name, bool *read, bool *closed)
{
	struct package_versions found = {0};
	char *path = mem_printf("%s/0", machine_dir);
	int root = open(path, O_PATH | O_DIRECTORY);
	static struct str text;
	size_t i;

	str_clear(&text);
	package_list_look(root, name, &found);
	package_list_look_for_gem(root, name, &found);
	for (i = 0; i < found.n; i++)
		str_addf(&text, "%s%s", i ? " " : "", found.list[i]);
	*read = found.listed;
	*closed = found.closed;
	package_versions_free(&found);
	close(root);
	free(path);
	return str_text(&text);
}

static void lists_as(const char *name, const char *versions, bool read, bool closed)
{
	bool was_read, was_closed;

	ok(!strcmp(listed(name, &was_read, &was_closed), versions) && was_read == read &&
			was_closed == closed,
		"%s is listed as '%s'%s", name, versions,
		closed ? ", and there is a list of rpm" : "");
}

static void test_lists(void)
{
	char *link = mem_printf("%s/0/lib/apk/db/installed", machine_dir);
	struct str many = STR_INIT;
	size_t i;

	lists_as("puma", "", false, false);
	machine_write(0, "/var/lib/rpm/rpmdb.sqlite", "SQLite format 3");
	lists_as("puma", "", false, true);
	machine_write(0, "/usr/local/bundle/specifications/puma-7.1.0.gemspec", "");
	machine_write(0, "/usr/local/bundle/specifications/puma-worker-1.0.gemspec", "");
	machine_write(0, "/usr/local/bundle/specifications/puma-$(x).gemspec", "");
	machine_write(0, "/usr/local/bundle/specifications/puma-6.gemspecs", "");
	machine_write(0, "/var/lib/gems/3.1.0/specifications/puma-8.0.2.gemspec", "");
	machine_write(0, "/vendor/bundle/ruby/3.3.0/specifications/puma-8.0.2.gemspec", "");
	lists_as("puma", "8.0.2 7.1.0", false, true);
	machine_write(0, "/lib/apk/db/installed",
		"C:Q1=\nP:musl\nV:1.2.5-r0\nA:x86_64\n\nC:Q1=\nP:ruby-rake\nV:13\n\nC:Q1=\nP:ruby\n"
		"V:3.3.8-r0\nF:usr\n\n");
	lists_as("musl", "1.2.5-r0", true, false);
	lists_as("ruby", "3.3.8-r0", true, false);
	lists_as("rub", "", true, false);
	for (i = 0; i < 3000; i++)
		str_addf(&many, "Package: filler%zu\nStatus: install ok installed\nVersion: 1\n\n",
			i);
	str_add(&many,
		"Package: gone\nStatus: deinstall ok config-files\nVersion: 2\n\n"
		"Package: last\nStatus: install ok installed\nVersion: 1:2.3-4+b1\n");
	machine_write(0, "/var/lib/dpkg/status", str_text(&many));
	machine_write(0, "/var/lib/dpkg/info/last.list", "/\n");
	machine_write(0, "/var/lib/dpkg/info/gone:amd64.list", "/\n");
	lists_as("last", "1:2.3-4+b1", true, false);
	lists_as("gone", "", true, false);
	unlink(link);
	ok(!symlink("../../../../../../../../etc/passwd", link) &&
			!strcmp(listed("root", &(bool){false}, &(bool){false}), ""),
		"no link of somebody else's root is followed");
	unlink(link);
	free(link);
	str_free(&many);
}

static void test_rpm(void)
{
	char version[64] = "";

	ok(package_list_take_rpm("12.7.4-1.fc40\n", 14, version, sizeof(version)) &&
			!strcmp(version, "12.7.4-1.fc40"),
		"what rpm says is the version");
	ok(package_list_take_rpm("5.14-1\n6.1-2\n", 13, version, sizeof(version)) &&
			!strcmp(version, "6.1-2"),
		"of several the last");
	ok(!package_list_take_rpm("package x is not installed\n", 27, version, sizeof(version)) &&
			!package_list_take_rpm("1.0 $(x)\n", 9, version, sizeof(version)) &&
			!package_list_take_rpm("", 0, version, sizeof(version)),
		"and what is none is none");
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
		"package-sysstat 12.6.1-1\npackage-nothing -\n"
		"package-puma 5.6.5 7.1.0\npackage-half 7.1.0 ?812\npackage-closed ?\n");
	test_versions();
	test_kernels();
	test_days();
	test_packages();
	test_running();
	test_lists();
	test_rpm();
	test_refusals();
	test_lint();
	machine_end();
	return tap_done();
}
