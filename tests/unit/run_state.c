/* SPDX-License-Identifier: GPL-2.0-only */
/* What is announced and when, what a person's words mean, and what counts as a change. */
#include "base/banned.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "stats/compare.h"
#include "run/cron.h"
#include "history/hysteresis.h"
#include "history/history.h"
#include "output/journald.h"
#include "history/retention.h"
#include "base/parsetime.h"
#include "history/announcements.h"
#include "history/mutes.h"
#include "base/sparkline.h"
#include "base/str.h"
#include "base/quoteword.h"
#include "tests/unit/random.h"
#include "tests/unit/tap.h"
#include "stats/random.h"
#include "stats/trend.h"
#include "history/trends.h"
#include "check/check.h"

static const struct hysteresis usual = {.rise_k = 2, .rise_n = 3, .fall_n = 3};

/* g m b u s, and a capital for an event. Returns what was announced, run by run, '.' for nothing.
 */
static const char *damped(const char *runs)
{
	static const char letters[] = "gmbus";
	static char said[64];
	struct run_state_check light = {.recent = UINT32_MAX};
	size_t i;

	for (i = 0; runs[i]; i++) {
		char lower = (char)(runs[i] | 32);
		enum verdict now = (enum verdict)(strchr(letters, lower) - letters);

		said[i] = hysteresis_step(&light, now, runs[i] != lower, &usual)
			? letters[light.announced]
			: '.';
	}
	said[i] = 0;
	return said;
}

static void announces(const char *sentence, const char *runs, const char *expected)
{
	const char *said = damped(runs);

	if (!ok(!strcmp(said, expected), "%s", sentence))
		printf("# %s gave %s, not %s\n", runs, said, expected);
}

static void test_damping(void)
{
	announces("good lights say nothing", "gggsggg", ".......");
	announces("what lasts is said once, and called off once", "ggbbbbggggg", "...b....g..");
	announces("what flickers once is not said", "gggmgggbggg", "...........");
	announces("what flickers all the time is said once", "gbgbgbgbgggg", "...b......g.");
	announces("an event is said at once", "ggBgggg", "..b..g.");
	announces("each event after it was called off", "Bggg.Bggg" + 5, "b..g");
	announces("it gets worse", "mmmbbbb", ".m..b..");
	announces("it is not called off step by step", "bbbbmggg", ".b.....g");
	announces("but better is said where it stays", "bbbbmmmm", ".b....m.");
	announces("what nobody can look at is said when it lasts", "gugugg", "...u..");
	announces("the first runs are too few to call anything off", "Bg", "b.");
}

static bool means(const char *text, const char *from, const char *to)
{
	time_t now = 1795272053, a, b; /* 2026-11-21 14:40:53 UTC */
	char buf[2][32];
	struct tm tm;

	if (parsetime(text, now, &a, &b))
		return !from;
	strftime(buf[0], sizeof(buf[0]), "%F %T", localtime_r(&a, &tm));
	strftime(buf[1], sizeof(buf[1]), "%F %T", localtime_r(&b, &tm));
	if (from && !strcmp(buf[0], from) && !strcmp(buf[1], to))
		return true;
	printf("# %s: %s to %s\n", text, buf[0], buf[1]);
	return false;
}

static void test_moments(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
	ok(means("14:30", "2026-11-21 14:30:00", "2026-11-21 14:30:59"), "a time of today");
	ok(means("14:50", "2026-11-20 14:50:00", "2026-11-20 14:50:59"),
		"one that is not yet is yesterday's");
	ok(means("2026-11-20", "2026-11-20 00:00:00", "2026-11-20 23:59:59"), "a day");
	ok(means("2026-11-20 03:04:05", "2026-11-20 03:04:05", "2026-11-20 03:04:05") &&
			means("2026-11-20T03:04", "2026-11-20 03:04:00", "2026-11-20 03:04:59"),
		"a moment");
	ok(means("yesterday", "2026-11-20 00:00:00", "2026-11-20 23:59:59") &&
			means("2h", "2026-11-21 12:40:53", "2026-11-21 14:40:53") &&
			means("90m", "2026-11-21 13:10:53", "2026-11-21 14:40:53") &&
			means("7d", "2026-11-14 14:40:53", "2026-11-21 14:40:53"),
		"what people say");
	ok(means("", NULL, NULL) && means("12", NULL, NULL) && means("25:00", NULL, NULL) &&
			means("2026-11-31", NULL, NULL) && means("2026-02-30", NULL, NULL) &&
			means("14:30x", NULL, NULL) && means("1e99d", NULL, NULL) &&
			means("-2h", NULL, NULL) && means("50%", NULL, NULL) &&
			means("tomorrow", NULL, NULL) && means("64k", NULL, NULL),
		"all else means no time");
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	ok(means("2026-10-25", "2026-10-25 00:00:00", "2026-10-25 23:59:59"),
		"a day of 25 hours is a day");
	setenv("TZ", "UTC", 1);
	tzset();
}

