/* SPDX-License-Identifier: GPL-2.0-only */
/* How are checks run beside a command? */
#include "base/banned.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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

static char *meanwhile_text(const struct json_text *value)
{
	struct str text = STR_INIT;

	if (value->at)
		json_add_text(&text, value, SUMMARY_MAX);
	return str_take(&text);
}

static void meanwhile_check(struct json_scan *scan, struct meanwhile *said)
{
	struct json_text key, name = {0}, verdict = {0}, summary = {0};

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
	if (scan->err || !name.at || !verdict.at)
		return;
	said->asked++;
	if (!json_is(&verdict, "bad") && !json_is(&verdict, "maybe"))
		return;
	ARRAY_GROW(said->answers, said->n, said->room);
	said->answers[said->n++] = (struct meanwhile_answer){
		meanwhile_text(&name), meanwhile_text(&verdict), meanwhile_text(&summary)};
}

static void meanwhile_read(const struct str *answer, struct meanwhile *said)
{
	struct json_scan scan;
	struct json_text key;

	json_begin(&scan, str_text(answer), answer->len);
	if (!json_enter(&scan, '{'))
		return;
	while (json_member(&scan, &key)) {
		if (!json_is(&key, "checks") || !json_enter(&scan, '[')) {
			json_skip(&scan);
			continue;
		}
		while (json_element(&scan))
			meanwhile_check(&scan, said);
	}
}

void meanwhile_end(struct meanwhile_checks *checks, struct meanwhile *said)
{
	struct str answer = STR_INIT;
	int status;

	if (!checks->runs)
		return;
	checks->runs = false;
	child_tell(&checks->child);
	/* Its exit status is its verdict; what is no answer is not read as one. */
	child_collect(&checks->child, ANSWER_MS, NULL, NULL, &answer, &status);
	meanwhile_read(&answer, said);
	str_free(&answer);
}

void meanwhile_free(struct meanwhile *said)
{
	size_t i;

	for (i = 0; i < said->n; i++) {
		free(said->answers[i].check);
		free(said->answers[i].verdict);
		free(said->answers[i].summary);
	}
	free(said->answers);
	*said = (struct meanwhile){0};
}
