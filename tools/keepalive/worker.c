/* SPDX-License-Identifier: GPL-2.0-only */
/* What does an event on a connection mean for the request that is under way on it? */
#include "base/banned.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/keepalive/client.h"
#include "tools/keepalive/worker.h"
#include "base/str.h"

#define BUFFER_BYTES (64 * 1024)
/* Edges, so that a connection is registered once. */
#define EVENTS_WANTED (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)
#define EVENTS_OF_END (EPOLLRDHUP | EPOLLHUP | EPOLLERR)
/* Bodies of a server that never pauses must not keep the others waiting. */
#define READS_MAX 16

int lanes_open(struct lanes *lanes, struct dialer *dialer, const struct request *request)
{
	unsigned int i;

	*lanes = (struct lanes){.dialer = dialer, .request = request};
	lanes->lane = mem_zalloc(ROUND_CONNECTIONS_MAX * sizeof(*lanes->lane));
	lanes->idle = mem_zalloc(ROUND_CONNECTIONS_MAX * sizeof(*lanes->idle));
	lanes->free = mem_zalloc(ROUND_CONNECTIONS_MAX * sizeof(*lanes->free));
	lanes->buffer = mem_alloc(BUFFER_BYTES);
	for (i = 0; i < ROUND_CONNECTIONS_MAX; i++)
		lanes->lane[i].conn.fd = -1;
	lanes->epoll = epoll_create1(EPOLL_CLOEXEC);
	return lanes->epoll < 0 ? -errno : 0;
}

void lanes_close(struct lanes *lanes)
{
	lanes_close_all(lanes);
	if (lanes->epoll >= 0)
		close(lanes->epoll);
	free(lanes->lane);
	free(lanes->idle);
	free(lanes->free);
	free(lanes->buffer);
}

static uint64_t epoch_now(void)
{
	const uint64_t monotonic = monotonic_ns();

	return realtime_ns() - monotonic;
}

void lanes_begin_round(struct lanes *lanes, const struct round_plan *plan)
{
	unsigned int i;

	lanes->plan = plan;
	lanes->epoch_ns = epoch_now();
	lanes->idle_max = plan->keep ? plan->idle_max : 0;
	lanes->n_idle = lanes->busy = 0;
	for (i = 0; i < plan->connections; i++)
		lanes->free[i] = plan->connections - 1 - i;
	lanes->n_free = plan->connections;
}

int lanes_pick(struct lanes *lanes)
{
	if (lanes->n_idle)
		return (int)lanes->idle[--lanes->n_idle];
	if (lanes->n_free)
		return (int)lanes->free[--lanes->n_free];
	return -1;
}

/* Sorted, so that pictures are filled from above. */
static void give_back(struct lanes *lanes, unsigned int index)
{
	unsigned int at = lanes->n_free++;

	for (; at && lanes->free[at - 1] < index; at--)
		lanes->free[at] = lanes->free[at - 1];
	lanes->free[at] = index;
}

static void forget_idle(struct lanes *lanes, unsigned int index)
{
	unsigned int i, n = 0;

	for (i = 0; i < lanes->n_idle; i++)
		if (lanes->idle[i] != index)
			lanes->idle[n++] = lanes->idle[i];
	lanes->n_idle = n;
}

/* The request of a lane is over; its connection is closed or goes to the idle ones. */
static void end_request(struct lanes *lanes, unsigned int index, struct lane_end *end, int error)
{
	struct lane *lane = &lanes->lane[index];

	*end = (struct lane_end){.ended = true,
		.connecting = error && lane->conn.step != CONN_OPEN,
		.kept = !error && lane->http.keep,
		.status = error ? 0 : lane->http.status,
		.error = error,
		.wrong = error ? lane->http.wrong : NULL,
		.sample = lane->sample};
	lane->busy = false;
	lanes->busy--;
	if (end->kept && lanes->n_idle < lanes->idle_max) {
		lanes->idle[lanes->n_idle++] = index;
		return;
	}
	conn_close(&lane->conn);
	give_back(lanes, index);
}

