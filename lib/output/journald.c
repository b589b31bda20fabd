/* SPDX-License-Identifier: GPL-2.0-only */
/* How does the system's journal learn of a light that changed? */
#include "base/banned.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include "base/escape.h"
#include "output/journald.h"
#include "base/str.h"
#include "check/check.h"
#include "sys/caller_env.h"

#define SOCKET "/run/systemd/journal/socket"
#define VALUE_MAX 4096

void journald_field(struct str *out, const char *name, const char *value)
{
	size_t len = strnlen(value, VALUE_MAX);

	if (!len)
		return;
	str_add(out, name);
	if (memchr(value, '\n', len)) {
		uint64_t le = htole64(len);

		str_addc(out, '\n');
		str_addn(out, &le, sizeof(le));
	} else {
		str_addc(out, '=');
	}
	str_addn(out, value, len);
	str_addc(out, '\n');
}

/* The priorities of syslog(3): err is for a tool that failed, which is not what a light says. */
static const struct {
	const char *id;
	int priority;
} kinds[] = {
	[VERDICT_GOOD] = {JOURNALD_ID_GOOD, LOG_INFO},
	[VERDICT_MAYBE] = {JOURNALD_ID_MAYBE, LOG_NOTICE},
	[VERDICT_BAD] = {JOURNALD_ID_BAD, LOG_WARNING},
	[VERDICT_UNKNOWN] = {JOURNALD_ID_UNKNOWN, LOG_NOTICE},
	[VERDICT_SKIP] = {JOURNALD_ID_GOOD, LOG_INFO},
};

static void journald_add_metric(struct str *out, const struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics + result->n_past; i++) {
		const struct metric_result *metric = i < result->n_metrics
			? &result->metrics[i]
			: &result->past[i - result->n_metrics];
		char value[64];

		if (metric->verdict != result->verdict || metric->idle || isnan(metric->value))
			continue;
		snprintf(value, sizeof(value), "%.15g", metric->value);
		journald_field(out, "TUESDAY_METRIC", metric->metric->name);
		journald_field(out, "TUESDAY_VALUE", value);
		journald_field(out, "TUESDAY_RESOURCE", metric->instance);
		return;
	}
}

/* As a person reads it: it goes to terminals as it is. */
static char *message_of(const struct check_result *result, enum verdict announced)
{
	struct str text = STR_INIT;

	escape_terminal_cut(&text, result->check->name, 300);
	str_addf(&text, " is %s: ", verdict_text(announced));
	escape_terminal_cut(&text, result->summary ? result->summary : "", 300);
	return str_take(&text);
}

void journald_format(struct str *out, const struct report *report,
	const struct check_result *result, enum verdict announced, enum verdict before)
{
	char *message = message_of(result, announced);
	char priority[2] = {(char)('0' + kinds[announced].priority), 0};

	journald_field(out, "MESSAGE", message);
	journald_field(out, "MESSAGE_ID", kinds[announced].id);
	journald_field(out, "PRIORITY", priority);
	journald_field(out, "SYSLOG_IDENTIFIER", "tuesday");
	journald_field(out, "TUESDAY_CHECK", result->check->name);
	journald_field(out, "TUESDAY_STATE", verdict_text(announced));
	journald_field(out, "TUESDAY_OLD_STATE", verdict_text(before));
	journald_add_metric(out, result);
	if (result->n_culprits)
		journald_field(out, "TUESDAY_CULPRIT", result->culprits[0].name);
	if (report->type.name)
		journald_field(out, "TUESDAY_TYPE", report->type.name);
	if (report->type.derived)
		journald_field(out, "TUESDAY_TYPE_DERIVED", report->type.derived);
	journald_field(out, "TUESDAY_REPORT_ID", report->id);
	free(message);
}

static int send_to(const char *path, const struct str *datagram)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd, err = 0;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, datagram->text, datagram->len, MSG_NOSIGNAL,
		    (const struct sockaddr *)&address, sizeof(address)) < 0)
		err = -errno;
	close(fd);
	return err;
}

void journald_tell(const struct report *report, const struct check_result *result,
	enum verdict announced, enum verdict before)
{
	const char *path = caller_env("TUESDAY_JOURNAL_SOCKET");
	struct str datagram = STR_INIT;

	journald_format(&datagram, report, result, announced, before);
	if (send_to(path && *path ? path : SOCKET, &datagram)) {
		char *message = message_of(result, announced);

		openlog("tuesday", LOG_NDELAY, LOG_DAEMON);
		syslog(kinds[announced].priority, "%s", message);
		closelog();
		free(message);
	}
	str_free(&datagram);
}
