/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does auditing hold programs up? Who makes an audit record while the queue to auditd is full waits
 * for room in it: any system call of any program that a rule is about.
 *
 * Fields are those of the kernel's status (auditctl -s), as far as the kernel has them:
 * wait_ticks is how long all together have waited, in ticks of the kernel's clock.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <unistd.h>

#include "sys/caps.h"
#include "sys/netlink.h"
#include "capture/capture.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"

#define BLOB "audit"
#define BLOB_ABSENT "absent\n" /* a kernel without auditing */

struct audit {
	int fd; /* negative: the reason that there is none */
};

static int open_audit(struct capture *fs, void **state)
{
	struct audit *audit = mem_zalloc(sizeof(*audit));

	audit->fd = capture_is_live(fs) ? netlink_open(NETLINK_AUDIT) : -ENOENT;
	*state = audit;
	return 0;
}

/* The status grew with the kernel: a field is there if all of it is. */
static int take_status(void *arg, uint16_t type, const char *data, size_t len)
{
	static const struct {
		const char *name;
		size_t at;
	} fields[] = {
		{"enabled", offsetof(struct audit_status, enabled)},
		{"backlog", offsetof(struct audit_status, backlog)},
		{"backlog_limit", offsetof(struct audit_status, backlog_limit)},
		{"lost", offsetof(struct audit_status, lost)},
		{"wait_ticks", offsetof(struct audit_status, backlog_wait_time_actual)},
	};
	uint32_t value;
	size_t i;

	if (type != AUDIT_GET)
		return -EBADMSG;
	for (i = 0; i < ARRAY_SIZE(fields) && fields[i].at + sizeof(value) <= len; i++) {
		memcpy(&value, data + fields[i].at, sizeof(value));
		str_addf(arg, "%s %u\n", fields[i].name, value);
	}
	/* One message is the whole answer, and nothing says that it ends. */
	return -ECANCELED;
}

static bool is_refusal(int err)
{
	return err == -EPERM || err == -EACCES || err == -ECONNREFUSED;
}

/* A refusal is recorded as an empty blob, a kernel without auditing as BLOB_ABSENT. */
static int audit_take_sample(struct capture *fs, const struct audit *audit)
{
	struct str blob = STR_INIT;
	int err = audit->fd;

	if (err >= 0)
		err = netlink_dump_with(
			CAPS_AUDIT, audit->fd, AUDIT_GET, NULL, 0, take_status, &blob);
	if (err == -EPROTONOSUPPORT)
		str_add(&blob, BLOB_ABSENT);
	if (err == -ECANCELED || err == -EPROTONOSUPPORT || is_refusal(err))
		err = capture_put_blob(fs, BLOB, str_text(&blob), blob.len);
	str_free(&blob);
	return err;
}

static int read_audit(struct capture *fs, void *state, struct sink *sink)
{
	struct bytes text = {0};
	int err = 0;

	if (capture_is_live(fs))
		err = audit_take_sample(fs, state);
	if (!err)
		err = capture_get_blob(fs, BLOB, &text);
	if (err) {
		sink_missing(sink, "the status of auditing: %s", capture_why_untold(fs, err));
		return err;
	}
	if (!text.len) {
		sink_missing(sink,
			"the status of auditing needs CAP_AUDIT_CONTROL, outside of "
			"containers");
		return -EPERM;
	}
	if (text_is(text, BLOB_ABSENT))
		sink_absent(sink, "this kernel has no auditing");
	else
		text_put_pairs(text, sink, "", "");
	return 0;
}

static void close_audit(void *state)
{
	struct audit *audit = state;

	if (audit->fd >= 0)
		close(audit->fd);
	free(audit);
}

SOURCE(audit) = {
	.name = "audit",
	.what = "the queue of audit records: how full, how many were lost, how long programs "
		"waited",
	.open = open_audit,
	.read = read_audit,
	.close = close_audit,
};