/* Returns 0 or -errno. */
static int dial(struct lanes *lanes, unsigned int index, struct round *round)
{
	struct lane *lane = &lanes->lane[index];
	struct epoll_event event = {.events = EVENTS_WANTED, .data.u32 = index};
	int err = conn_dial(&lane->conn, lanes->dialer);

	if (err)
		return err;
	lane->connection = (uint32_t)++round->connections;
	round->samples[lane->sample].connection = lane->connection;
	if (epoll_ctl(lanes->epoll, EPOLL_CTL_ADD, lane->conn.fd, &event) < 0)
		return -errno;
	return 0;
}

/* Sends what is left of the request. Returns 0 or -errno. */
static int send_rest(struct lanes *lanes, struct lane *lane, struct round *round)
{
	const struct request *request = lanes->request;
	const bool keep = lanes->plan->keep;
	const char *text = keep ? request->keep : request->close;
	const size_t len = keep ? request->keep_len : request->close_len;
	struct sample *sample = &round->samples[lane->sample];

	while (lane->sent < len) {
		ssize_t n;

		if (!lane->sent)
			sample->sent_ns = monotonic_ns();
		n = conn_send(&lane->conn, lanes->dialer, text + lane->sent, len - lane->sent);
		if (n == -EAGAIN)
			return 0;
		if (n < 0)
			return (int)n;
		lane->sent += (size_t)n;
	}
	return 0;
}

static void lanes_fail(struct lanes *lanes, unsigned int index, struct round *round, int err,
	struct lane_end *end);

void lanes_begin(struct lanes *lanes, unsigned int index, struct round *round, size_t sample,
	struct lane_end *end)
{
	struct lane *lane = &lanes->lane[index];
	int err;

	*end = (struct lane_end){0};
	lane->reused = lane->conn.step == CONN_OPEN;
	lane->busy = true;
	lane->retried = false;
	lane->sample = sample;
	lane->sent = 0;
	lane->arrived_ns = 0;
	lanes->busy++;
	round->samples[sample].lane = (uint16_t)index;
	round->samples[sample].reused = lane->reused;
	round->samples[sample].connection = lane->connection;
	http_begin(&lane->http, lanes->request->head, lanes->plan->body_max);
	err = lane->reused ? send_rest(lanes, lane, round) : dial(lanes, index, round);
	if (err)
		lanes_fail(lanes, index, round, err, end);
}

/* A kept connection may be closed by the server at any time: a request that met with that is sent
 * once more, on a new one. */
static void lanes_fail(
	struct lanes *lanes, unsigned int index, struct round *round, int err, struct lane_end *end)
{
	struct lane *lane = &lanes->lane[index];
	const bool closed = err == -ENODATA || err == -ECONNRESET || err == -EPIPE;

	if (lane->reused && closed && !lane->http.begun && !lane->retried &&
		lanes->request->repeatable) {
		round->closed_early++;
		conn_close(&lane->conn);
		lane->retried = round->samples[lane->sample].retried = true;
		lane->reused = round->samples[lane->sample].reused = false;
		lane->sent = 0;
		err = dial(lanes, index, round);
		if (!err)
			return;
	}
	end_request(lanes, index, end, -err);
}

/* Feeds what has come. Returns 1 where the answer is complete, 0 where it is not, or -errno. */
static int lanes_receive(struct lanes *lanes, struct lane *lane, bool to_end, bool *more)
{
	unsigned int reads;

	for (reads = 0; reads < READS_MAX; reads++) {
		size_t used;
		ssize_t n = conn_receive(
			&lane->conn, lanes->dialer, lanes->buffer, BUFFER_BYTES, &lane->arrived_ns);
		int status;

		if (n == -EAGAIN)
			return 0;
		if (n < 0)
			return (int)n;
		if (!n)
			return http_end(&lane->http);
		status = http_feed(&lane->http, lanes->buffer, (size_t)n, &used);
		if (status == 1 && used < (size_t)n && lane->http.keep && lanes->plan->keep) {
			lane->http.wrong = "it is followed by data that nobody asked for";
			return -EBADMSG;
		}
		if (status == 1 && (used < (size_t)n || to_end))
			lane->http.keep = false;
		if (status)
			return status;
		/* A read that did not fill the buffer has emptied the socket. */
		if (n < BUFFER_BYTES && !lane->conn.tls && !to_end)
			return 0;
	}
	*more = true;
	return 0;
}

