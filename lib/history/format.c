/* SPDX-License-Identifier: GPL-2.0-only */
/* How is the history opened, and a time said, for whoever wants to see it? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/escape.h"
#include "history/history.h"
#include "sys/statedir.h"
#include "history/format.h"
#include "base/str.h"
#include "base/datetime.h"

struct history *history_open_to_show(const char *program, const char *state)
{
	struct history *history;
	int err = history_open(&history, state, HISTORY_READ);
	char *dir, *shown;

	if (!err)
		return history;
	dir = statedir_itself(state);
	shown = escape_path(dir);
	if (err == -ENOENT)
		fprintf(stderr,
			"%s: there is no history in %s yet: 'tuesday run --cron' begins one\n",
			program, shown);
	else
		fprintf(stderr, "%s: the history in %s: %s\n", program, shown,
			err == -EPROTO		? "another program or a newer Tuesday wrote it"
				: err == -EPERM ? "it is not this user's own, or others may write "
						  "to it"
				: err == -EROFS
				? "a run was cut off while it wrote; root can read it"
				: err == -EUCLEAN ? "it is damaged"
						  : strerror(-err));
	free(shown);
	free(dir);
	return NULL;
}

void format_time(struct str *out, time_t time, time_t now)
{
	char *text = format_since(time, now);

	str_add(out, text);
	free(text);
}

void format_utc(struct str *out, time_t time)
{
	char text[DATETIME_UTC_SIZE];

	if (datetime_utc(text, time))
		str_add(out, text);
}
