/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a watch written, and read again from anybody's text? */
#include "base/banned.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "base/str.h"
#include "naps/log.h"
#include "naps/watch.h"

#define LINE_MAX_BYTES 1024

static void log_name(struct str *out, const char *name)
{
	const char *at;

	str_addc(out, ' ');
	if (!*name)
		str_addc(out, '-');
	for (at = name; *at; at++)
		if (isalnum((unsigned char)*at) ||
			(strchr("._:/+@-", *at) && strcmp(name, "-") != 0))
			str_addc(out, *at);
		else
			str_addf(out, "\\x%02x", (unsigned char)*at);
}

static void log_write_event(struct str *out, const struct nap_event *event)
{
	size_t i;

	str_addf(out, "nap %d", (int)event->pid);
	log_name(out, event->comm);
	str_addf(out, " %" PRIu64 " %" PRIu64 " %d %d %s", event->begin_ns, event->end_ns,
		event->goes_on, event->partial, nap_cause_name(event->cause));
	log_name(out, event->function);
	log_name(out, event->group);
	str_addf(out, " %.3f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", event->busy, event->waiting,
		event->drops, event->late_ns);
	for (i = 0; i < event->n_suspects; i++) {
		const struct nap_suspect *suspect = &event->suspects[i];

		str_addf(out, "by %d", (int)suspect->pid);
		log_name(out, suspect->comm);
		str_addf(out, " %.3f", suspect->overlap);
		log_name(out, suspect->holds);
		str_addf(out, " %d\n", suspect->child);
	}
}

void nap_log_write(struct str *out, struct nap_watch *watch, size_t first_event)
{
	struct nap_event event;
	size_t i;

	str_addf(out,
		"time %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		watch->began_ns, watch->now_ns, watch->looks, watch->late_count, watch->late_ns,
		watch->late_worst_ns);
	for (i = 0; i < watch->processes.n; i++) {
		struct nap_process *process = &watch->processes.list[i];
		const struct nap_watched *watched = process->watched;

		if (nap_watch_ongoing(watch, process, &event))
			log_write_event(out, &event);
		if (watched && watched->watched_ns) {
			str_addf(out, "busy %d", (int)process->pid);
			log_name(out, process->comm);
			str_addf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", watched->watched_ns,
				watched->pauses, watched->idles);
		}
		if (process->suspect)
			str_addf(out, "ran %d %.6f\n", (int)process->pid,
				(double)(process->cpu_ns - process->first_cpu_ns) / 1e9);
	}
	for (i = first_event; i < watch->n_events; i++)
		log_write_event(out, &watch->events[i]);
}

static int log_hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The next word, decoded and cut to size. */
static bool log_read_name(const char **at, char *out, size_t size)
{
	size_t n = 0;

	while (**at == ' ')
		(*at)++;
	if (!**at)
		return false;
	if (**at == '-' && ((*at)[1] == ' ' || !(*at)[1])) {
		(*at)++;
		*out = 0;
		return true;
	}
	for (; **at && **at != ' '; (*at)++) {
		char c = **at;

		if (c == '\\') {
			if ((*at)[1] != 'x' || log_hex((*at)[2]) < 0 || log_hex((*at)[3]) < 0)
				return false;
			c = (char)(log_hex((*at)[2]) * 16 + log_hex((*at)[3]));
			*at += 3;
		}
		if (c && n + 1 < size)
			out[n++] = c;
	}
	out[n] = 0;
	return true;
}

static bool log_read_u64(const char **at, uint64_t *out)
{
	int taken = 0;

	if (sscanf(*at, " %" SCNu64 "%n", out, &taken) != 1)
		return false;
	*at += taken;
	return true;
}

static bool log_read_pid(const char **at, pid_t *out)
{
	uint64_t number;

	if (!log_read_u64(at, &number) || !number || number > INT32_MAX)
		return false;
	*out = (pid_t)number;
	return true;
}

static bool log_read_double(const char **at, double *out)
{
	int taken = 0;

	if (sscanf(*at, " %lf%n", out, &taken) != 1 || !isfinite(*out) || *out < 0)
		return false;
	*at += taken;
	return true;
}

static void log_take_time(struct nap_log *log, const char *at)
{
	struct nap_log now = {0};

	if (!log_read_u64(&at, &now.began_ns) || !log_read_u64(&at, &now.now_ns) ||
		!log_read_u64(&at, &now.looks) || !log_read_u64(&at, &now.late_count) ||
		!log_read_u64(&at, &now.late_ns) || !log_read_u64(&at, &now.late_worst_ns) ||
		now.now_ns < now.began_ns)
		return;
	log->began_ns = now.began_ns;
	log->now_ns = now.now_ns;
	log->looks = now.looks;
	log->late_count = now.late_count;
	log->late_ns = now.late_ns;
	log->late_worst_ns = now.late_worst_ns;
}

