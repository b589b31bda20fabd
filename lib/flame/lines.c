/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a file read that may be larger than memory, or have a line that is? */
#include "base/banned.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/str.h"
#include "flame/folded.h"
#include "flame/lines.h"

#define BLOCK ((size_t)256 << 10) /* what a core keeps near itself */

/* A file is read in pieces and not mapped: whoever may cut it could end us. */
struct lines_input {
	char *bytes;
	size_t len, room;
	bool skips; /* the rest of a line that is too long */
	void (*take)(void *arg, const char *text, size_t len);
	void *arg;
	uint64_t *too_long;
};

/* Takes the whole lines of what was read, and moves the rest to the front. */
static void lines_take(struct lines_input *in)
{
	const char *end = memrchr(in->bytes, '\n', in->len), *from = in->bytes;
	size_t whole;

	if (!end) {
		if (in->len < FLAME_LINE_MAX)
			return;
		*in->too_long += !in->skips;
		in->skips = true;
		in->len = 0;
		return;
	}
	whole = (size_t)(end - in->bytes) + 1;
	if (in->skips)
		from = (const char *)memchr(in->bytes, '\n', in->len) + 1;
	in->skips = false;
	in->take(in->arg, from, (size_t)(in->bytes + whole - from));
	memmove(in->bytes, in->bytes + whole, in->len - whole);
	in->len -= whole;
}

int flame_lines_read(int fd, void (*take)(void *arg, const char *text, size_t len), void *arg,
	uint64_t *too_long)
{
	struct lines_input in = {.take = take, .arg = arg, .too_long = too_long};
	ssize_t n = 1;
	int err = 0;

	while (n && !err) {
		if (in.len + BLOCK > in.room) {
			in.room = in.room ? in.room * 2 : BLOCK * 2;
			in.bytes = mem_realloc_array(in.bytes, in.room, 1);
		}
		n = read(fd, in.bytes + in.len, BLOCK);
		if (progress_told_to_stop())
			err = -EINTR;
		else if (n < 0)
			err = errno == EINTR ? 0 : -errno;
		else if (n)
			in.len += (size_t)n;
		if (n > 0)
			lines_take(&in);
		n = n < 0 ? 1 : n;
	}
	if (!err && in.len && !in.skips)
		take(arg, in.bytes, in.len);
	free(in.bytes);
	return err;
}
