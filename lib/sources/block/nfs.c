/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long do requests to NFS servers take, and where? Instances are mount points. The numbers are
 * those of /proc/self/mountstats, summed over all operations of a mount: how many, how often sent,
 * how long they waited in the client, at the server and on the way to it, and altogether; and what
 * was sent and received on its connections. Beside each stands the part of it that writes data
 * (WRITE and COMMIT), which the page cache sends and for which most programs do not wait: its name
 * begins with write_.
 */
#include "base/banned.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/block/nfs.h"
#include "sources/common/mountinfo.h"
#include "sample/source.h"

#define VOLUMES "/proc/fs/nfsfs/volumes" /* is there once the client is loaded */

enum { OPS, TRANSMISSIONS, TIMEOUTS, SENT_BYTES, RECEIVED_BYTES, QUEUE, RTT, EXECUTE, SUMS };

struct nfs_mount {
	char point[PATH_MAX + 1]; /* "" outside of one of NFS */
	double sums[SUMS], writes[SUMS];
	double sends, receives;
	bool has_ops, has_connection;
};

static void put_nfs(struct sink *sink, const struct nfs_mount *mount)
{
	static const char *const names[SUMS] = {[OPS] = "ops",
		[TRANSMISSIONS] = "transmissions",
		[TIMEOUTS] = "major_timeouts",
		[SENT_BYTES] = "sent_bytes",
		[RECEIVED_BYTES] = "received_bytes",
		[QUEUE] = "queue_ms",
		[RTT] = "rtt_ms",
		[EXECUTE] = "execute_ms"};
	char name[32];
	int i;

	if (!*mount->point)
		return;
	for (i = 0; i < SUMS && mount->has_ops; i++) {
		sink_put(sink, mount->point, names[i], mount->sums[i]);
		snprintf(name, sizeof(name), "write_%s", names[i]);
		sink_put(sink, mount->point, name, mount->writes[i]);
	}
	if (mount->has_connection) {
		sink_put(sink, mount->point, "sends", mount->sends);
		sink_put(sink, mount->point, "receives", mount->receives);
	}
}

/* "device SERVER:/DIR mounted on POINT with fstype nfs4 statvers=1.1" */
static void begin_mount(struct nfs_mount *mount, struct bytes line)
{
	struct bytes word, point = {0};
	int i;

	memset(mount, 0, sizeof(*mount));
	for (i = 0; i < 8; i++) {
		if (!text_word(&line, &word))
			return;
		if (i == 4)
			point = word;
	}
	if (text_is(word, "nfs") || text_is(word, "nfs4"))
		if (!parse_mount_path(point, mount->point, sizeof(mount->point)))
			*mount->point = 0;
}

/* "tcp PORT BINDS CONNECTS CONNECT_TIME IDLE SENDS RECEIVES …"; there may be several. */
static void add_connection(struct nfs_mount *mount, struct bytes words)
{
	struct bytes kind;
	double value[7];
	int i;

	if (!text_word(&words, &kind) || !text_is(kind, "tcp"))
		return;
	for (i = 0; i < 7; i++)
		if (!text_next_number(&words, &value[i]))
			return;
	mount->sends += value[5];
	mount->receives += value[6];
	mount->has_connection = true;
}

static void add_operation(struct nfs_mount *mount, struct bytes name, struct bytes words)
{
	bool writes = text_is(name, "WRITE") || text_is(name, "COMMIT");
	double value[SUMS];
	int i;

	for (i = 0; i < SUMS; i++)
		if (!text_next_number(&words, &value[i]) || value[i] < 0)
			return;
	for (i = 0; i < SUMS; i++) {
		mount->sums[i] += value[i];
		mount->writes[i] += writes ? value[i] : 0;
	}
	mount->has_ops = true;
}

void parse_mountstats(struct bytes text, struct sink *sink)
{
	struct nfs_mount mount = {0};
	bool operations = false, any = false;
	struct bytes line, word;

	while (text_line(&text, &line)) {
		struct bytes rest = line;

		if (!text_word(&rest, &word))
			continue;
		if (text_is(word, "device")) {
			put_nfs(sink, &mount);
			begin_mount(&mount, line);
			any |= *mount.point != 0;
			operations = false;
		} else if (text_is(word, "xprt:")) {
			add_connection(&mount, rest);
		} else if (text_is(word, "per-op")) {
			operations = true;
		} else if (operations && text_cut_end(&word, ":")) {
			add_operation(&mount, word, rest);
		}
	}
	put_nfs(sink, &mount);
	if (!any)
		sink_none(sink);
}

static int read_nfs(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	if (!capture_exists(fs, VOLUMES)) {
		sink_none(sink);
		return 0;
	}
	return text_source(fs, "/proc/self/mountstats", parse_mountstats, sink);
}

SOURCE(nfs) = {
	.name = "nfs",
	.what = "/proc/self/mountstats: requests to NFS servers and where their time goes",
	.read = read_nfs,
};
