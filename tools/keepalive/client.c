/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When is which request sent, on which connection, and when was it answered?
 *
 * A connection lives in a lane; of those that have nothing to do the last one used is taken first,
 * so that in a closed round each goes on with its own next request.
 */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/keepalive/client.h"
#include "tools/keepalive/worker.h"
#include "base/progress.h"
#include "tools/keepalive/round.h"
#include "base/str.h"

#define EVENTS 128
#define TICK_NS 100000000ull
#define NS 1e9
/* After a pause a closed round may catch up with its rate for so long. */
#define BURST_NS 10000000ull
#define CONNECT_FAILURES_MAX 3
#define ERRORS_MIN 3
/* Epoll's data of the timer; lanes have their number. */
#define TIMER UINT32_MAX

struct client {
	struct lanes lanes;
	int timer;
	uint64_t armed_ns;
	struct sigaction pipe_before;

	/* Of the round. */
	struct round *round;
	size_t begun;	  /* samples that got a connection */
	uint64_t next_ns; /* the next one is due, or may be sent */
	uint64_t next_tick_ns;
	uint64_t random;
	size_t connect_failures; /* in a row */
	bool released;
};

int client_new(struct client **out, struct dialer *dialer, const struct request *request)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct client *client = mem_zalloc(sizeof(*client));
	/* An edge, so that it need not be read. */
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = TIMER};
	int err;

	sigaction(SIGPIPE, &ignore, &client->pipe_before);
	err = lanes_open(&client->lanes, dialer, request);
	client->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (!err &&
		(client->timer < 0 ||
			epoll_ctl(client->lanes.epoll, EPOLL_CTL_ADD, client->timer, &event) < 0))
		err = -errno;
	*out = client;
	if (err) {
		client_free(client);
		*out = NULL;
	}
	return err;
}

void client_free(struct client *client)
{
	if (!client)
		return;
	lanes_close(&client->lanes);
	if (client->timer >= 0)
		close(client->timer);
	sigaction(SIGPIPE, &client->pipe_before, NULL);
	free(client);
}

/* xorshift64*, to (0, 1]. */
static double random_share(struct client *client)
{
	client->random ^= client->random >> 12;
	client->random ^= client->random << 25;
	client->random ^= client->random >> 27;
	return ((double)(client->random * 0x2545f4914f6cdd1dull >> 11) + 1) / 9007199254740992.0;
}

static struct sample *client_add_sample(struct round *round, uint64_t due_ns)
{
	ARRAY_GROW(round->samples, round->n, round->room);
	round->samples[round->n] = (struct sample){.due_ns = due_ns};
	return &round->samples[round->n++];
}

static bool may_issue(const struct round *round, uint64_t now)
{
	return round->stop == STOP_NOT && round->n < round->plan.requests_max &&
		now < round->issue_end_ns;
}

/* What counts against the server, and when it is enough. */
static void client_note_failure(
	struct client *client, const struct sample *sample, const struct lane_end *end)
{
	struct round *round = client->round;
	const bool connecting = end->connecting;

	round->failed++;
	round->last_error = sample->error;
	round->last_wrong = end->wrong;
	if (sample->status)
		round->last_status = sample->status;
	round->no_port += sample->error == EADDRNOTAVAIL;
	client->connect_failures = connecting ? client->connect_failures + 1 : 0;
	if (round->stop)
		return;
	if (client->connect_failures >= CONNECT_FAILURES_MAX)
		round->stop = STOP_CONNECT;
	else if (round->failed >= ERRORS_MIN &&
		(double)round->failed >
			round->plan.errors_max * (double)(round->answered + round->failed))
		round->stop = STOP_ERRORS;
}

/* A lane is done with its request, well or not. */
static void client_finish(struct client *client, const struct lane_end *end, uint64_t now)
{
	struct round *round = client->round;
	struct sample *sample = &round->samples[end->sample];

	sample->done_ns = now;
	sample->status = (int16_t)end->status;
	sample->error = end->error;
	sample->kept = end->kept;
	sample->released = client->released && !end->error;
	round->kept += end->kept;
	round->answered += !end->error;
	if (end->error || end->status == 429 || end->status >= 500)
		client_note_failure(client, sample, end);
	else
		client->connect_failures = 0;
}

/* Begins the oldest request that is due, if a lane is free. Returns whether one was begun. */
static bool begin_next(struct client *client, uint64_t now)
{
	struct round *round = client->round;
	struct sample *sample = &round->samples[client->begun];
	struct lane_end end;
	int lane = lanes_pick(&client->lanes);

	if (lane < 0)
		return false;
	sample->begun_ns = now;
	lanes_begin(&client->lanes, (unsigned int)lane, round, client->begun++, &end);
	if (end.ended)
		client_finish(client, &end, monotonic_ns());
	return true;
}

static void issue_closed(struct client *client, uint64_t now)
{
	struct round *round = client->round;
	const uint64_t gap = (uint64_t)(NS / round->plan.rate_max);

	while (may_issue(round, now) && client->lanes.busy < round->plan.connections) {
		if (client->next_ns > now)
			return;
		if (client->next_ns + BURST_NS < now)
			client->next_ns = now - BURST_NS;
		client->next_ns += gap;
		client_add_sample(round, now);
		if (!begin_next(client, now))
			return;
		now = monotonic_ns();
	}
}

static void issue_open(struct client *client, uint64_t now)
{
	struct round *round = client->round;

	while (client->next_ns <= now && may_issue(round, client->next_ns)) {
		client_add_sample(round, client->next_ns);
		client->next_ns += (uint64_t)(-log(random_share(client)) / round->plan.rate * NS);
	}
	while (client->begun < round->n && round->stop == STOP_NOT && begin_next(client, now))
		;
}