static bool settings_are(const char *text, int err, double days, int digest)
{
	struct retention retention = retention_default();
	struct str errors = STR_INIT;
	bool as = retention_parse(&retention, "history.ini", text, strlen(text), &errors) == err &&
		(errors.len > 0) == (err != 0) &&
		fabs(retention.keep_seconds / 86400 - days) < 1e-9 &&
		retention.digest_minute == digest;

	str_free(&errors);
	return as;
}

static void test_settings(void)
{
	ok(settings_are("", 0, 90, 480), "an empty file leaves everything as it is");
	ok(settings_are("[history]\ndays = 7\n[cron]\ndigest = no\n", 0, 7, -1), "keys are taken");
	ok(settings_are("[history]\ndays = 7\nsiez = 1M\n", -EINVAL, 7, 480) &&
			settings_are("[histroy]\ndays = 7\n", -EINVAL, 90, 480) &&
			settings_are("[history]\ndays = 0\n", -EINVAL, 90, 480) &&
			settings_are("[history]\nsize = 1k\n", -EINVAL, 90, 480) &&
			settings_are("[cron]\nrise = 3/2\n", -EINVAL, 90, 480) &&
			settings_are("[cron]\nrise = 2/9\n", -EINVAL, 90, 480) &&
			settings_are("[cron]\ndigest = 24:00\n", -EINVAL, 90, 480),
		"what is wrong is said, and not taken");
}

static void test_mutes(void)
{
	const char good[] = "tuesday-mutes 1\ndisk 10 20 al%20ice a%0Areason\n";
	struct mutes mutes;

	ok(!mutes_parse(&mutes, good, strlen(good)) && mutes.n == 1 &&
			!strcmp(mutes.list[0].by, "al ice") &&
			!strcmp(mutes.list[0].reason, "a\nreason") && mutes.list[0].until == 20,
		"a mute is read");
	mutes_set(&mutes, "disk", "other", "bob", 1, 2);
	ok(mutes.n == 1 && mutes_remove(&mutes, "disk") && !mutes_remove(&mutes, "disk"),
		"a check has one mute");
	mutes_free(&mutes);
	ok(mutes_parse(&mutes, good, strlen(good) - 1) &&
			mutes_parse(&mutes, "tuesday-mutes 1\ndisk 10 20 a\n", 29) &&
			mutes_parse(&mutes, "", 0) && mutes_parse(&mutes, "x\n", 2),
		"a damaged list is none");
}

static void test_announcements(void)
{
	const char good[] = "tuesday-announced 1\n10 20 al%20ice a%0Arollout\n";
	struct announcements list;
	size_t i;

	ok(!announcements_parse(&list, good, strlen(good)) && list.n == 1 &&
			!strcmp(list.list[0].by, "al ice") &&
			!strcmp(list.list[0].what, "a\nrollout"),
		"an announcement is read");
	ok(announcements_in_force(&list, 10) == 1 && announcements_in_force(&list, 19) == 1 &&
			!announcements_in_force(&list, 20) && !announcements_in_force(&list, 9),
		"it ends by itself");
	for (i = 0; i < ANNOUNCEMENTS_IN_FORCE_MAX && !announcements_add(&list, "x", "bob", 30, 40);
		i++)
		;
	ok(i == ANNOUNCEMENTS_IN_FORCE_MAX && announcements_add(&list, "x", "bob", 30, 40) &&
			!announcements_add(&list, "x", "bob", 40, 50),
		"so many are in force at once, and what is over makes room");
	announcements_free(&list);
	ok(announcements_parse(&list, good, strlen(good) - 1) &&
			announcements_parse(&list, "tuesday-announced 1\n10 20 a\n", 28) &&
			announcements_parse(&list, "", 0) && announcements_parse(&list, "x\n", 2),
		"a damaged list is none");
}

