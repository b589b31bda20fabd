/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A month of runs every five minutes on a machine that is made up, with faults at times that are
 * known: is every one of them told once, none between two runs missed, and nothing told on days
 * without any? With reboots, a clock that is set back, the end of summer time, and files that get
 * damaged. Built optimised, for the time that 9000 runs take.
 */
#include "base/banned.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "history/history.h"
#include "run/options.h"
#include "run/run.h"
#include "base/str.h"
#include "tests/unit/random.h"
#include "tests/unit/tap.h"
#include "stats/random.h"
#include "history/query.h"

#define STEP 300
/* Under a sanitizer, which is slow, only its first days. */
#ifdef __SANITIZE_ADDRESS__
#define DAYS 3
#else
#define DAYS 31
#endif
#define RUNS (DAYS * 86400 / STEP)
#define EVENTS 40
#define EPISODES 24
#define DAY 86400
#define START 1790805600 /* 2026-10-01 00:00 in Berlin: summer time ends on the 25th */

/* What happens, in the seconds of the machine. */
struct fault {
	double from, to;
};

/* The machine: counters as they stand at a time, made from the faults. */
static struct fault events[EVENTS], episodes[EPISODES], blips[EPISODES];
static double boots[] = {6.3 * DAY, 14.7 * DAY, 21.1 * DAY};
static const struct fault filling = {17 * DAY, 19 * DAY}; /* to 99 %, then emptied */
static const struct fault long_one = {26.2 * DAY, 27.4 * DAY};
static const double set_back = 11.5 * DAY; /* the clock, by an hour, for good */
static char work[64];

struct seen {
	unsigned int bad[5], good[5], maybe[5], still, digests, runs_with_news, unexpected;
	unsigned int mail_days;
};

static const char *const names[] = {"events", "harm", "room", "disk"};
enum { CHECK_EVENTS, CHECK_HARM, CHECK_ROOM, CHECK_DISK, CHECKS };

static void write_file(const char *path, const char *text)
{
	char *full = mem_printf("%s/%s", work, path), *slash;
	FILE *file;

	for (slash = full + strlen(work) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	if (!file || fputs(text, file) < 0 || fclose(file)) {
		printf("Bail out! %s: %s\n", full, strerror(errno));
		exit(1);
	}
	free(full);
}

static void write_checks(void)
{
	write_file("checks/events.ini",
		"[check]\nquestion = Were there any?\narea = memory\n[metric killed_count]\n"
		"value = delta(vmstat:oom_kill)\nclass = error\nbad = > 0\nsource = a book\n"
		"say = {value} kills\nwhy = w\nhowever = h\n");
	write_file("checks/harm.ini",
		"[check]\nquestion = Does it wait?\narea = cpu\n[metric waited_ratio]\n"
		"value = rate(vmstat:wait_us) * 1us\nclass = harm\nmaybe = > 10%\nbad = > 30%\n"
		"acquit = < 8%\nsource = a book\nsay = waits {value}\nwhy = w\nhowever = h\n");
	write_file("checks/room.ini",
		"[check]\nquestion = Is there room?\narea = fs\n[metric used_ratio]\n"
		"value = vmstat:used / vmstat:size\nclass = limit\nmaybe = > 80%\nbad = > 95%\n"
		"source = a book\nsay = {value} used\nwhy = w\nhowever = h\n");
	/* A name that would forge lines and colours, if it could. */
	write_file("checks/disk.ini",
		"[check]\nquestion = Does it err?\narea = disk\n[metric new_error_count]\n"
		"value = delta(/sys/block/*/errors)\nclass = error\nbad = > 0\nsource = a book\n"
		"say = {instance} had {value} errors\nwhy = w\nhowever = h\n");
}

/* How much of a fault has passed by a time. */
static double passed(const struct fault *fault, double at)
{
	return at <= fault->from ? 0 : (at < fault->to ? at : fault->to) - fault->from;
}

static double boot_before(double at)
{
	double boot = -DAY;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(boots); i++)
		if (boots[i] <= at)
			boot = boots[i];
	return boot;
}

/* Since the boot, as counters are. */
static double events_by(double at, bool odd)
{
	double boot = boot_before(at), n = 0;
	size_t i;

	for (i = 0; i < EVENTS; i++)
		if (i % 2 == odd && events[i].from <= at && events[i].from > boot)
			n++;
	return n;
}

static double waited_by(double at)
{
	double boot = boot_before(at), seconds = (at - boot) * 0.02 + fmod(at, 7) * 0.01;
	size_t i;

	for (i = 0; i < EPISODES; i++) {
		seconds += 0.6 * (passed(&episodes[i], at) - passed(&episodes[i], boot));
		seconds += 0.6 * (passed(&blips[i], at) - passed(&blips[i], boot));
	}
	seconds += 0.6 * (passed(&long_one, at) - passed(&long_one, boot));
	return seconds;
}

static double used_at(double at)
{
	if (at < filling.from || at > filling.to)
		return 0.3;
	return 0.3 + 0.69 * fmin(1, 1.05 * passed(&filling, at) / (filling.to - filling.from));
}

