/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers does limits.ini name, and is each of them one? */
#include "base/banned.h"

#include <errno.h>

#include "base/diag.h"
#include "base/ini.h"
#include "tools/keepalive/limits.h"
#include "base/num.h"
#include "base/str.h"

extern const char keepalive_limits_ini[], keepalive_limits_ini_end[];

#define KEY(section, key) \
	{ \
#section, #key, offsetof(struct limits_of_run, section.key) \
	}

static const struct {
	const char *section, *key;
	size_t offset;
} keys[] = {
	KEY(most, seconds),
	KEY(most, overtime_seconds),
	KEY(most, requests),
	KEY(most, requests_per_second),
	KEY(most, connections),
	KEY(most, body_bytes),
	KEY(baseline, requests),
	KEY(baseline, seconds),
	KEY(baseline, kept_least),
	KEY(ramp, service_times),
	KEY(ramp, growth_least),
	KEY(ramp, wait_times),
	KEY(ramp, wait_times_least),
	KEY(ramp, rate_most),
	KEY(ramp, served_times),
	KEY(rounds, each),
	KEY(rounds, seconds_least),
	KEY(rounds, service_times),
	KEY(rounds, requests_least),
	KEY(rounds, pause_seconds),
	KEY(rounds, slack_seconds),
	KEY(rounds, release_seconds),
	KEY(rounds, release_times),
	KEY(rounds, drain_seconds),
	KEY(rounds, open_share),
	KEY(guard, errors_most),
	KEY(guard, wait_seconds),
	KEY(guard, wait_times),
	KEY(guard, median_times),
	KEY(guard, client_cpu_most),
	KEY(guard, ports_most),
	KEY(judge, order_p_most),
	KEY(judge, order_bad_least),
	KEY(judge, order_fair_most),
	KEY(judge, ratio_bad_least),
	KEY(judge, ratio_fair_most),
	KEY(judge, harm_seconds_least),
	KEY(judge, harm_times_least),
	KEY(judge, tail_requests_least),
	KEY(judge, delay_seconds_least),
	KEY(judge, churn_share_least),
	KEY(judge, connecting_share_least),
	KEY(judge, inside_least),
	KEY(judge, inside_bad_least),
	KEY(judge, inside_fair_most),
	KEY(judge, inside_fair_least),
	KEY(judge, inside_unread_least),
	KEY(judge, inside_busy_most),
	KEY(judge, inside_harm_least),
	KEY(judge, inside_round_least),
	KEY(judge, inside_victims_least),
};

/* Returns where the number is to go, or NULL. */
static double *limits_place_of(struct limits_of_run *limits, const struct ini_entry *entry)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].section, entry->section) && !strcmp(keys[i].key, entry->key))
			return (double *)(void *)((char *)limits + keys[i].offset);
	return NULL;
}

static void limits_read_entry(struct limits_of_run *limits, const char *file,
	const struct ini_entry *entry, struct complaints *complaints)
{
	double *place = limits_place_of(limits, entry);
	double value;
	int n;

	if (!*entry->key)
		return;
	n = num_with_unit(entry->value, &value);
	if (!place)
		complain(complaints, file, entry->line, "[%.40s] has no key '%.40s'",
			entry->section, entry->key);
	else if (n < 0 || entry->value[n])
		complain(complaints, file, entry->line, "'%.40s' is not a number", entry->value);
	else
		*place = value;
}

int limits_read(struct limits_of_run *limits, const char *file, const char *text, size_t len,
	struct complaints *complaints)
{
	const size_t before = complaints->n;
	struct inifile *ini = inifile_parse(file, text, len, complaints);
	size_t i;

	if (!ini)
		return -EINVAL;
	for (i = 0; i < inifile_count(ini); i++)
		limits_read_entry(limits, file, inifile_entry(ini, i), complaints);
	inifile_free(ini);
	return complaints->n == before ? 0 : -EINVAL;
}

void limits_default(struct limits_of_run *limits)
{
	struct complaints none = {0};

	limits_read(limits, "limits.ini", keepalive_limits_ini,
		(size_t)(keepalive_limits_ini_end - keepalive_limits_ini), &none);
}
