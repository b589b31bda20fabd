/* SPDX-License-Identifier: GPL-2.0-only */
/* How are checks run beside a command? */
#include "base/banned.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json_read.h"
#include "base/str.h"
#include "tools/span/meanwhile.h"

#define ANSWER_MS 5000
#define SUMMARY_MAX 300 /* bytes that are shown of a check's sentence */

/* What holds a build back on this machine. */
static int meanwhile_work(void *arg, int fd)
{
	static const char *const words[] = {"tuesday", "run", "-o", "json", "--no-trace",
		"--no-history", "--windows", "1000", "--window", "2", "cpu", "memory", "disk",
		"cgcpu", "cgmem", "swap", "writeback", "fs", "freq", "thermal", NULL};
	const int nowhere = open("/dev/null", O_WRONLY);

	(void)arg;
	if (nowhere < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
		return 1;
	execv("/proc/self/exe", (char *const *)words);
	return 127;
}

void meanwhile_start(struct meanwhile_checks *checks)
{
	checks->runs = !child_start(&checks->child, meanwhile_work, NULL);
}

/* One check. Returns whether something was said of it. */
static bool meanwhile_check(struct json_scan *scan, struct str *out)
{
	struct json_text key, name = {0}, verdict = {0}, summary = {0};
	struct str text = STR_INIT;

	json_enter(scan, '{');
	while (json_member(scan, &key)) {
		if (json_is(&key, "check"))
			json_text(scan, &name);
		else if (json_is(&key, "verdict"))
			json_text(scan, &verdict);
		else if (json_is(&key, "summary"))
			json_text(scan, &summary);
		else
			json_skip(scan);
	}
	if (!name.at || !verdict.at || !(json_is(&verdict, "bad") || json_is(&verdict, "maybe")))
		return false;
	str_add(&text, "Meanwhile: ");
	json_add_text(&text, &name, SUMMARY_MAX);
	str_addc(&text, ' ');
	json_add_text(&text, &verdict, SUMMARY_MAX);
	str_add(&text, ": ");
	if (summary.at)
		json_add_text(&text, &summary, SUMMARY_MAX);
	escape_terminal(out, str_text(&text));
	str_addc(out, '\n');
	str_free(&text);
	return true;
}

static void meanwhile_tell(const struct str *answer, struct str *out)
{
	struct json_scan scan;
	struct json_text key;
	size_t told = 0, n = 0;

	json_begin(&scan, str_text(answer), answer->len);
	if (!json_enter(&scan, '{'))
		return;
	while (json_member(&scan, &key)) {
		if (!json_is(&key, "checks") || !json_enter(&scan, '[')) {
			json_skip(&scan);
			continue;
		}
		for (; json_element(&scan); n++)
			told += meanwhile_check(&scan, out);
	}
	if (n && !told)
		str_addf(out, "Meanwhile: none of %zu checks of this machine was maybe or bad.\n",
			n);
}

void meanwhile_end(struct meanwhile_checks *checks, struct str *out)
{
	struct str answer = STR_INIT;
	int status;

	if (!checks->runs)
		return;
	checks->runs = false;
	child_tell(&checks->child);
	/* Its exit status is its verdict; what is no answer is not read as one. */
	child_collect(&checks->child, ANSWER_MS, NULL, NULL, &answer, &status);
	meanwhile_tell(&answer, out);
	str_free(&answer);
}