static void write_sample(int sample, double at)
{
	char *text = mem_printf("recording/%d/time", sample), *line;
	double boot = boot_before(at);

	line = mem_printf("%.0f\n", (at - boot) * 1e9);
	write_file(text, line);
	free(text);
	free(line);
	text = mem_printf("recording/%d/proc/vmstat", sample);
	line = mem_printf("oom_kill %.0f\nwait_us %.0f\nused %.0f\nsize 1000000\n",
		events_by(at, false), waited_by(at) * 1e6, used_at(at) * 1e6);
	write_file(text, line);
	free(text);
	free(line);
	text = mem_printf("recording/%d/sys/block/e\033[31m\nbad all/errors", sample);
	line = mem_printf("%.0f\n", events_by(at, true));
	write_file(text, line);
	free(text);
	free(line);
	text = mem_printf("recording/%d/proc/sys/kernel/random/boot_id", sample);
	line = mem_printf("boot-%.0f\n", boot);
	write_file(text, line);
	free(text);
	free(line);
}

static time_t wall_at(double at)
{
	return (time_t)(START + at - (at >= set_back ? 3600 : 0));
}

/* Runs once and returns all that it printed. The caller frees. */
static char *run_once(double at)
{
	static char *operands[CHECKS + 1];
	static const char *dirs[1];
	struct options options = {
		.format = "text",
		.root = "/",
		.windows = 1,
		.window_seconds = 1,
		.cron = true,
		.continues = "cron",
		.dirs = dirs,
		.n_dirs = 1,
		.names = operands,
		.n_names = CHECKS,
	};
	char *recording = mem_printf("%s/recording", work), *state = mem_printf("%s/state", work);
	char *checks = mem_printf("%s/checks", work), *printed = mem_printf("%s/printed", work);
	char *environment =
		mem_printf("host web7\nkernel 6.1.0\ncpus 4\ntime %lld\n", (long long)wall_at(at));
	struct str out = STR_INIT;
	int saved[2], i, c;
	FILE *file;

	for (i = 0; i < CHECKS; i++)
		operands[i] = (char *)names[i];
	dirs[0] = checks;
	options.replay = recording;
	options.state = state;
	write_file("recording/environment", environment);
	write_sample(0, at);
	write_sample(1, at + 10);
	file = fopen(printed, "w+");
	fflush(stdout);
	for (i = 0; i < 2; i++) {
		saved[i] = dup(i + 1);
		dup2(fileno(file), i + 1);
	}
	run_named("tuesday", &options, NULL);
	fflush(stdout);
	for (i = 0; i < 2; i++) {
		dup2(saved[i], i + 1);
		close(saved[i]);
	}
	rewind(file);
	while ((c = getc(file)) != EOF)
		str_addc(&out, (char)c);
	fclose(file);
	free(recording);
	free(state);
	free(checks);
	free(printed);
	free(environment);
	return str_take(&out);
}

static void note_line(struct seen *seen, const char *line)
{
	char verdict[16], check[32];
	size_t i;

	if (strstr(line, "digest: ")) {
		seen->digests++;
		return;
	}
	if (sscanf(line, "  %15s %31s", verdict, check) != 2)
		return;
	if (strstr(line, "  still, for")) {
		seen->still++;
		return;
	}
	for (i = 0; i < CHECKS; i++) {
		if (strcmp(check, names[i]) != 0)
			continue;
		seen->bad[i] += !strcmp(verdict, "bad");
		seen->maybe[i] += !strcmp(verdict, "maybe");
		seen->good[i] += !strcmp(verdict, "good");
	}
}

/* The lines of what is new, which end at the first empty one after the head. */
static void note(struct seen *seen, char *text, double at)
{
	char *line = text, *end;
	bool head = true;

	if (!*text)
		return;
	seen->runs_with_news++;
	if (!str_starts(text, "Tuesday on web7: ")) {
		printf("# at %.4f days: %s", at / DAY, text);
		seen->unexpected++;
		return;
	}
	if (strpbrk(text, "\033"))
		seen->unexpected++;
	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		if (!*line && !head)
			return;
		if (str_starts(line, "  "))
			head = false;
		note_line(seen, line);
	}
}

