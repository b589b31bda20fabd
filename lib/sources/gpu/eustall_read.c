/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a recording of an EU-stall stream say, whoever wrote it? */
#include "base/banned.h"

#include <errno.h>

#include "sources/gpu/eustall_write.h"
#include "sources/gpu/eustall_format.h"
#include "base/str.h"
#include "sources/gpu/eustall_read.h"

enum { PIECE = 16384 * EUSTALL_RECORD }; /* bytes of records handed out at once: 1 MiB */

struct replay {
	FILE *from;
	const struct eustallfile_reader *reader;
	uint8_t *piece;
	char *text; /* of a kernel or a launch, terminated */
	bool ended;
};

struct chunk {
	uint32_t kind, id;
	uint64_t bytes;
};

/* Returns 0, -ENODATA where the file ends before so many, or -errno. */
static int replay_take(FILE *from, void *bytes, size_t n)
{
	if (!n || fread(bytes, n, 1, from) == 1)
		return 0;
	return ferror(from) ? -EIO : -ENODATA;
}

int eustallfile_read_header(FILE *from, struct eustallfile_header *header)
{
	uint8_t bytes[EUSTALLFILE_HEADER_BYTES];
	enum eustall_layout layout;
	uint32_t length;
	int err = replay_take(from, bytes, sizeof(bytes));

	if (err || memcmp(bytes, EUSTALLFILE_MAGIC, AT_VERSION) != 0)
		return err == -EIO ? err : -ENOEXEC;
	if (get_u32(bytes + AT_VERSION) != EUSTALLFILE_VERSION)
		return -EPROTO;
	length = get_u32(bytes + AT_HEADER_BYTES);
	*header = (struct eustallfile_header){
		.pci_id = get_u32(bytes + AT_PCI_ID),
		.version = get_u16(bytes + AT_IP_VERSION),
		.gts = get_u16(bytes + AT_GTS),
		.xecores = get_u32(bytes + AT_XECORES),
		.engines = get_u32(bytes + AT_ENGINES),
		.windows = get_u32(bytes + AT_WINDOWS),
		.rate = get_u64(bytes + AT_RATE),
		.clock_hz = get_u64(bytes + AT_CLOCK),
		.started_ns = get_u64(bytes + AT_STARTED),
	};
	/* A file that says one and holds another would be decoded into nonsense. */
	if (eustall_layout_of(header->version, &layout) || layout != get_u32(bytes + AT_LAYOUT) ||
		(layout == EUSTALL_PVC && !eustall_is_pvc(header->pci_id)))
		return -EBADMSG;
	header->layout = layout;
	return length == EUSTALLFILE_HEADER_BYTES ? 0 : -EBADMSG;
}

static int replay_bytes(struct replay *replay, const struct chunk *chunk)
{
	const struct xe_reader *stream = &replay->reader->stream;
	uint64_t left = chunk->bytes;

	if (left % EUSTALL_RECORD)
		return -EBADMSG;
	while (left) {
		const size_t wanted = left < PIECE ? (size_t)left : PIECE;
		/* What is there of a chunk that was cut is worth as much as all before it. */
		const size_t got = fread(replay->piece, EUSTALL_RECORD, wanted / EUSTALL_RECORD,
					   replay->from) *
			EUSTALL_RECORD;
		int err = 0;

		if (got && stream->on_bytes)
			err = stream->on_bytes(stream->arg, chunk->id, replay->piece, got);
		if (err)
			return err;
		if (got < wanted)
			return ferror(replay->from) ? -EIO : -ENODATA;
		left -= got;
	}
	return 0;
}

static int replay_drop(struct replay *replay, const struct chunk *chunk)
{
	const struct xe_reader *stream = &replay->reader->stream;

	if (chunk->bytes)
		return -EBADMSG;
	if (stream->on_drop)
		stream->on_drop(stream->arg, chunk->id);
	return 0;
}

