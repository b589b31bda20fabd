/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do programs that send by TCP wait for, by the place that the data goes to? Of our own
 * network namespace. Asked with the same look at all connections as what lies unread
 * (tcp_connections.h).
 *
 * Two sources have the same numbers: who is to blame for what the receiver holds up is the
 * receiver, for the rest it is the sender.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/culprit.h"
#include "base/str.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/net/socket_owner.h"
#include "sources/net/tcp_connections.h"
#include "sources/net/tcp_sending.h"

#define BLOB "tcp-sending"
#define SHARED "tcp sending"

static void sending_release(void *object)
{
	sending_free(object);
	free(object);
}

static int sending_open(struct capture *fs, void **out)
{
	struct sending *sending = capture_attached(fs, SHARED);

	if (!sending) {
		sending = mem_zalloc(sizeof(*sending));
		capture_attach(fs, SHARED, sending, sending_release);
	}
	*out = sending;
	return 0;
}

static void sending_put(struct sink *sink, const struct sending *sending)
{
	size_t i;

	for (i = 0; i < sending->n; i++) {
		const struct sending_place *place = &sending->list[i];
		char label[SENDING_NAME_BYTES + 32];

		sink_put(sink, place->name, "connections", place->connections);
		sink_put(sink, place->name, "busy_us", (double)place->busy_us);
		sink_put(sink, place->name, "receiver_us", (double)place->receiver_us);
		sink_put(sink, place->name, "buffer_us", (double)place->buffer_us);
		sink_put(sink, place->name, "repeats", place->repeats);
		sink_put(sink, place->name, "large_repeats", place->large_repeats);
		snprintf(label, sizeof(label), "%s", place->name);
		if (*place->name == ':')
			snprintf(label, sizeof(label), "clients of port %s", place->name + 1);
		else if (str_starts(place->name, "local:"))
			snprintf(label, sizeof(label), "clients here of port %s", place->name + 6);
		sink_label(sink, place->name, label);
	}
	if (!sending->n)
		sink_none(sink);
}

/* The text of this sample, which whoever of both sources is asked first writes down. */
static int sending_text(struct capture *fs, struct sending *sending, struct bytes *out)
{
	const struct tcp_connections *all;
	struct str text = STR_INIT;
	int err = capture_get_blob(fs, BLOB, out);

	if (!err || !capture_is_live(fs))
		return err;
	all = tcpconnections_get(fs);
	if (all->err)
		return all->err;
	sending_add(sending, capture_time_ns(fs), all->list, all->n, all->cut);
	sending_write(&text, sending);
	capture_put_blob(fs, BLOB, str_text(&text), text.len);
	str_free(&text);
	return capture_get_blob(fs, BLOB, out);
}

static int sending_read(struct capture *fs, void *arg, struct sink *sink)
{
	struct sending parsed = {0};
	struct bytes text;
	int err = sending_text(fs, arg, &text);

	if (!err)
		err = sending_parse(&parsed, text.data, text.len);
	if (err == -ENOENT && capture_is_replay(fs))
		sink_missing(sink,
			"the recording does not say what senders waited for: an older Tuesday made "
			"it, or one of other checks");
	else if (err)
		sink_missing(
			sink, "TCP connections cannot be listed: %s", capture_why_untold(fs, err));
	else
		sending_put(sink, &parsed);
	if (sending_find(&parsed, SENDING_OTHERS))
		sink_missing(sink, "data is sent to more than %d places: the rest is judged as one",
			SENDING_PLACES_MAX);
	if (!err)
		tcpconnections_say_cut(fs, sink);
	sending_free(&parsed);
	return err;
}

static const char *sending_class_of(struct capture *fs, void *state, const char *instance)
{
	(void)fs;
	(void)state;
	return sending_class(instance);
}

static uint32_t sending_inode(struct capture *fs, void *arg, const char *instance, bool receiver)
{
	const struct sending_place *place;
	struct sending parsed = {0};
	uint32_t inode = 0;
	struct bytes text;

	if (sending_text(fs, arg, &text) || sending_parse(&parsed, text.data, text.len))
		return 0;
	place = sending_find(&parsed, instance);
	if (place)
		inode = receiver ? place->receiver_inode : place->sender_inode;
	sending_free(&parsed);
	return inode;
}

/* A receiver elsewhere is known by its address alone. */
static bool receiver_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	if (sockowner_find(fs, sending_inode(fs, state, instance, true), out))
		return true;
	if (strcmp(sending_class(instance), "client") != 0)
		return false;
	*out = (struct culprit){.kind = "remote"};
	snprintf(out->name, sizeof(out->name), "%s", instance);
	return true;
}

static bool sender_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	return sockowner_find(fs, sending_inode(fs, state, instance, false), out);
}

SOURCE(tcp_receiver) = {
	.name = "tcp/receiver",
	.what = "what TCP connections of this network namespace wait for, by where their data "
		"goes; who "
		"receives",
	.open = sending_open,
	.read = sending_read,
	.class_of = sending_class_of,
	.culprit = receiver_culprit,
	.fleeting = true,
};

SOURCE(tcp_sender) = {
	.name = "tcp/sender",
	.what = "what TCP connections of this network namespace wait for, by where their data "
		"goes; who "
		"sends",
	.open = sending_open,
	.read = sending_read,
	.class_of = sending_class_of,
	.culprit = sender_culprit,
	.fleeting = true,
};