/* An edge is told once: what is left to be read is asked for again. */
static void lanes_ask_again(struct lanes *lanes, unsigned int index)
{
	struct epoll_event event = {.events = EVENTS_WANTED, .data.u32 = index};

	epoll_ctl(lanes->epoll, EPOLL_CTL_MOD, lanes->lane[index].conn.fd, &event);
}

/* Returns 1 where the answer is complete, 0 where the lane waits, or -errno. */
static int advance(
	struct lanes *lanes, unsigned int index, uint32_t events, struct round *round, uint64_t now)
{
	struct lane *lane = &lanes->lane[index];
	struct sample *sample = &round->samples[lane->sample];
	bool more = false;
	int status;

	if (lane->conn.step != CONN_OPEN) {
		status = conn_advance(&lane->conn, lanes->dialer);
		if (status <= 0)
			return status;
		sample->opened_ns = now;
	}
	status = send_rest(lanes, lane, round);
	if (status && !(events & EPOLLIN)) /* an answer may have come before the end */
		return status;
	status = lanes_receive(lanes, lane, events & EVENTS_OF_END, &more);
	if (more)
		lanes_ask_again(lanes, index);
	return status;
}

/* By the kernel's clock, where that fits in with ours: somebody may have set it meanwhile. */
static uint64_t when_answered(const struct lanes *lanes, const struct lane *lane,
	const struct sample *sample, uint64_t now)
{
	const uint64_t at = lane->arrived_ns - lanes->epoch_ns;

	return lane->arrived_ns && at >= sample->sent_ns && at <= now ? at : now;
}

static void note_server(struct round *round, const struct http *http)
{
	round->first_status = http->status;
	memcpy(round->server, http->server, sizeof(round->server));
	memcpy(round->via, http->via, sizeof(round->via));
}

void lanes_event(struct lanes *lanes, unsigned int index, uint32_t events, struct round *round,
	uint64_t now, struct lane_end *end)
{
	struct lane *lane = &lanes->lane[index];
	int status;

	*end = (struct lane_end){0};
	if (lane->conn.step == CONN_CLOSED) /* closed by an earlier event of the same batch */
		return;
	if (!lane->busy) {
		if (!(events & (EPOLLIN | EVENTS_OF_END)))
			return;
		round->closed_early += (events & EVENTS_OF_END) != 0;
		forget_idle(lanes, index);
		conn_close(&lane->conn);
		give_back(lanes, index);
		return;
	}
	status = advance(lanes, index, events, round, now);
	if (status == 1 && !round->first_status)
		note_server(round, &lane->http);
	if (status == 1)
		end_request(lanes, index, end, 0);
	else if (status < 0)
		lanes_fail(lanes, index, round, status, end);
	if (end->ended)
		end->at_ns = when_answered(lanes, lane, &round->samples[end->sample], now);
}

void lanes_release(struct lanes *lanes)
{
	lanes->idle_max = 0;
	while (lanes->n_idle) {
		const unsigned int index = lanes->idle[--lanes->n_idle];

		conn_close(&lanes->lane[index].conn);
		give_back(lanes, index);
	}
}

void lanes_close_all(struct lanes *lanes)
{
	unsigned int i;

	for (i = 0; i < ROUND_CONNECTIONS_MAX; i++) {
		if (lanes->lane[i].conn.step != CONN_CLOSED)
			conn_close(&lanes->lane[i].conn);
		lanes->lane[i].busy = false;
	}
	lanes->n_idle = lanes->busy = 0;
}
