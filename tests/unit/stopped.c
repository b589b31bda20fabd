/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are more servers stopped than there is room for, and does the trace say so? Built optimised: it
 * starts a thousand processes.
 */
#include "base/banned.h"

#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/capture.h"
#include "tap.h"
#include "trace/result.h"
#include "trace/sentinel.h"
#include "trace/spec.h"
#include "trace/trace.h"

/* As bpf/stops.bpf.c has room for. */
#define ROOM 1024
#define TOO_MANY (ROOM + 6)

/* A Unix socket without a name in the file system, which the children inherit. */
static int listen_somewhere(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path)) ||
		listen(fd, 1))
		exit(1);
	return fd;
}

/* Starts n servers that are stopped. Returns how many there are. */
static size_t stop_servers(pid_t *pids, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			break;
		if (!pids[i]) {
			raise(SIGSTOP);
			_exit(0);
		}
		if (waitpid(pids[i], NULL, WUNTRACED) != pids[i])
			return i;
	}
	return i;
}

static void end_servers(const pid_t *pids, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < n; i++)
		waitpid(pids[i], NULL, 0);
}

static void expect(struct capture *fs, size_t n, bool lost, const char *sentence)
{
	struct trace_spec spec = {.check = "test",
		.name = "stops",
		.tracer = "stops",
		.always = true,
		.budget = 100000};
	const struct trace_spec *const specs[] = {&spec};
	pid_t pids[TOO_MANY];
	size_t started = stop_servers(pids, n);
	struct traces *traces = sentinels_end(sentinels_begin(fs, specs, 1, NULL));
	const struct trace_result *began = traces_find(traces, "test", "stops.began");

	end_servers(pids, started);
	if (started < n || trace_missing(began))
		ok(true, "%s # SKIP %s", sentence,
			started < n ? "not so many processes may be started"
				    : trace_missing(began));
	else
		ok((trace_lost_text(began) != NULL) == lost, "%s (%s)", sentence,
			trace_lost_text(began) ? trace_lost_text(began) : "nothing was lost");
	traces_free(traces);
}

int main(void)
{
	int listener = listen_somewhere();
	struct str why = STR_INIT;
	struct capture *fs;
	uint64_t now;

	if (capture_open(&fs, "/", NULL) || capture_next_sample(fs, &now))
		return 1;
	if (traces_possible(fs, &why) && !geteuid()) {
		expect(fs, 3, false, "of three servers that are stopped none is lost");
		expect(fs, TOO_MANY, true, "of more than have room some are, and it is said");
	} else {
		ok(true, "what has no room is said # SKIP %s", str_text(&why));
	}
	capture_close(fs);
	str_free(&why);
	close(listener);
	return tap_done();
}
