/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which TCP connections of our own network namespace use DCTCP, and what becomes of what they send?
 * Asked with the same look at all connections as what lies unread (tcp_connections.h), which asks
 * for the congestion control only where the kernel has dctcp.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/culprit.h"
#include "base/str.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/net/socket_owner.h"
#include "sources/net/tcp_connections.h"
#include "sources/net/tcp_dctcp.h"

#define BLOB "tcp-dctcp"

static int dctcp_open(struct capture *fs, void **out)
{
	(void)fs;
	*out = mem_zalloc(sizeof(struct dctcp));
	return 0;
}

static void dctcp_close(void *state)
{
	dctcp_free(state);
	free(state);
}

/* The text of this sample. */
static int dctcp_text(struct capture *fs, struct dctcp *dctcp, struct bytes *out)
{
	const struct tcp_connections *all;
	struct str text = STR_INIT;
	int err = capture_get_blob(fs, BLOB, out);

	if (!err || !capture_is_live(fs))
		return err;
	all = tcpconnections_get(fs);
	if (all->err)
		return all->err;
	dctcp_add(dctcp, all->list, all->n);
	dctcp_write(&text, dctcp);
	capture_put_blob(fs, BLOB, str_text(&text), text.len);
	str_free(&text);
	return capture_get_blob(fs, BLOB, out);
}

static void dctcp_put(struct sink *sink, const struct dctcp *dctcp)
{
	size_t i;

	for (i = 0; i < dctcp->n; i++) {
		const struct dctcp_place *place = &dctcp->list[i];

		sink_put(sink, place->name, "connections", place->connections);
		sink_put(sink, place->name, "reno", place->reno);
		sink_put(sink, place->name, "delivered", (double)place->delivered);
		sink_put(sink, place->name, "marked", (double)place->marked);
		sink_put(sink, place->name, "sent", (double)place->sent);
		sink_put(sink, place->name, "repeated", (double)place->repeated);
	}
	if (!dctcp->n)
		sink_none(sink);
}

static int dctcp_read(struct capture *fs, void *state, struct sink *sink)
{
	struct dctcp parsed = {0};
	struct bytes text;
	int err = dctcp_text(fs, state, &text);

	if (!err)
		err = dctcp_parse(&parsed, text.data, text.len);
	if (err == -ENOENT && capture_is_replay(fs))
		sink_missing(sink,
			"the recording does not say which connections use DCTCP: an older Tuesday "
			"made it, or one of other checks");
	else if (err)
		sink_missing(
			sink, "TCP connections cannot be listed: %s", capture_why_untold(fs, err));
	else
		dctcp_put(sink, &parsed);
	if (!err)
		tcpconnections_say_cut(fs, sink);
	dctcp_free(&parsed);
	return err;
}

static bool dctcp_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct dctcp parsed = {0};
	struct bytes text;
	uint32_t inode = 0;
	size_t i;

	if (dctcp_text(fs, state, &text) || dctcp_parse(&parsed, text.data, text.len))
		return false;
	for (i = 0; i < parsed.n; i++)
		if (!strcmp(parsed.list[i].name, instance))
			inode = parsed.list[i].inode;
	dctcp_free(&parsed);
	return sockowner_find(fs, inode, out);
}

SOURCE(tcp_dctcp) = {
	.name = "tcp/dctcp",
	.what = "TCP connections of this network namespace that use DCTCP, by where their data "
		"goes: marks and repeated packets, and how many run Reno for want of ECN",
	.open = dctcp_open,
	.close = dctcp_close,
	.read = dctcp_read,
	.culprit = dctcp_culprit,
	.fleeting = true,
};
