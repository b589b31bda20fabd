/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the server do with its connections, while it is asked? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "capture/capture.h"
#include "tools/keepalive/round.h"
#include "capture/sockdiag.h"
#include "tools/keepalive/target.h"
#include "trace/trace.h"
#include "sys/url.h"
#include "tools/keepalive/witness.h"
#include "sample/instances.h"
#include "trace/spec.h"
#include "trace/result.h"
#include "sys/child.h"

/* Loading and attaching take a tenth of a second on an idle machine; the parent waits a while. */
#define SETTLE_SECONDS 0.3
#define READY_MS 3000
#define ANSWER_MS 5000
/* What was seen until the end of the time is still taken. */
#define LATE_MS 1000
#define ROUND_SECONDS_MAX 60.0
#define TEXT_MAX 256

/* Of the tracing process. */
struct tracing {
	int socket;
	bool ready;
};

/* What the CPUs have done since they began, in any unit. */
struct cpu_time {
	uint64_t busy, total;
};

/* From the first line of /proc/stat; guest, which comes last, is inside user. */
static bool read_cpu_time(struct capture *fs, struct cpu_time *out)
{
	enum { IDLE = 3, IOWAIT = 4, TIMES = 8 };
	struct bytes text;
	const char *at;
	uint64_t value;
	size_t i;

	*out = (struct cpu_time){0};
	if (capture_read_once(fs, "/proc/stat", &text) || text.len < 4 ||
		memcmp(text.data, "cpu ", 4) != 0)
		return false;
	at = text.data + 4;
	for (i = 0; i < TIMES; i++) {
		if (num_next(&at, text.data + text.len, &value))
			return false;
		out->total += value;
		out->busy += i == IDLE || i == IOWAIT ? 0 : value;
	}
	return true;
}

/* Busy where it is not known: that accuses nobody. */
static double busy_since(struct capture *fs, bool known, const struct cpu_time *before)
{
	struct cpu_time now;

	if (!known || !read_cpu_time(fs, &now) || now.total <= before->total ||
		now.busy < before->busy)
		return 1;
	return (double)(now.busy - before->busy) / (double)(now.total - before->total);
}

static bool witness_go_on(void *arg, double share)
{
	struct tracing *tracing = arg;
	struct pollfd fd = {.fd = tracing->socket, .events = POLLIN};

	if (!tracing->ready && share * ROUND_SECONDS_MAX >= SETTLE_SECONDS) {
		tracing->ready = true;
		if (send(tracing->socket, "ready", 5, MSG_NOSIGNAL) < 0)
			return false;
	}
	return poll(&fd, 1, 0) == 0;
}

/* A number of one field, of the instance that is this port. */
static double witness_number(const struct traces *traces, const char *field, const char *port,
	double (*of)(const struct trace_result *result, size_t instance))
{
	const struct trace_result *result = traces_find(traces, "keepalive", field);
	const struct instances *instances =
		result && !trace_missing(result) ? trace_instances(result) : NULL;
	const long at = instances ? instances_find(instances, port) : -1;
	const double value = at < 0 ? 0 : of(result, (size_t)at);

	return isfinite(value) ? value : 0;
}

static double trace_p90(const struct trace_result *result, size_t instance)
{
	return trace_quantile(result, instance, 0.9);
}

static double trace_p95(const struct trace_result *result, size_t instance)
{
	return trace_quantile(result, instance, 0.95);
}

static void witness_tell(
	struct str *out, const struct traces *traces, const char *port, double busy)
{
	const struct trace_result *all = traces_find(traces, "keepalive", "turns.read");

	if (!all || trace_missing(all)) {
		str_addf(out, "missing %.200s", all ? trace_missing(all) : "no result");
		return;
	}
	str_addf(out, "seen %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f",
		witness_number(traces, "turns.read", port, trace_count),
		witness_number(traces, "turns.overtook", port, trace_count),
		witness_number(traces, "turns.continued", port, trace_count),
		witness_number(traces, "turns.overtook", port, trace_max) * 1e9,
		witness_number(traces, "turns.idle", port, trace_total) * 1e9,
		witness_number(traces, "turns.cycle", port, trace_total) * 1e9,
		witness_number(traces, "turns.overtaken", port, trace_max) * 1e9,
		witness_number(traces, "turns.read", port, trace_p90) * 1e9, busy * 1e6,
		witness_number(traces, "turns.read", port, trace_total) * 1e9,
		witness_number(traces, "turns.read", port, trace_p95) * 1e9,
		witness_number(traces, "turns.victims", port, trace_count));
}

