/* SPDX-License-Identifier: GPL-2.0-only */
/* What is the answer to each question, and which of them hang? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "sys/child.h"
#include "sources/common/slow_query.h"
#include "sources/common/parse_text.h"
#include "base/str.h"

#define HUNG_MAX 3 /* so many deadlines a time */

static bool asking_is_asked(const struct asking *asking, size_t i)
{
	return !asking->hung[i] && !(asking->skip && asking->skip[i]);
}

static int ask_each(void *arg, int fd)
{
	const struct asking *asking = arg;
	struct str answer = STR_INIT;
	size_t i;

	for (i = 0; i < asking->n; i++) {
		if (!asking_is_asked(asking, i))
			continue;
		dprintf(fd, "%zu\n", i);
		str_clear(&answer);
		asking->ask(asking->arg, i, &answer);
		dprintf(fd, "%s", str_text(&answer));
	}
	str_free(&answer);
	return 0;
}

bool asking_next(struct bytes *answer, size_t n, size_t *number, struct bytes *words)
{
	double value;

	while (text_line(answer, words)) {
		if (!text_next_number(words, &value) || value < 0 || value >= (double)n)
			continue;
		*number = (size_t)value;
		return true;
	}
	return false;
}

/* The child did not get beyond the question that it named last. */
static void mark_hung(const struct asking *asking, struct bytes answer)
{
	struct bytes words = {NULL, 1};
	size_t number = 0;

	while (asking_next(&answer, asking->n, &number, &words))
		;
	if (!words.len)
		asking->hung[number] = true;
}

int asking_run(struct asking *asking, struct str *answer)
{
	int err = -ETIMEDOUT, tries, status;
	size_t i;

	for (i = 0; asking->calm && i < asking->n; i++)
		if (asking_is_asked(asking, i))
			asking->ask(asking->arg, i, answer);
	if (asking->calm)
		return 0;
	for (tries = 0; tries <= HUNG_MAX && err == -ETIMEDOUT; tries++) {
		struct child child;

		str_clear(answer);
		err = child_start(&child, ask_each, asking);
		if (err)
			return err;
		err = child_collect(&child, asking->deadline_ms, NULL, NULL, answer, &status);
		if (err == -ETIMEDOUT)
			mark_hung(asking, (struct bytes){str_text(answer), answer->len});
	}
	/* A recording must show what hung in an earlier try, or an earlier sample. */
	for (i = 0; i < asking->n; i++)
		if (asking->hung[i])
			str_addf(answer, "%zu\n", i);
	return err == -ETIMEDOUT ? 0 : err;
}