static void log_take_busy(struct nap_log *log, const char *at)
{
	struct nap_log_busy busy = {0};
	size_t i;

	if (!log_read_pid(&at, &busy.pid) || !log_read_name(&at, busy.comm, sizeof(busy.comm)) ||
		!log_read_u64(&at, &busy.watched_ns) || !log_read_u64(&at, &busy.pauses) ||
		!log_read_u64(&at, &busy.idles))
		return;
	for (i = 0; i < log->n_busy; i++)
		if (log->busy[i].pid == busy.pid)
			break;
	if (i == log->n_busy) {
		if (i == NAP_LOG_BUSY_MAX)
			return;
		ARRAY_GROW(log->busy, log->n_busy, log->room_busy);
		log->n_busy++;
	}
	log->busy[i] = busy;
}

static void log_take_ran(struct nap_log *log, const char *at)
{
	struct nap_log_ran ran = {0};
	size_t i;

	if (!log_read_pid(&at, &ran.pid) || !log_read_double(&at, &ran.seconds))
		return;
	for (i = 0; i < log->n_ran; i++)
		if (log->ran[i].pid == ran.pid)
			break;
	if (i == log->n_ran) {
		if (i == NAP_LOG_BUSY_MAX)
			return;
		ARRAY_GROW(log->ran, log->n_ran, log->room_ran);
		log->n_ran++;
	}
	log->ran[i] = ran;
}

static bool log_read_event(const char *at, struct nap_event *event)
{
	uint64_t goes_on, partial;
	char cause[32];

	*event = (struct nap_event){0};
	if (!log_read_pid(&at, &event->pid) ||
		!log_read_name(&at, event->comm, sizeof(event->comm)) ||
		!log_read_u64(&at, &event->begin_ns) || !log_read_u64(&at, &event->end_ns) ||
		!log_read_u64(&at, &goes_on) || !log_read_u64(&at, &partial) ||
		!log_read_name(&at, cause, sizeof(cause)) ||
		!log_read_name(&at, event->function, sizeof(event->function)) ||
		!log_read_name(&at, event->group, sizeof(event->group)) ||
		!log_read_double(&at, &event->busy) || !log_read_u64(&at, &event->waiting) ||
		!log_read_u64(&at, &event->drops) || !log_read_u64(&at, &event->late_ns))
		return false;
	event->goes_on = goes_on != 0;
	event->partial = partial != 0;
	event->cause = nap_cause_find(cause);
	return event->cause < NAP_CAUSES && event->end_ns > event->begin_ns;
}

/* The one that went on when it was last said, and is said again. */
static struct nap_event *log_known_event(struct nap_log *log, const struct nap_event *event)
{
	size_t i;

	for (i = 0; i < log->n_events; i++)
		if (log->events[i].goes_on && log->events[i].pid == event->pid &&
			log->events[i].begin_ns == event->begin_ns)
			return &log->events[i];
	return NULL;
}

static void log_take_event(struct nap_log *log, const char *at)
{
	struct nap_event event, *known;

	log->last = NULL;
	if (!log_read_event(at, &event))
		return;
	known = log_known_event(log, &event);
	if (!known && log->n_events == NAP_LOG_EVENTS_MAX)
		return;
	if (!known) {
		ARRAY_GROW(log->events, log->n_events, log->room_events);
		known = &log->events[log->n_events++];
	}
	*known = event;
	log->last = known;
}

static void log_take_suspect(struct nap_log *log, const char *at)
{
	struct nap_event *event = log->last;
	struct nap_suspect suspect = {0};
	uint64_t child;

	if (!event || event->n_suspects == NAP_SUSPECTS || !log_read_pid(&at, &suspect.pid) ||
		!log_read_name(&at, suspect.comm, sizeof(suspect.comm)) ||
		!log_read_double(&at, &suspect.overlap) ||
		!log_read_name(&at, suspect.holds, sizeof(suspect.holds)) ||
		!log_read_u64(&at, &child))
		return;
	suspect.overlap = suspect.overlap < 1 ? suspect.overlap : 1;
	suspect.child = child != 0;
	event->suspects[event->n_suspects++] = suspect;
}

static void log_take_line(struct nap_log *log, const char *line)
{
	static const struct {
		const char *word;
		void (*take)(struct nap_log *log, const char *at);
	} kinds[] = {
		{"time ", log_take_time},
		{"busy ", log_take_busy},
		{"ran ", log_take_ran},
		{"nap ", log_take_event},
		{"by ", log_take_suspect},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_starts(line, kinds[i].word))
			kinds[i].take(log, line + strlen(kinds[i].word));
}

void nap_log_take(struct nap_log *log, const char *text, size_t len)
{
	const char *end = text + len, *newline;

	for (; text < end && (newline = memchr(text, '\n', (size_t)(end - text)));
		text = newline + 1) {
		char line[LINE_MAX_BYTES];
		const size_t n = (size_t)(newline - text);

		if (n >= sizeof(line))
			continue;
		memcpy(line, text, n);
		line[n] = 0;
		log_take_line(log, line);
	}
}

void nap_log_free(struct nap_log *log)
{
	free(log->busy);
	free(log->events);
	free(log->ran);
	*log = (struct nap_log){0};
}

double nap_log_ran(const void *arg, pid_t pid)
{
	const struct nap_log *log = arg;
	size_t i;

	for (i = 0; i < log->n_ran; i++)
		if (log->ran[i].pid == pid)
			return log->ran[i].seconds;
	return -1;
}