static int trace_rounds(struct capture *fs, int socket, const char *port)
{
	struct trace_spec spec = {.check = (char *)"keepalive",
		.name = (char *)"turns",
		.tracer = (char *)"turns",
		.run_seconds = ROUND_SECONDS_MAX};
	const struct trace_spec *specs[] = {&spec};
	char command[8];

	while (recv(socket, command, sizeof(command), 0) > 0) {
		struct tracing tracing = {.socket = socket};
		const struct trace_watch watch = {.progress = witness_go_on, .arg = &tracing};
		struct cpu_time before;
		const bool known = read_cpu_time(fs, &before);
		struct traces *traces = traces_run(fs, specs, 1, &watch);
		struct str out = STR_INIT;

		if (tracing.ready && recv(socket, command, sizeof(command), 0) <= 0)
			return 1;
		witness_tell(&out, traces, port, busy_since(fs, known, &before));
		traces_free(traces);
		if (send(socket, out.text, out.len, MSG_NOSIGNAL) < 0)
			return 1;
		str_free(&out);
	}
	return 0;
}

static _Noreturn void be_witness(struct witness *witness, pid_t parent, int socket)
{
	char port[8];
	struct capture *fs;
	uint64_t now;
	int status = 1;

	child_ends_with(parent, SIGKILL);
	signal(SIGINT, SIG_IGN); /* the parent ends it */
	snprintf(port, sizeof(port), ":%u", witness->target->url->port);
	if (!capture_open(&fs, "/", NULL) && !capture_next_sample(fs, &now))
		status = trace_rounds(fs, socket, port);
	_exit(status);
}

/* Whether the server can be traced at all; if not, missing says why. */
static bool may_trace(struct witness *witness)
{
	struct capture *fs;
	bool possible;

	if (!witness->target->own)
		str_add(&witness->missing, "the server is on another machine");
	else if (witness->target->unix_path)
		str_add(&witness->missing, "requests on Unix sockets cannot be told apart");
	if (witness->missing.len)
		return false;
	if (capture_open(&fs, "/", NULL)) {
		str_add(&witness->missing, "/ cannot be opened");
		return false;
	}
	possible = traces_possible(fs, &witness->missing);
	capture_close(fs);
	return possible;
}

void witness_start(struct witness *witness, const struct target *target)
{
	pid_t parent = getpid();
	int ends[2];

	*witness = (struct witness){.target = target, .socket = -1, .diag = -1};
	if (target->own)
		witness->diag = sockdiag_open();
	if (!may_trace(witness))
		return;
	traces_allow_memory();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		str_add(&witness->missing, strerror(errno));
		return;
	}
	fflush(NULL);
	witness->pid = fork();
	if (!witness->pid) {
		close(ends[0]);
		be_witness(witness, parent, ends[1]);
	}
	close(ends[1]);
	witness->socket = ends[0];
	if (witness->pid < 0) {
		str_add(&witness->missing, strerror(errno));
		witness->pid = 0;
	}
}

