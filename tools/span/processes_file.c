/* SPDX-License-Identifier: GPL-2.0-only */
/* How are spans written of which some have not ended? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tools/span/processes.h"
#include "tools/span/processes_file.h"
#include "tools/span/processes_line.h"

#define SECOND_NS UINT64_C(1000000000)
#define DRAFT_AFTER_NS SECOND_NS /* what ends before that is never a draft of its own */
#define DRAFT_EVERY_NS SECOND_NS /* where nothing ends that lies in it */
#define DRAFT_SPARE 24		 /* blanks in which a draft's numbers can grow */

static void file_put(struct processes *all, const char *text, size_t len, uint64_t at)
{
	errno = 0;
	if (!all->failed && pwrite(all->fd, text, len, (off_t)at) != (ssize_t)len)
		all->failed = errno ? -errno : -EIO;
}

/* A line of a process, filled up with blanks before its newline. */
static void file_pad(struct str *line, size_t len)
{
	line->text[--line->len] = 0;
	while (line->len < len - 1)
		str_addc(line, ' ');
	str_addc(line, '\n');
}

static void draft_blank(struct processes *all, struct process *process)
{
	struct str line = STR_INIT;

	if (!process->draft_len)
		return;
	str_addc(&line, '\n');
	file_pad(&line, process->draft_len);
	file_put(all, line.text, line.len, process->draft_at);
	process->draft_len = 0;
	str_free(&line);
}

static void draft_write(struct processes *all, size_t place, uint64_t now_ns)
{
	struct process *process = &all->list[place];
	struct str line = STR_INIT;

	if (process->drafted_ns == now_ns)
		return;
	if (!process->drafted_ns) {
		ARRAY_GROW(all->drafts, all->n_drafts, all->drafts_room);
		all->drafts[all->n_drafts++] = place;
	}
	process->drafted_ns = now_ns;
	processes_line(all, process, now_ns, &line);
	/* It has become another program. */
	if (line.len > process->draft_len) {
		draft_blank(all, process);
		process->draft_len = line.len + DRAFT_SPARE;
		process->draft_at = all->written;
		all->written += process->draft_len;
	}
	file_pad(&line, process->draft_len);
	file_put(all, line.text, line.len, process->draft_at);
	str_free(&line);
}

void processes_file_add(struct processes *all, size_t place)
{
	ARRAY_GROW(all->ended, all->n_ended, all->ended_room);
	all->ended[all->n_ended++] = place;
}

/* What lives of a process and of all that it is within. */
static void draft_tree(struct processes *all, size_t place, uint64_t now_ns)
{
	for (; place < all->n && all->list[place].drafted_ns != now_ns;
		place = all->list[place].parent)
		if (!all->list[place].end_ns)
			draft_write(all, place, now_ns);
}

/* What has come to live for a while: the list is by the time at which they began. */
static void drafts_grown_up(struct processes *all, uint64_t now_ns)
{
	for (; all->young < all->n; all->young++) {
		const struct process *process = &all->list[all->young];

		if (process->end_ns)
			continue;
		if (now_ns < process->start_ns + DRAFT_AFTER_NS)
			return;
		draft_tree(all, all->young, now_ns);
	}
}

static void drafts_again(struct processes *all, uint64_t now_ns)
{
	size_t i, n = 0;

	for (i = 0; i < all->n_drafts; i++) {
		const size_t place = all->drafts[i];

		if (all->list[place].end_ns)
			continue;
		draft_write(all, place, now_ns);
		all->drafts[n++] = place;
	}
	all->n_drafts = n;
	all->drafted_ns = now_ns;
}

void processes_flush(struct processes *all, uint64_t now_ns)
{
	struct str lines = STR_INIT;
	size_t i;

	for (i = 0; i < all->n_ended; i++)
		draft_tree(all, all->ended[i], now_ns);
	drafts_grown_up(all, now_ns);
	if (now_ns >= all->drafted_ns + DRAFT_EVERY_NS)
		drafts_again(all, now_ns);
	for (i = 0; i < all->n_ended; i++)
		processes_line(all, &all->list[all->ended[i]], 0, &lines);
	if (lines.len)
		file_put(all, lines.text, lines.len, all->written);
	all->written += lines.len;
	for (i = 0; i < all->n_ended; i++)
		draft_blank(all, &all->list[all->ended[i]]);
	all->n_ended = 0;
	str_free(&lines);
}

void processes_file_free(struct processes *all)
{
	free(all->ended);
	free(all->drafts);
}
