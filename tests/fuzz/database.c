/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does a history that is damaged, or whose rows say what no run says, break who reads it?
 *
 * The first byte says how it is spoiled: bytes of the file (place, number, bytes), or the texts and
 * numbers of a table.
 */
#include "base/banned.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "history/history.h"
#include "history/insert.h"
#include "history/query.h"
#include "history/read.h"
#include "history/retention.h"
#include "output/read_json.h"
#include "report/report.h"
#include "sys/read_write.h"
#include "tools/report/history.h"
#include "tools/report/model.h"

#define REPORT \
	"{\"schema\":\"tuesday/" \
	"1\",\"id\":\"0123456789abcdef0123456789abcdef\",\"host\":\"web1\",\"verdict\":\"bad\"," \
	"\"time\":\"2026-11-20T05:30:00Z\",\"checks\":[{\"check\":\"disk\",\"area\":\"disk\"," \
	"\"verdict\":\"bad\",\"metrics\":[{\"name\":\"wait_seconds\",\"instance\":\"sda\"," \
	"\"value\":1.5,\"verdict\":\"bad\",\"bad\":{\"op\":\">\",\"value\":1}}]}]}"
#define RUNS 3
#define FILE_MAX ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char place[] = "/dev/shm/tuesday-fuzz.XXXXXX";
static char *path;
static struct str whole = STR_INIT;

static void database_end(void)
{
	char *aside = mem_printf("%s.damaged", path), *journal = mem_printf("%s-journal", path);

	unlink(path);
	unlink(aside);
	unlink(journal);
	rmdir(place);
	free(aside);
	free(journal);
}

static void database_write(struct str *json, const struct report *report)
{
	(void)report;
	str_add(json, REPORT);
}

/* A small one, as runs make it; each input begins with it. */
static void database_begin(void)
{
	struct report_reader *reader = report_reader_new(false);
	const struct retention retention = retention_default();
	const struct report *report;
	struct history *history;
	size_t used, i;
	int fd;

	if (!mkdtemp(place) || history_open(&history, place, HISTORY_MAKE) ||
		report_read(reader, REPORT, strlen(REPORT), &used, &report))
		abort();
	path = mem_strdup(history_path(history));
	for (i = 0; i < RUNS; i++)
		if (history_enter(history, report, database_write, "cron", &retention) < 0)
			abort();
	history_close(history);
	report_reader_free(reader);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read_all(fd, FILE_MAX, &whole))
		abort();
	close(fd);
	atexit(database_end);
}

static void database_restore(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(whole.len);
	size_t at, n;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	memcpy(text, whole.text, whole.len);
	for (; size > 3; data += 3 + n, size -= 3 + n) {
		at = ((size_t)data[0] << 8 | data[1]) % whole.len;
		n = data[2];
		n = n > size - 3 ? size - 3 : n;
		n = n > whole.len - at ? whole.len - at : n;
		memcpy(text + at, data + 3, n);
	}
	if (fd < 0 || write_all(fd, text, whole.len))
		abort();
	close(fd);
	free(text);
}

/* Every text that a row has, or what it has for a number. */
static void database_say(unsigned int which, const uint8_t *data, size_t size)
{
	static const char *const statements[] = {
		"UPDATE runs SET uuid = ?1, boot = ?1, version = ?1, kernel = ?1, type = ?1",
		"UPDATE checks SET name = ?1",
		"UPDATE series SET metric = ?1, instance = ?1",
		"UPDATE series SET unit = ?2, class = ?2, accuses = ?2, maybe = ?1, bad = ?1",
		"UPDATE lights SET verdict = ?2",
		"UPDATE numbers SET value = ?1, verdict = ?2",
		"UPDATE reports SET json = ?1, bytes = ?2",
		"UPDATE runs SET time = ?2, verdict = ?2, seconds = ?1",
		"UPDATE runs SET time = ?1 WHERE id = 2",
	};
	sqlite3_stmt *set = NULL;
	int64_t number = 0;
	sqlite3 *db;

	memcpy(&number, data, size < sizeof(number) ? size : sizeof(number));
	if (sqlite3_open(path, &db) ||
		sqlite3_prepare_v2(db, statements[which % ARRAY_SIZE(statements)], -1, &set, NULL))
		abort();
	if (sqlite3_bind_parameter_count(set) >= 1)
		sqlite3_bind_text(set, 1, (const char *)data, (int)size, SQLITE_STATIC);
	if (sqlite3_bind_parameter_count(set) >= 2)
		sqlite3_bind_int64(set, 2, number);
	sqlite3_step(set);
	sqlite3_finalize(set);
	sqlite3_close(db);
}

static void require_verdict(enum verdict verdict)
{
	if ((unsigned int)verdict > VERDICT_SKIP)
		abort();
}

static int take_run(void *arg, const struct history_run *run)
{
	struct history *history = arg;
	struct report_reader *reader = report_reader_new(false);
	const struct report *report;
	struct str json = STR_INIT;
	int64_t of;
	size_t used;

	require_verdict(run->verdict);
	if (!history_report_like(history, run->id, &of, &json))
		report_read(reader, str_text(&json), json.len, &used, &report);
	report_reader_free(reader);
	str_free(&json);
	return 0;
}

static int take_light(void *arg, const struct history_verdict *light)
{
	(void)arg;
	require_verdict(light->verdict);
	return strlen(light->check) > FILE_MAX;
}

static int take_value(void *arg, const struct history_value *value)
{
	(void)arg;
	require_verdict(value->verdict);
	return 0;
}

static int take_series(void *arg, const struct history_series *series)
{
	(void)arg;
	return strlen(series->metric) + strlen(series->instance) > FILE_MAX;
}

static void database_read(void)
{
	struct report_reader *reader = report_reader_new(false);
	const struct report *report;
	struct history *history;
	struct history_run run;
	struct past past = {0};
	struct str why = STR_INIT;
	size_t used;

	if (!history_open(&history, place, HISTORY_READ)) {
		history_each_run(history, 0, INT64_MAX, take_run, history);
		history_each_verdict(history, NULL, 0, INT64_MAX, take_light, NULL);
		history_each_value(history, NULL, 0, INT64_MAX, take_value, NULL);
		history_each_series(history, NULL, take_series, NULL);
		history_find(history, "last", 0, &run, &why);
		if (!report_read(reader, REPORT, strlen(REPORT), &used, &report) &&
			!past_read(&past, history, report, 0))
			past_free(&past);
		history_close(history);
	}
	report_reader_free(reader);
	str_free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (!path)
		database_begin();
	database_restore(*data % 2 ? data + 1 : NULL, *data % 2 ? size - 1 : 0);
	if (!(*data % 2))
		database_say(*data / 2, data + 1, size - 1);
	database_read();
	return 0;
}