static int replay_window(struct replay *replay, const struct chunk *chunk)
{
	const struct xe_reader *stream = &replay->reader->stream;
	uint8_t bytes[EUSTALLFILE_WINDOW_BYTES];
	struct xe_window window;
	int err;

	if (chunk->bytes != sizeof(bytes))
		return -EBADMSG;
	err = replay_take(replay->from, bytes, sizeof(bytes));
	if (err)
		return err;
	window = (struct xe_window){
		.number = chunk->id,
		.start_ns = get_u64(bytes + AT_START),
		.enabled_ns = get_u64(bytes + AT_ENABLED),
		.cpu_ns = get_u64(bytes + AT_CPU),
		.bytes = get_u64(bytes + AT_BYTES),
		.reads = get_u64(bytes + AT_READS),
		.drops = get_u64(bytes + AT_DROPS),
		.resets = (unsigned int)get_u64(bytes + AT_RESETS),
		.is_cut = get_u64(bytes + AT_CUT),
	};
	return stream->on_window ? stream->on_window(stream->arg, &window) : 0;
}

/* A text behind some numbers; what it holds of NUL ends it. */
static int replay_take_text(
	struct replay *replay, const struct chunk *chunk, uint8_t *numbers, size_t n_numbers)
{
	int err;

	if (chunk->bytes < n_numbers || chunk->bytes - n_numbers > EUSTALLFILE_TEXT_MAX)
		return -EBADMSG;
	err = replay_take(replay->from, numbers, n_numbers);
	if (!err)
		err = replay_take(replay->from, replay->text, (size_t)chunk->bytes - n_numbers);
	replay->text[err ? 0 : (size_t)chunk->bytes - n_numbers] = 0;
	return err;
}

static int replay_kernel(struct replay *replay, const struct chunk *chunk)
{
	uint8_t numbers[EUSTALLFILE_KERNEL_BYTES];
	struct eustallfile_kernel kernel = {.id = chunk->id, .name = replay->text};
	int err = replay_take_text(replay, chunk, numbers, sizeof(numbers));

	if (err || !replay->reader->on_kernel)
		return err;
	kernel.address = get_u64(numbers);
	kernel.size = get_u64(numbers + 8);
	return replay->reader->on_kernel(replay->reader->arg, &kernel);
}

static int replay_launch(struct replay *replay, const struct chunk *chunk)
{
	uint8_t numbers[EUSTALLFILE_LAUNCH_BYTES];
	struct eustallfile_launch launch = {.kernel = chunk->id, .stack = replay->text};
	int err = replay_take_text(replay, chunk, numbers, sizeof(numbers));

	if (err || !replay->reader->on_launch)
		return err;
	launch.count = get_u64(numbers);
	return replay->reader->on_launch(replay->reader->arg, &launch);
}

static int pass_over(struct replay *replay, const struct chunk *chunk)
{
	uint64_t left = chunk->bytes;
	int err = 0;

	while (left && !err) {
		const size_t n = left < PIECE ? (size_t)left : PIECE;

		err = replay_take(replay->from, replay->piece, n);
		left -= n;
	}
	return err;
}

static int replay_chunk(struct replay *replay)
{
	uint8_t head[EUSTALLFILE_HEAD_BYTES];
	struct chunk chunk;
	int err = replay_take(replay->from, head, sizeof(head));

	if (err)
		return err;
	chunk = (struct chunk){get_u32(head), get_u32(head + 4), get_u64(head + 8)};
	switch (chunk.kind) {
	case CHUNK_BYTES:
		return replay_bytes(replay, &chunk);
	case CHUNK_DROP:
		return replay_drop(replay, &chunk);
	case CHUNK_WINDOW:
		return replay_window(replay, &chunk);
	case CHUNK_KERNEL:
		return replay_kernel(replay, &chunk);
	case CHUNK_LAUNCH:
		return replay_launch(replay, &chunk);
	case CHUNK_END:
		replay->ended = true;
		return chunk.bytes ? -EBADMSG : 0;
	default:
		return pass_over(replay, &chunk);
	}
}

int eustallfile_replay(FILE *from, const struct eustallfile_reader *reader, bool *cut)
{
	struct replay replay = {.from = from, .reader = reader};
	int err = 0;

	replay.piece = mem_alloc(PIECE);
	replay.text = mem_alloc(EUSTALLFILE_TEXT_MAX + 1);
	while (!err && !replay.ended)
		err = replay_chunk(&replay);
	*cut = err == -ENODATA;
	free(replay.piece);
	free(replay.text);
	return *cut ? 0 : err;
}
