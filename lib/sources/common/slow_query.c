/* SPDX-License-Identifier: GPL-2.0-only */
/* What is the answer to each question, and which of them hang? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "sys/child.h"
#include "sources/common/hang_lock.h"
#include "sources/common/slow_query.h"
#include "sources/common/parse_text.h"
#include "base/str.h"

#define HUNG_MAX 3 /* so many deadlines a time */

static bool asking_is_asked(const struct asking *asking, size_t i)
{
	return !asking->hung[i] && !(asking->skip && asking->skip[i]);
}

/* What the child is told. */
struct asking_child {
	const struct asking *asking;
	int lock; /* of hang_lock_open(), or -errno */
};

static void ask_locked(const struct asking_child *child, size_t i, struct str *answer)
{
	const struct asking *asking = child->asking;
	uint64_t identity;

	if (child->lock < 0) {
		asking->ask(asking->arg, i, answer);
		return;
	}
	identity = asking->identity(asking->arg, i);
	hang_lock_take(child->lock, identity);
	asking->ask(asking->arg, i, answer);
	hang_lock_free(child->lock, identity);
}

static int ask_each(void *arg, int fd)
{
	const struct asking_child *child = arg;
	const struct asking *asking = child->asking;
	struct str answer = STR_INIT;
	size_t i;

	for (i = 0; i < asking->n; i++) {
		if (!asking_is_asked(asking, i))
			continue;
		dprintf(fd, "%zu\n", i);
		str_clear(&answer);
		ask_locked(child, i, &answer);
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

/* Somebody who asks at this moment has not waited for as long as we would. */
static void asking_leave_out_held(struct asking *asking, int lock)
{
	size_t i;

	for (i = 0; lock >= 0 && i < asking->n; i++) {
		if (!asking_is_asked(asking, i))
			continue;
		asking->since[i] = hang_lock_held(lock, asking->identity(asking->arg, i));
		if (asking->since[i] * 1000 > asking->deadline_ms)
			asking->hung[i] = true;
		else
			asking->since[i] = 0;
	}
}

bool asking_still(struct bytes words, double *seconds)
{
	struct bytes word;

	return text_word(&words, &word) && text_is(word, "still") &&
		text_next_number(&words, seconds) && *seconds >= 0;
}

const char *asking_error(int err)
{
	return err == -EPIPE ? "the process that asks was killed" : strerror(-err);
}

static int asking_run_apart(struct asking *asking, int lock, struct str *answer)
{
	struct asking_child work = {asking, lock};
	int err = -ETIMEDOUT, tries, status;

	for (tries = 0; tries <= HUNG_MAX && err == -ETIMEDOUT; tries++) {
		struct child child;

		str_clear(answer);
		err = child_start(&child, ask_each, &work);
		if (err)
			return err;
		err = child_collect(&child, asking->deadline_ms, NULL, NULL, answer, &status);
		if (err == -ETIMEDOUT)
			mark_hung(asking, (struct bytes){str_text(answer), answer->len});
	}
	return err == -ETIMEDOUT ? 0 : err;
}

int asking_run(struct asking *asking, struct str *answer)
{
	int err, lock;
	size_t i;

	for (i = 0; asking->calm && i < asking->n; i++)
		if (asking_is_asked(asking, i))
			asking->ask(asking->arg, i, answer);
	if (asking->calm)
		return 0;
	lock = asking->lock ? hang_lock_open(asking->lock) : -ENOENT;
	asking_leave_out_held(asking, lock);
	err = asking_run_apart(asking, lock, answer);
	if (lock >= 0)
		close(lock);
	/* A recording must show what hung in an earlier try, or an earlier sample. */
	for (i = 0; i < asking->n; i++)
		if (asking->hung[i]) {
			if (asking->since && asking->since[i] > 0)
				str_addf(answer, "%zu still %.0f\n", i, asking->since[i]);
			str_addf(answer, "%zu\n", i);
		}
	return err;
}
