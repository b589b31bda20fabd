/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a stream do? Every XeCore fills a buffer of its own; the driver looks at the hardware's
 * pointers every 5 ms, and a read takes what was there by then, XeCore 0 first.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"

static void set_ready(struct stream *stream, bool ready)
{
	uint64_t count = 1;
	struct {
		int flags;
	} before = {fcntl(stream->event, F_GETFL)};

	/* The flags are those of the program's end too: ours must not wait. */
	fcntl(stream->event, F_SETFL, before.flags | O_NONBLOCK);
	while (read(stream->event, &count, sizeof(count)) > 0)
		;
	count = 1;
	if (ready && write(stream->event, &count, sizeof(count)) < 0)
		violation("the event cannot be set");
	fcntl(stream->event, F_SETFL, before.flags);
}

/* How many records an XeCore makes until the next tick: samples are taken every so many cycles. */
static long per_tick(const struct stream *stream)
{
	return scenario.per_ms * TICK_MS * (scenario.clock && stream->ticks % 3 == 0 ? 3 : 1);
}

static long all_pending(const struct stream *stream)
{
	long n = 0;

	for (long i = 0; i < scenario.xecores; i++)
		n += stream->pending[i];
	return n;
}

/*
 * In overload hardware goes on while nobody reads. Else time stands still for a program that is
 * kept waiting, so that a busy machine drops nothing that a quiet one would not.
 */
void stream_tick(struct stream *stream)
{
	long room = scenario.buffer / 64;

	if (!stream->is_enabled || stream->is_dead)
		return;
	if (all_pending(stream) && !stream->was_read && !scenario.overload)
		return;
	stream->was_read = false;
	stream->ticks++;
	for (long i = 0; i < scenario.xecores; i++) {
		stream->pending[i] += per_tick(stream);
		if (scenario.burst && stream->ticks % scenario.burst == 0 &&
			i >= scenario.xecores / 2)
			stream->pending[i] += room;
		if (stream->pending[i] <= room)
			continue;
		stream->pending[i] = room;
		stream->dropped[i] = true;
	}
	if (all_pending(stream))
		set_ready(stream, true);
}

static long enable(struct stream *stream)
{
	if (scenario.enable_errno)
		return -scenario.enable_errno;
	if (stream->is_enabled)
		return -EINVAL;
	stream->is_enabled = true;
	stream->is_dead = false;
	stream->window++;
	memset(stream->pending, 0, sizeof(stream->pending));
	memset(stream->dropped, 0, sizeof(stream->dropped));
	set_ready(stream, false);
	return 0;
}

long stream_ioctl(size_t gpu, size_t gt, unsigned long request)
{
	struct stream *stream = &gpus[gpu].streams[gt];

	if (!stream->is_open)
		return -EBADF;
	if (request == 0x6900 || request == 0x6901)
		note("%s gt %zu", request == 0x6900 ? "enable" : "disable", gt);
	if (gpus[gpu].is_gone)
		return scenario.wedge_at ? -ECANCELED : -ENODEV;
	if (request == 0x6900)
		return enable(stream);
	if (request != 0x6901) {
		violation("ioctl 0x%lx of a stream", request);
		return -EINVAL;
	}
	if (!stream->is_enabled)
		violation("a stream that is off was switched off");
	stream->is_enabled = false;
	set_ready(stream, false);
	return 0;
}

/* Set for the program's own descriptor, which we see in its fdinfo. */
static void check_flags(pid_t pid, int fd, bool *waits)
{
	char path[64], line[64];
	unsigned int flags = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "flags: %o", &flags);
	if (file)
		fclose(file);
	if (!(flags & O_CLOEXEC))
		violation("the stream is inherited by programs");
	*waits = !(flags & O_NONBLOCK);
	if (*waits)
		violation("the stream is left to wait");
}

/* What goes wrong today: 0 for nothing. */
static long fail(struct gpu *gpu, struct stream *stream)
{
	long reads = ++gpu->reads;

	if (scenario.unplug_at && reads >= scenario.unplug_at)
		gpu->is_gone = true;
	if (scenario.wedge_at && reads >= scenario.wedge_at)
		gpu->is_gone = true;
	if (gpu->is_gone)
		return scenario.wedge_at ? -ECANCELED : -ENODEV;
	if (scenario.reset_at && reads % scenario.reset_at == 0 && gpu->resets < scenario.resets) {
		gpu->resets++;
		stream->is_dead = true;
		set_ready(stream, true);
	}
	if (stream->is_dead)
		return -ENODEV;
	if (scenario.eintr && reads % 3 == 1)
		return -EINTR;
	if (scenario.eio == 2 || (scenario.eio == 1 && reads == 1))
		return -EIO;
	return 0;
}

static bool any_dropped(const struct stream *stream)
{
	for (long i = 0; i < scenario.xecores; i++)
		if (stream->dropped[i])
			return true;
	return false;
}

/* As many as fit, XeCore 0 first, from the pool. */
static long take_pool(pid_t pid, struct stream *stream, uint64_t to, uint64_t room)
{
	uint64_t n = 0;

	for (size_t i = 0; i < (size_t)scenario.xecores && n < room; i++) {
		stream->dropped[i] = false;
		while (stream->pending[i] && n < room) {
			uint64_t part = (uint64_t)stream->pending[i];
			const uint8_t *bytes;

			if (part > room - n)
				part = room - n;
			bytes = pool_next(&part);
			if (!poke(pid, to + 64 * n, bytes, 64 * part))
				return -EFAULT;
			stream->pending[i] -= (long)part;
			n += part;
		}
	}
	return (long)n * 64;
}

static long take_records(pid_t pid, struct stream *stream, uint64_t to, uint64_t size)
{
	uint64_t room = size / 64, n = 0;
	uint8_t *bytes;
	bool stored;

	if (scenario.short_reads && room > 64)
		room = 64;
	if (room > (uint64_t)all_pending(stream))
		room = (uint64_t)all_pending(stream);
	if (scenario.pool)
		return take_pool(pid, stream, to, room);
	bytes = malloc(room * 64 + 1);
	for (size_t i = 0; i < (size_t)scenario.xecores && n < room; i++) {
		stream->dropped[i] = false;
		for (; stream->pending[i] && n < room; stream->pending[i]--, n++)
			record_make(bytes + 64 * n, i, stream->window);
	}
	stored = poke(pid, to, bytes, n * 64);
	free(bytes);
	return stored ? (long)n * 64 : -EFAULT;
}

static void burn(void)
{
	const clock_t end = clock() + scenario.burn_ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		;
}

long stream_read(pid_t pid, size_t gpu, size_t gt, int fd, uint64_t to, uint64_t size)
{
	struct stream *stream = &gpus[gpu].streams[gt];
	bool waits = false;
	long err;

	check_flags(pid, fd, &waits);
	if (!stream->is_enabled || size < 64)
		return -EINVAL;
	if (scenario.hang)
		return -EDEADLK;
	err = fail(&gpus[gpu], stream);
	if (err)
		return err;
	if (scenario.zero_read && gpus[gpu].reads == 1)
		return 0;
	if (any_dropped(stream) && !stream->told_eio) {
		stream->told_eio = true;
		return -EIO;
	}
	stream->told_eio = false;
	stream->was_read = true;
	set_ready(stream, false);
	if (!all_pending(stream)) {
		if (waits)
			violation("a read that waits for ever");
		return waits ? -EDEADLK : -EAGAIN;
	}
	burn();
	return take_records(pid, stream, to, size);
}