static void issue(struct client *client, uint64_t now)
{
	if (client->round->plan.rate > 0)
		issue_open(client, now);
	else
		issue_closed(client, now);
}

/* The age of the oldest request that has no answer, which is what the guard watches. */
static bool waits_too_long(const struct client *client, uint64_t now)
{
	const struct round *round = client->round;
	size_t i;

	for (i = 0; i < round->n; i++)
		if (!round->samples[i].done_ns && now > round->samples[i].due_ns &&
			now - round->samples[i].due_ns > round->plan.wait_max_ns)
			return true;
	return false;
}

static void guard(struct client *client, uint64_t now)
{
	struct round *round = client->round;

	if (round->stop == STOP_NOT && progress_interrupted())
		round->stop = STOP_INTERRUPTED;
	if (round->stop == STOP_NOT && waits_too_long(client, now))
		round->stop = STOP_WAIT;
}

/* Whether the round goes on. */
static bool goes_on(struct client *client, uint64_t now)
{
	struct round *round = client->round;
	const bool all_issued = !may_issue(round, now) && client->begun == round->n;

	if (round->stop != STOP_NOT)
		return false;
	if (!all_issued && now < round->issue_end_ns)
		return true;
	if (now < round->issue_end_ns)
		round->issue_end_ns = now;
	if (client->begun == round->n && !client->lanes.busy)
		return false;
	if (!client->released && now >= round->issue_end_ns + round->plan.release_ns) {
		client->released = true;
		lanes_release(&client->lanes);
	}
	if (round->plan.end_ns && now >= round->plan.end_ns) {
		round->stop = STOP_TIME;
		return false;
	}
	if (now < round->issue_end_ns + round->plan.drain_ns)
		return true;
	round->stop = STOP_DRAIN;
	return false;
}

static void arm(struct client *client, uint64_t at)
{
	const struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at / 1000000000),
						.tv_nsec = (long)(at % 1000000000)}};

	if (at == client->armed_ns)
		return;
	client->armed_ns = at;
	timerfd_settime(client->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* The next time at which something is to be done without an event. */
static uint64_t next_deadline(const struct client *client, uint64_t now)
{
	const struct round *round = client->round;
	const bool wants = round->plan.rate > 0 || client->lanes.busy < round->plan.connections;
	uint64_t at = client->next_tick_ns;

	if (may_issue(round, now) && wants && client->next_ns > now && client->next_ns < at)
		at = client->next_ns;
	return at;
}

static void handle(struct client *client, const struct epoll_event *event, uint64_t now)
{
	struct lane_end end;

	if (event->data.u32 == TIMER) {
		client->armed_ns = 0;
		return;
	}
	lanes_event(&client->lanes, event->data.u32, event->events, client->round, now, &end);
	if (end.ended)
		client_finish(client, &end, end.at_ns);
}

static int wait_and_handle(struct client *client, uint64_t now)
{
	struct epoll_event events[EVENTS];
	int i, n;

	arm(client, next_deadline(client, now));
	n = epoll_wait(client->lanes.epoll, events, EVENTS, -1);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	now = monotonic_ns();
	for (i = 0; i < n; i++)
		handle(client, &events[i], now);
	return 0;
}

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
		((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) / 1e6;
}

static void begin_round(struct client *client, const struct round_plan *plan, struct round *round)
{
	*round = (struct round){.plan = *plan, .start_ns = monotonic_ns()};
	round->issue_end_ns = round->start_ns + plan->issue_ns;
	if (plan->deadline_ns && plan->deadline_ns < round->issue_end_ns)
		round->issue_end_ns = plan->deadline_ns;
	client->round = round;
	client->begun = 0;
	client->next_ns = client->next_tick_ns = round->start_ns;
	client->random = plan->seed ? plan->seed : 1;
	client->connect_failures = 0;
	client->released = false;
	lanes_begin_round(&client->lanes, plan);
}

/* What has no answer was abandoned now, and took at least until now; what never got a connection
 * is a part of that too. */
static void end_round(struct client *client, double cpu_before)
{
	struct round *round = client->round;
	const bool known = round->stop != STOP_TIME && round->stop != STOP_INTERRUPTED;
	size_t i;

	lanes_close_all(&client->lanes);
	round->end_ns = monotonic_ns();
	for (i = 0; i < round->n; i++) {
		struct sample *sample = &round->samples[i];

		if (sample->done_ns)
			continue;
		sample->done_ns = round->end_ns > sample->due_ns ? round->end_ns : sample->due_ns;
		sample->error = ETIMEDOUT;
		sample->released = known || client->released;
	}
	round->client_cpu =
		(cpu_seconds() - cpu_before) / ((double)(round->end_ns - round->start_ns + 1) / NS);
	client->round = NULL;
}

int client_round(struct client *client, const struct round_plan *plan, struct round *round,
	void (*tick)(void *arg, const struct round *round), void *arg)
{
	const double cpu_before = cpu_seconds();
	uint64_t now;
	int err = 0;

	begin_round(client, plan, round);
	for (now = round->start_ns; !err; now = monotonic_ns()) {
		if (now >= client->next_tick_ns) {
			client->next_tick_ns = now + TICK_NS;
			guard(client, now);
			if (tick)
				tick(arg, round);
		}
		issue(client, now);
		if (!goes_on(client, now))
			break;
		err = wait_and_handle(client, now);
	}
	end_round(client, cpu_before);
	return err;
}
