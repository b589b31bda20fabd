/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of device and of day is it? By KEY=VALUE; each has a default, of a GPU that is well. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

struct scenario scenario = {.driver = "xe",
	.gpus = 1,
	.gts = 1,
	.media = 1,
	.xecores = 20,
	.version = 20,
	.pci = 0xe20b,
	.buffer = 512 * 1024,
	.record = 64,
	.rates = 7,
	.paranoid = 1,
	.per_ms = 12,
	.mix = {80, 0, 0, 0, 0, 0, 0, 20, 0, 0},
	.ips = 100,
	.end_flag = 1};
struct gpu gpus[GPUS];
FILE *log_to;
uint64_t seed = 88172645463325252u;

static const struct {
	const char *name;
	long *value;
} keys[] = {
	{"gpus", &scenario.gpus},
	{"gts", &scenario.gts},
	{"media", &scenario.media},
	{"xecores", &scenario.xecores},
	{"version", &scenario.version},
	{"pci", &scenario.pci},
	{"buffer", &scenario.buffer},
	{"record", &scenario.record},
	{"rates", &scenario.rates},
	{"node_errno", &scenario.node_errno},
	{"query_errno", &scenario.query_errno},
	{"open_errno", &scenario.open_errno},
	{"enable_errno", &scenario.enable_errno},
	{"size_zero", &scenario.size_zero},
	{"size_changes", &scenario.size_changes},
	{"huge", &scenario.huge},
	{"paranoid", &scenario.paranoid},
	{"per_ms", &scenario.per_ms},
	{"jitter", &scenario.jitter},
	{"ips", &scenario.ips},
	{"top", &scenario.top},
	{"each", &scenario.each},
	{"pool", &scenario.pool},
	{"clock", &scenario.clock},
	{"end_flag", &scenario.end_flag},
	{"saturated", &scenario.saturated},
	{"zero", &scenario.zero},
	{"eio", &scenario.eio},
	{"eintr", &scenario.eintr},
	{"short_reads", &scenario.short_reads},
	{"zero_read", &scenario.zero_read},
	{"hang", &scenario.hang},
	{"overload", &scenario.overload},
	{"burn_ms", &scenario.burn_ms},
	{"burst", &scenario.burst},
	{"reset_at", &scenario.reset_at},
	{"resets", &scenario.resets},
	{"unplug_at", &scenario.unplug_at},
	{"wedge_at", &scenario.wedge_at},
	{"wedged", &scenario.wedged},
	{"asleep", &scenario.asleep},
	{"ras", &scenario.ras},
	{"ras_correctable", &scenario.ras_correctable},
	{"ras_uncorrectable", &scenario.ras_uncorrectable},
	{"ras_errno", &scenario.ras_errno},
};

void note(const char *format, ...)
{
	va_list args;

	if (!log_to)
		return;
	va_start(args, format);
	vfprintf(log_to, format, args);
	va_end(args);
	fputc('\n', log_to);
	fflush(log_to);
}

void violation(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	note("VIOLATION %s", text);
}

static void take_mix(long *mix, const char *text)
{
	for (size_t i = 0; i < FIELDS; i++) {
		mix[i] = strtol(text, (char **)&text, 0);
		text += *text == ',';
	}
}

static bool take_number(const char *word, size_t name_len)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].name) == name_len && !strncmp(word, keys[i].name, name_len)) {
			*keys[i].value = strtol(word + name_len + 1, NULL, 0);
			return true;
		}
	return false;
}

bool scenario_take(const char *word)
{
	static const struct {
		const char *name;
		char *value;
		size_t size;
	} texts[] = {
		{"driver=", scenario.driver, sizeof(scenario.driver)},
		{"broken=", scenario.broken, sizeof(scenario.broken)},
		{"stuck=", scenario.stuck, sizeof(scenario.stuck)},
	};
	const char *value = strchr(word, '=');

	if (!value)
		return false;
	value++;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strncmp(word, texts[i].name, strlen(texts[i].name)))
			return snprintf(texts[i].value, texts[i].size, "%s", value) <
				(int)texts[i].size;
	if (!strncmp(word, "log=", 4))
		return (log_to = fopen(value, "we")) != NULL;
	if (strncmp(word, "mix=", 4) != 0 && strncmp(word, "second=", 7) != 0)
		return take_number(word, (size_t)(value - 1 - word));
	take_mix(*word == 'm' ? scenario.mix : scenario.second, value);
	return true;
}
