/* SPDX-License-Identifier: GPL-2.0-only */
/* How are checks run beside a command? */
#include "base/banned.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_read.h"
#include "base/str.h"
#include "tools/span/holder.h"
#include "tools/span/meanwhile.h"

#define ANSWER_MS 5000
#define SUMMARY_MAX 300 /* bytes that are shown of a check's sentence */

/* What holds a build back on this machine. */
static int meanwhile_work(void *arg, int fd)
{
	static const char *const words[] = {"tuesday", "run", "-o", "json", "--no-trace",
		"--no-history", "--windows", "1", "--window", "2", "cpu", "memory", "disk", "cgcpu",
		"cgmem", "swap", "writeback", "fs", "freq", "thermal", NULL};
	const int nowhere = open("/dev/null", O_WRONLY);

	(void)arg;
	if (nowhere < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
		return 1;
	execv("/proc/self/exe", (char *const *)words);
	return 127;
}

static int64_t meanwhile_now(const struct meanwhile_checks *checks)
{
	return (int64_t)monotonic_ns() + checks->realtime_ns;
}

static void meanwhile_ask(struct meanwhile_checks *checks)
{
	checks->from_ns = meanwhile_now(checks);
	checks->runs = !child_start(&checks->child, meanwhile_work, NULL);
}

void meanwhile_start(struct meanwhile_checks *checks, int64_t realtime_ns)
{
	*checks = (struct meanwhile_checks){.realtime_ns = realtime_ns};
	meanwhile_ask(checks);
}

static char *meanwhile_text(const struct json_text *value)
{
	struct str text = STR_INIT;

	if (value->at)
		json_add_text(&text, value, SUMMARY_MAX);
	return str_take(&text);
}

/* Returns whether it is one. */
static bool meanwhile_check(
	struct json_scan *scan, struct meanwhile *said, int64_t from_ns, int64_t to_ns)
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
		return false;
	if (!json_is(&verdict, "bad") && !json_is(&verdict, "maybe"))
		return true;
	ARRAY_GROW(said->answers, said->n, said->room);
	said->answers[said->n++] = (struct meanwhile_answer){meanwhile_text(&name),
		meanwhile_text(&verdict), meanwhile_text(&summary), from_ns, to_ns};
	return true;
}

size_t meanwhile_read(
	struct meanwhile *said, const struct str *answer, int64_t from_ns, int64_t to_ns)
{
	struct json_scan scan;
	struct json_text key;
	size_t checks = 0;

	json_begin(&scan, str_text(answer), answer->len);
	if (!json_enter(&scan, '{'))
		return 0;
	while (json_member(&scan, &key)) {
		if (!json_is(&key, "checks") || !json_enter(&scan, '[')) {
			json_skip(&scan);
			continue;
		}
		while (json_element(&scan))
			checks += meanwhile_check(&scan, said, from_ns, to_ns);
	}
	if (checks > said->asked)
		said->asked = checks;
	return checks;
}

/* The exit status of a look is its verdict; what is no answer is not read as one. Returns whether
 * it was one. */
static bool meanwhile_collect(struct meanwhile_checks *checks, struct meanwhile *said)
{
	size_t answered;
	int status;

	child_collect(&checks->child, ANSWER_MS, NULL, NULL, &checks->answer, &status);
	checks->runs = false;
	answered = meanwhile_read(said, &checks->answer, checks->from_ns, meanwhile_now(checks));
	str_free(&checks->answer);
	return answered;
}

void meanwhile_look(struct meanwhile_checks *checks, struct meanwhile *said)
{
	struct pollfd there = {.fd = checks->child.fd, .events = POLLIN};
	char piece[4096];
	ssize_t got;

	while (checks->runs && poll(&there, 1, 0) > 0) {
		got = read(checks->child.fd, piece, sizeof(piece));
		if (got > 0) {
			str_addn(&checks->answer, piece, (size_t)got);
			continue;
		}
		/* One that cannot answer is not asked again. */
		if (meanwhile_collect(checks, said))
			meanwhile_ask(checks);
		return;
	}
}

void meanwhile_end(struct meanwhile_checks *checks, struct meanwhile *said)
{
	if (!checks->runs)
		return;
	child_tell(&checks->child);
	meanwhile_collect(checks, said);
}

static bool meanwhile_is_worse(const struct meanwhile_answer *one, uint64_t ns,
	const struct meanwhile_answer *other, uint64_t other_ns)
{
	const bool bad = !strcmp(one->verdict, "bad"), other_bad = !strcmp(other->verdict, "bad");

	return bad != other_bad ? bad : ns > other_ns;
}

static int meanwhile_order(const void *a, const void *b)
{
	const struct meanwhile_finding *left = a, *right = b;

	if (meanwhile_is_worse(left->worst, left->ns, right->worst, right->ns))
		return -1;
	if (meanwhile_is_worse(right->worst, right->ns, left->worst, left->ns))
		return 1;
	return strcmp(left->worst->check, right->worst->check);
}

static void meanwhile_add(
	struct meanwhile_findings *findings, const struct meanwhile_answer *answer, uint64_t ns)
{
	struct meanwhile_finding *one;
	size_t i;

	for (i = 0; i < findings->n; i++)
		if (!strcmp(findings->list[i].worst->check, answer->check))
			break;
	if (i == findings->n) {
		ARRAY_GROW(findings->list, findings->n, findings->room);
		findings->list[findings->n++] = (struct meanwhile_finding){answer, ns, 0};
	}
	one = &findings->list[i];
	one->ns += ns;
	if (meanwhile_is_worse(answer, ns, one->worst, one->worst_ns)) {
		one->worst = answer;
		one->worst_ns = ns;
	}
}

void meanwhile_find(struct meanwhile_findings *findings, const struct meanwhile *said,
	const struct span_holder *holder)
{
	size_t i;

	*findings = (struct meanwhile_findings){0};
	for (i = 0; i < said->n; i++) {
		const struct meanwhile_answer *answer = &said->answers[i];
		const uint64_t ns = holder
			? span_holder_overlap(holder, answer->from_ns, answer->to_ns)
			: (uint64_t)(answer->to_ns - answer->from_ns);

		if (ns)
			meanwhile_add(findings, answer, ns);
	}
	if (findings->n)
		qsort(findings->list, findings->n, sizeof(*findings->list), meanwhile_order);
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