static void test_words(void)
{
	struct str line = STR_INIT;
	char all[256], *words[3];
	int i;

	for (i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	all[255] = 0;
	quoteword_add(&line, all);
	quoteword_add(&line, "");
	ok(quoteword_split(line.text, words, 3) == 3 && quoteword_undo(words[1]) &&
			!strcmp(words[1], all) && quoteword_undo(words[2]) && !*words[2],
		"any word comes back");
	str_free(&line);
}

/* A journal of our own, which gets what is told. */
static void test_socket(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct check check = {.name = (char *)"disk"};
	struct culprit culprit = {.kind = "process", .name = "evil\nMESSAGE_ID=0\033[31m"};
	struct check_result result = {.check = &check,
		.verdict = VERDICT_BAD,
		.summary = (char *)"evil\nPRIORITY=0 \033[31m",
		.culprits = &culprit,
		.n_culprits = 1};
	struct report report = {.id = "0123456789abcdef0123456789abcdef"};
	char got[8192] = "";
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	ssize_t len;

	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/tuesday-test-%d", getpid());
	unlink(address.sun_path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		perror("# bind");
	setenv("TUESDAY_JOURNAL_SOCKET", address.sun_path, 1);
	journald_tell(&report, &result, VERDICT_BAD, VERDICT_GOOD);
	len = recv(fd, got, sizeof(got) - 1, MSG_DONTWAIT);
	ok(len > 0 && strstr(got, "MESSAGE_ID=" JOURNALD_ID_BAD "\nPRIORITY=4\n") &&
			strstr(got,
				"TUESDAY_CHECK=disk\nTUESDAY_STATE=bad\n"
				"TUESDAY_OLD_STATE=good\nTUESDAY_CULPRIT\n") &&
			memmem(got, (size_t)len,
				"TUESDAY_REPORT_ID=0123456789abcdef0123456789abcdef\n", 51),
		"the journal gets an entry");
	ok(str_starts(got, "MESSAGE=disk is bad: evil\\x0aPRIORITY=0 \\x1b[31m\nMESSAGE_ID="),
		"whose message is harmless");
	check.name = (char *)"(file a\nPRIORITY=0 \033[31m)";
	journald_tell(&report, &result, VERDICT_UNKNOWN, VERDICT_GOOD);
	len = recv(fd, got, sizeof(got) - 1, MSG_DONTWAIT);
	ok(len > 0 && str_starts(got, "MESSAGE=(file a\\x0aPRIORITY=0 \\x1b[31m) is unknown: evil"),
		"also of a file with an evil name");
	close(fd);
	unlink(address.sun_path);
}

static void test_journal(void)
{
	struct str out = STR_INIT;
	uint64_t len;

	journald_field(&out, "A", "b");
	ok(!strcmp(str_text(&out), "A=b\n"), "a field is a line");
	str_clear(&out);
	journald_field(&out, "A", "b\nMESSAGE=forged");
	memcpy(&len, out.text + 2, sizeof(len));
	ok(out.len == 2 + 8 + 16 + 1 && str_starts(out.text, "A\n") && le64toh(len) == 16 &&
			!memcmp(out.text + 10, "b\nMESSAGE=forged\n", 17),
		"a value with a line break can forge no other field");
	str_clear(&out);
	journald_field(&out, "A", "");
	ok(!out.len, "what is not known is left out");
	str_free(&out);
	test_socket();
	ok(cron_splay("a", 300) >= 0 && cron_splay("a", 300) < 300 &&
			fabs(cron_splay("a", 300) - cron_splay("a", 300)) < 1e-12 &&
			fabs(cron_splay("web1", 300) - cron_splay("web2", 300)) > 1,
		"a machine waits always as long, and its neighbour otherwise");
}

static void test_trend(void)
{
	struct stats_random random;
	struct stats_trend trend;
	struct forecast forecast;
	double times[168], values[168];
	size_t i, covered = 0, sloped = 0, round;

	for (i = 0; i < 168; i++) {
		times[i] = (double)i * 3600;
		values[i] = 0.5 + 0.001 * (double)i;
	}
	forecast = history_forecast(times, values, 168, times[167], 1, true);
	ok(forecast.known && fabs(forecast.seconds / 3600 - 333) < 1,
		"a straight line is full when it says (%.1f h)", forecast.seconds / 3600);
	ok(!history_forecast(times, values, 168, times[167], 0.2, false).known,
		"what moves away from its limit never reaches it");
	ok(!history_forecast(times, values, 10, times[9], 1, true).known, "ten hours are no trend");
	stats_random_seed(&random, 5);
	for (round = 0; round < 400; round++) {
		double noise = 0, flat[168];

		for (i = 0; i < 168; i++) {
			noise = 0.8 * noise + 0.01 * random_normal(&random);
			flat[i] = 0.5 + noise;
			values[i] = flat[i] + 0.001 * (double)i;
		}
		if (!stats_trend(times, values, 168, 0.95, &trend) && trend.have_interval)
			covered += trend.interval.low <= 0.001 / 3600 &&
				trend.interval.high >= 0.001 / 3600;
		if (!stats_trend(times, flat, 168, 0.95, &trend) && trend.have_interval)
			sloped += trend.interval.low > 0 || trend.interval.high < 0;
	}
	ok(covered >= 360, "values that follow each other: the interval covers (%zu of 400)",
		covered);
	ok(sloped <= 40, "and finds no trend where there is none (%zu of 400)", sloped);
}

/* One-in-five noise that follows itself, as load does. */
static void make_noise(struct stats_random *random, double *values, size_t n, double level)
{
	double noise = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		noise = 0.7 * noise + 0.2 * random_normal(random);
		values[i] = level * exp(noise);
	}
}

static void test_compared(void)
{
	enum { N = 144, METRICS = 40, ROUNDS = 60 };
	struct stats_random random;
	struct compared all[METRICS], *list[METRICS];
	double a[N], b[N];
	size_t round, i, wrong = 0, found = 0;

	stats_random_seed(&random, 11);
	for (round = 0; round < ROUNDS; round++) {
		bool any = false;

		for (i = 0; i < METRICS; i++) {
			make_noise(&random, a, N, 5);
			make_noise(&random, b, N, i ? 5 : 15);
			compared_values(a, N, b, N, &all[i]);
			list[i] = &all[i];
		}
		compared_adjust(list, METRICS);
		found += compared_changed(&all[0]) && all[0].low < 3 && all[0].high > 3;
		for (i = 1; i < METRICS; i++)
			any |= compared_changed(&all[i]);
		wrong += any;
	}
	ok(found >= 54, "three times as much is found among 40 numbers (%zu of 60)", found);
	ok(wrong <= 9, "and nothing where nothing changed (%zu of 60)", wrong);
	for (i = 0; i < N; i++) {
		a[i] = 0;
		b[i] = i % 3 == 0;
	}
	ok(!compared_shares(a, N, b, N, &all[0]) && all[0].tested && all[0].p < 1e-6 &&
			fabs(all[0].effect - 1.0 / 3) < 0.01,
		"a light that is accused in every third run has changed");
	a[3] = NAN;
	ok(compared_values(a, N, b, N, &all[0]) == -EINVAL && !all[0].tested &&
			!compared_values(b, 3, b, 3, &all[0]) && !all[0].tested &&
			!compared_changed(&all[0]),
		"too few and no numbers are no change");
}

static void test_spark(void)
{
	const double values[] = {0, NAN, 1, 0.5};
	struct str out = STR_INIT;

	spark_add(&out, values, 4, false);
	ok(!strcmp(str_text(&out), "_ #="), "a line is drawn");
	str_free(&out);
}

int main(void)
{
	test_damping();
	test_moments();
	test_settings();
	test_mutes();
	test_announcements();
	test_words();
	test_journal();
	test_trend();
	test_compared();
	test_spark();
	return tap_done();
}