/* Places for faults, apart from each other so that each is one of its own. */
static void make_faults(void)
{
	struct stats_random random;
	double slot = 31.0 * DAY / EVENTS;
	size_t i;

	stats_random_seed(&random, 7);
	/* Some in the middle of a run, most between two; none in the hours of a reboot, which takes
	 * what was counted just before with it. */
	for (i = 0; i < EVENTS; i++) {
		events[i].from =
			slot * (double)i + 3600 + random_uniform(&random) * (slot - 3 * 3600);
		if (fabs(events[i].from - boot_before(events[i].from + 1800)) < 3600)
			events[i].from += 7200;
	}
	slot = 24.0 * DAY / EPISODES;
	for (i = 0; i < EPISODES; i++) {
		double at = slot * (double)i + 2 * 3600;

		episodes[i].from = at + random_uniform(&random) * 3600;
		episodes[i].to = episodes[i].from + 1800 + random_uniform(&random) * 1800;
		/* A minute between two runs: more than 10 % of five. */
		at = floor((at + 8 * 3600) / STEP) * STEP;
		blips[i].from = at + 60;
		blips[i].to = at + 120;
	}
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static off_t size_of(const char *name)
{
	char *path = mem_printf("%s/state/%s", work, name);
	struct stat st = {0};

	stat(path, &st);
	free(path);
	return st.st_size;
}

/* Something else wrote into the files; the next run says so, once, and goes on. */
static void damage(const char *name)
{
	char *path = mem_printf("%s/state/%s", work, name);
	FILE *file = fopen(path, "r+");

	if (file) {
		fputs("this is not what was written here", file);
		fclose(file);
	}
	free(path);
}

static void count_run_time(void *arg, time_t time)
{
	time_t *oldest = arg;

	if (!*oldest || time < *oldest)
		*oldest = time;
}

static int note_oldest(void *arg, const struct history_run *run)
{
	count_run_time(arg, run->time);
	return 0;
}

static void check_history(off_t largest)
{
	struct history *history;
	char *state = mem_printf("%s/state", work);
	time_t end = wall_at((double)RUNS * STEP), oldest = 0;
	int err = history_open(&history, state, HISTORY_READ);

	free(state);
	if (!ok(!err, "the history can be read after all that"))
		return;
	history_each_run(history, 0, end, note_oldest, &oldest);
	ok(largest <= 1 << 20, "the history never took more than it may (%lld bytes at most)",
		(long long)largest);
	ok(end - oldest <= 8 * DAY + 3600 && end - oldest > DAY,
		"it holds no run from before its time (%.1f days)", difftime(end, oldest) / DAY);
	history_close(history);
}

/* Those that are over, and called off, before the last run. */
static unsigned int count(const struct fault *faults, size_t n, size_t first, size_t step)
{
	unsigned int within = 0;
	size_t i;

	for (i = first; i < n; i += step)
		within += fmax(faults[i].from, faults[i].to) + 3600 < (double)DAYS * DAY;
	return within;
}

static void judge(const struct seen *seen)
{
	unsigned int kills = count(events, EVENTS, 0, 2), errors = count(events, EVENTS, 1, 2);
	unsigned int harms = count(episodes, EPISODES, 0, 1) + count(&long_one, 1, 0, 1);
	unsigned int fills = count(&filling, 1, 0, 1);
	size_t i;

	for (i = 0; i < CHECKS; i++)
		printf("# %s: %u bad, %u maybe, %u good\n", names[i], seen->bad[i], seen->maybe[i],
			seen->good[i]);
	ok(seen->bad[CHECK_EVENTS] == kills && seen->bad[CHECK_DISK] == errors,
		"each event is told once, wherever between two runs it was");
	ok(seen->good[CHECK_EVENTS] == kills && seen->good[CHECK_DISK] == errors,
		"and called off once");
	ok(seen->bad[CHECK_HARM] == harms && seen->good[CHECK_HARM] == harms,
		"each half hour of harm is told once and called off once");
	ok(!seen->maybe[CHECK_HARM], "a minute of it between two runs wakes nobody");
	ok(seen->maybe[CHECK_ROOM] == fills && seen->bad[CHECK_ROOM] == fills &&
			seen->good[CHECK_ROOM] == fills,
		"what fills up is told when it is nearly full and when it is");
	ok(seen->still == count(&long_one, 1, 0, 1),
		"what stays bad is told again after 12 hours (%u)", seen->still);
	ok(seen->unexpected == (DAYS > 24),
		"nothing else is said, but of the file that was damaged (%u)", seen->unexpected);
}

int main(void)
{
	static const double harmless[] = {9.9 * DAY, 23.9 * DAY};
	struct seen seen = {0};
	off_t largest = 0;
	struct statfs shm;
	unsigned int quiet = 0;
	int i;

	setenv("TZ", "Europe/Berlin", 1);
	unsetenv("TUESDAY_STATE_DIR");
	/* Memory, where there is some: eight thousand runs are synced to the disk each. */
	snprintf(work, sizeof(work), "%s/tuesday-test-XXXXXX",
		!statfs("/dev/shm", &shm) && shm.f_bavail > 10000 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(work))
		return 1;
	write_file("history.ini", "[history]\ndays = 8\nsize = 1M\n");
	{
		char *path = mem_printf("%s/history.ini", work);

		setenv("TUESDAY_HISTORY_INI", path, 1);
		free(path);
	}
	write_checks();
	make_faults();
	for (i = 0; i < RUNS; i++) {
		double at = (double)i * STEP;
		char *text;

		if (i == (int)(harmless[0] / STEP))
			damage("since-cron");
		if (i == (int)(harmless[1] / STEP))
			damage("history.db");
		text = run_once(at);
		quiet += !*text;
		note(&seen, text, at);
		free(text);
		if (size_of("history.db") > largest)
			largest = size_of("history.db");
	}
	judge(&seen);
	ok(quiet > RUNS - 260, "all other runs are silent (%u of %d)", quiet, RUNS);
	check_history(largest);
	nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return tap_done();
}