/* Waits for a message. Returns whether one came. */
static bool witness_hear(struct witness *witness, char *text, int timeout_ms)
{
	struct pollfd fd = {.fd = witness->socket, .events = POLLIN};
	ssize_t n;

	*text = 0;
	if (poll(&fd, 1, timeout_ms) != 1)
		return false;
	n = recv(witness->socket, text, TEXT_MAX - 1, MSG_DONTWAIT);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Of so long, what is left until the end of the time and so much longer. */
static int until_end(const struct witness *witness, int timeout_ms, int late_ms)
{
	const uint64_t now = monotonic_ns();
	const double left = ((double)witness->end_ns - (double)now) / 1e6 + late_ms;

	return witness->end_ns ? (int)fmax(0, fmin(timeout_ms, left)) : timeout_ms;
}

/* Nothing more is asked of it. */
static void give_up(struct witness *witness, const char *why)
{
	kill(witness->pid, SIGKILL);
	waitpid(witness->pid, NULL, 0);
	witness->pid = 0;
	if (!witness->missing.len)
		str_addf(&witness->missing, "%s", why);
}

void witness_begin(struct witness *witness)
{
	char text[TEXT_MAX];

	if (!witness->pid)
		return;
	if (send(witness->socket, "begin", 5, MSG_NOSIGNAL) < 0 ||
		!witness_hear(witness, text, until_end(witness, READY_MS, 0)))
		give_up(witness, "the tracer did not start in time");
	else if (str_starts(text, "missing "))
		give_up(witness, text + strlen("missing "));
}

bool witness_parse(struct seen *seen, const char *text)
{
	const char *at = text + strlen("seen"), *end = text + strlen(text);
	uint64_t numbers[12];
	size_t i;

	if (!str_starts(text, "seen "))
		return false;
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (*at++ != ' ' || num_next(&at, end, &numbers[i]))
			return false;
	if (*at)
		return false;
	seen->rounds++;
	seen->read += numbers[0];
	seen->overtook += numbers[1];
	seen->continued += numbers[2];
	seen->oldest_seconds = fmax(seen->oldest_seconds, (double)numbers[3] / 1e9);
	seen->idle_seconds += (double)numbers[4] / 1e9;
	seen->served_seconds += (double)numbers[5] / 1e9;
	seen->overtaken_seconds = fmax(seen->overtaken_seconds, (double)numbers[6] / 1e9);
	seen->unread_seconds = fmax(seen->unread_seconds, (double)numbers[7] / 1e9);
	seen->busy_ratio = fmax(seen->busy_ratio, (double)numbers[8] / 1e6);
	if (numbers[11] > seen->victims_most)
		seen->victims_most = numbers[11];
	if (numbers[0] && seen->n_waits < SEEN_WAITS_MAX)
		seen->waits[seen->n_waits++] = (struct waits){.read = numbers[0],
			.mean_seconds = (double)numbers[9] / 1e9 / (double)numbers[0],
			.p95_seconds = (double)numbers[10] / 1e9};
	return true;
}

void witness_end(struct witness *witness, bool keep, struct seen *level)
{
	char text[TEXT_MAX];

	if (!witness->pid)
		return;
	if (send(witness->socket, "end", 3, MSG_NOSIGNAL) < 0 ||
		!witness_hear(witness, text, until_end(witness, ANSWER_MS, LATE_MS)))
		give_up(witness, "the tracer did not answer in time");
	else if (!witness_parse(keep ? &witness->keep : &witness->close, text))
		give_up(witness, str_starts(text, "missing ") ? text + 8 : "the tracer failed");
	else if (level)
		witness_parse(level, text);
}

/* Of this target: the address is written as sockdiag does, or all addresses with this port. */
struct looking {
	const char *exact;
	char any[2][32];
	struct seen *seen;
};

static void witness_take_listener(void *arg, const struct sock_listener *listener)
{
	struct looking *looking = arg;

	if (strcmp(listener->address, looking->exact) != 0 &&
		strcmp(listener->address, looking->any[0]) != 0 &&
		strcmp(listener->address, looking->any[1]) != 0)
		return;
	looking->seen->has_queue = true;
	if (listener->backlog > looking->seen->unaccepted_most)
		looking->seen->unaccepted_most = listener->backlog;
}

void witness_look(struct witness *witness, bool keep)
{
	const struct target *target = witness->target;
	struct looking looking = {
		.exact = target->text, .seen = keep ? &witness->keep : &witness->close};

	if (witness->diag < 0)
		return;
	if (target->unix_path) {
		sockdiag_listeners(witness->diag, SOCKDIAG_UNIX, witness_take_listener, &looking);
		return;
	}
	snprintf(looking.any[0], sizeof(looking.any[0]), "0.0.0.0:%u", target->url->port);
	snprintf(looking.any[1], sizeof(looking.any[1]), "[::]:%u", target->url->port);
	sockdiag_listeners(witness->diag, SOCKDIAG_TCP4, witness_take_listener, &looking);
	sockdiag_listeners(witness->diag, SOCKDIAG_TCP6, witness_take_listener, &looking);
}

void witness_stop(struct witness *witness)
{
	if (witness->socket >= 0)
		close(witness->socket);
	if (witness->pid) {
		kill(witness->pid, SIGKILL);
		waitpid(witness->pid, NULL, 0);
	}
	if (witness->diag >= 0)
		close(witness->diag);
	witness->pid = 0;
	witness->socket = witness->diag = -1;
}
