/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a disk that is kept on two machines whole here and there? Instances are devices ("drbd0").
 * Fields, 1 where it is so: disconnected, up_to_date, peer_up_to_date, syncing; and out_of_sync,
 * in bytes, waiting (requests that the other side has not answered) and held (requests of programs
 * that are not done).
 *
 * From /proc/drbd of the kernel's own DRBD, 8.4: the forms are those of
 * drivers/block/drbd/drbd_proc.c and drbd_strings.c. DRBD 9 has its version there and nothing else.
 */
#include "base/banned.h"

#include <stdio.h>

#include "base/str.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/block/drbd.h"
#include "sources/common/parse_text.h"

/* Whether text is one of words, which are separated by blanks. */
static bool drbd_is_one_of(struct bytes text, const char *words)
{
	struct bytes rest = {words, strlen(words)}, word;

	while (text_word(&rest, &word))
		if (word.len == text.len && !memcmp(word.data, text.data, text.len))
			return true;
	return false;
}

/* "cs:Connected": what is behind the name. */
static bool drbd_take(struct bytes word, const char *name, struct bytes *value)
{
	size_t len = strlen(name);

	if (!text_starts(word, name))
		return false;
	*value = (struct bytes){word.data + len, word.len - len};
	return true;
}

static void drbd_put_connection(struct sink *sink, const char *disk, struct bytes state)
{
	sink_put(sink, disk, "disconnected",
		drbd_is_one_of(state,
			"StandAlone Disconnecting Unconnected Timeout BrokenPipe "
			"NetworkFailure ProtocolError TearDown WFConnection"));
	sink_put(sink, disk, "syncing",
		drbd_is_one_of(state,
			"SyncSource SyncTarget PausedSyncS PausedSyncT StartingSyncS "
			"StartingSyncT WFBitMapS WFBitMapT WFSyncUUID"));
}

/* "UpToDate/Inconsistent": here and there */
static void drbd_put_disks(struct sink *sink, const char *disk, struct bytes states)
{
	struct bytes here;

	if (!text_until(&states, '/', &here))
		return;
	sink_put(sink, disk, "up_to_date", text_is(here, "UpToDate"));
	sink_put(sink, disk, "peer_up_to_date", text_is(states, "UpToDate"));
}

/* "0: cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate C r-----". False where the device is
 * not set up. */
static bool drbd_put_states(struct sink *sink, const char *disk, struct bytes words)
{
	struct bytes word, value;

	while (text_word(&words, &word)) {
		if (drbd_take(word, "cs:", &value)) {
			if (text_is(value, "Unconfigured"))
				return false;
			drbd_put_connection(sink, disk, value);
		} else if (drbd_take(word, "ds:", &value)) {
			drbd_put_disks(sink, disk, value);
		}
	}
	return true;
}

/* "ns:0 nr:0 dw:0 dr:664 al:8 bm:0 lo:0 pe:0 ua:0 ap:0 ep:1 wo:f oos:0" */
static void drbd_put_counts(struct sink *sink, const char *disk, struct bytes words)
{
	struct bytes word, value;
	double number;

	while (text_word(&words, &word)) {
		if (drbd_take(word, "pe:", &value) && text_number(value, &number))
			sink_put(sink, disk, "waiting", number);
		else if (drbd_take(word, "ap:", &value) && text_number(value, &number))
			sink_put(sink, disk, "held", number);
		else if (drbd_take(word, "oos:", &value) && text_number(value, &number))
			sink_put(sink, disk, "out_of_sync", number * 1024);
	}
}

bool parse_drbd(struct bytes text, struct sink *sink)
{
	struct bytes line, word, rest;
	char disk[32] = "";
	double minor;
	bool any = false;

	while (text_line(&text, &line)) {
		rest = line;
		if (!text_word(&rest, &word))
			continue;
		if (text_cut_end(&word, ":") && text_number(word, &minor) && minor >= 0) {
			snprintf(disk, sizeof(disk), "drbd%.0f", minor);
			if (drbd_put_states(sink, disk, rest))
				any = true;
			else
				*disk = 0;
		} else if (*disk && text_starts(word, "ns:")) {
			drbd_put_counts(sink, disk, line);
		}
	}
	return any;
}

static int read_drbd(struct capture *fs, void *state, struct sink *sink)
{
	struct bytes text, version;
	int err = capture_read(fs, "/proc/drbd", &text);

	(void)state;
	if (err) {
		sink_missing(sink, "/proc/drbd: %s", strerror(-err));
		return err;
	}
	version = text;
	if (parse_drbd(text, sink))
		return 0;
	if (text_starts(version, "version: 9"))
		sink_absent(sink, "DRBD 9 tells how it is to drbdadm only");
	else
		sink_none(sink);
	return 0;
}

SOURCE(drbd) = {
	.name = "drbd",
	.what = "/proc/drbd: whether mirrored disks are connected, whole and in step (DRBD 8)",
	.read = read_drbd,
};
