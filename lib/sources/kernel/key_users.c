/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of its quota of keys does each user have in use? Instances are uids, as this user
 * namespace sees them; root's quota is another one and larger.
 */
#include "base/banned.h"
#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/kernel/key_users.h"
#include "sample/source.h"

/* "12/200" */
static bool take_pair(struct bytes *line, double *used, double *limit)
{
	struct bytes word, before;

	return text_word(line, &word) && text_until(&word, '/', &before) &&
		text_number(before, used) && text_number(word, limit);
}

/* "  0:     9 8/8 3/1000000 48/25000000": the third pair is keys, the fourth bytes. */
void parse_key_users(struct bytes text, struct sink *sink)
{
	struct bytes line, uid, word;
	double keys, keys_max, bytes, bytes_max;
	char instance[32];

	while (text_line(&text, &line)) {
		if (!text_word(&line, &uid) || !text_cut_end(&uid, ":") ||
			!text_copy(uid, instance, sizeof(instance)))
			continue;
		if (!text_word(&line, &word) || !take_pair(&line, &keys, &keys_max) ||
			!take_pair(&line, &keys, &keys_max) ||
			!take_pair(&line, &bytes, &bytes_max))
			continue;
		sink_put(sink, instance, "keys", keys);
		sink_put(sink, instance, "keys_max", keys_max);
		sink_put(sink, instance, "bytes", bytes);
		sink_put(sink, instance, "bytes_max", bytes_max);
	}
}

static int read_key_users(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/key-users", parse_key_users, sink);
}

SOURCE(keyuser) = {
	.name = "keyuser",
	.what = "/proc/key-users: keys and their bytes by user, and their quotas",
	.read = read_key_users,
};
