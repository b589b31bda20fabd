/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions does .eh_frame describe, and where are their instructions? */
#include "base/banned.h"

#include "symbols/eh_frame.h"

/* DW_EH_PE_*: the lower half is the form, the upper one what it is relative to. */
enum {
	PE_ABSOLUTE = 0x00,
	PE_ULEB = 0x01,
	PE_TWO = 0x02,
	PE_FOUR = 0x03,
	PE_EIGHT = 0x04,
	PE_SLEB = 0x09,
	PE_SIGNED_TWO = 0x0a,
	PE_SIGNED_FOUR = 0x0b,
	PE_SIGNED_EIGHT = 0x0c,
	PE_FORM = 0x0f,
	PE_RELATIVE = 0x70,
	PE_TO_PLACE = 0x10,
	PE_OMITTED = 0xff,
};

/* A record without its length. */
struct eh_record {
	uint32_t offset; /* of its length */
	uint32_t id;	 /* 0: a common one; else how far before this number that one is */
	uint32_t id_at;
	struct eh_cursor rest;
};

uint64_t eh_cursor_take(struct eh_cursor *cursor, size_t n_bytes)
{
	uint64_t value = 0;

	if ((size_t)(cursor->end - cursor->at) < n_bytes) {
		cursor->damaged = true;
		cursor->at = cursor->end;
		return 0;
	}
	for (size_t i = 0; i < n_bytes; i++)
		value |= (uint64_t)cursor->at[i] << 8 * i;
	cursor->at += n_bytes;
	return value;
}

uint64_t eh_cursor_uleb(struct eh_cursor *cursor)
{
	uint64_t value = 0;
	unsigned int shift;

	for (shift = 0; shift < 70; shift += 7) {
		const uint64_t byte = eh_cursor_take(cursor, 1);

		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	cursor->damaged = true;
	return 0;
}

int64_t eh_cursor_sleb(struct eh_cursor *cursor)
{
	uint64_t value = 0;
	unsigned int shift;

	for (shift = 0; shift < 70; shift += 7) {
		const uint64_t byte = eh_cursor_take(cursor, 1);

		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift + 7 < 64)
			value |= ~(uint64_t)0 << (shift + 7);
		return (int64_t)value;
	}
	cursor->damaged = true;
	return 0;
}

struct eh_cursor eh_cursor_part(struct eh_cursor *cursor, uint64_t n)
{
	struct eh_cursor part = {cursor->at, cursor->at, cursor->damaged};

	if ((uint64_t)(cursor->end - cursor->at) < n) {
		cursor->damaged = part.damaged = true;
		cursor->at = cursor->end;
		return part;
	}
	part.end = cursor->at += n;
	return part;
}

static int64_t eh_sign(uint64_t value, unsigned int bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static uint64_t eh_form(struct eh_cursor *cursor, uint8_t form, bool narrow)
{
	switch (form) {
	case PE_ABSOLUTE:
		return eh_cursor_take(cursor, narrow ? 4 : 8);
	case PE_ULEB:
		return eh_cursor_uleb(cursor);
	case PE_TWO:
		return eh_cursor_take(cursor, 2);
	case PE_FOUR:
		return eh_cursor_take(cursor, 4);
	case PE_SLEB:
		return (uint64_t)eh_cursor_sleb(cursor);
	case PE_SIGNED_TWO:
		return (uint64_t)eh_sign(eh_cursor_take(cursor, 2), 16);
	case PE_SIGNED_FOUR:
		return (uint64_t)eh_sign(eh_cursor_take(cursor, 4), 32);
	case PE_EIGHT:
	case PE_SIGNED_EIGHT:
		return eh_cursor_take(cursor, 8);
	default:
		cursor->damaged = true;
		return 0;
	}
}

/* An address of code: absolute, or relative to where it stands. */
static uint64_t eh_pointer(const struct eh_frame *frames, struct eh_cursor *cursor, uint8_t pointer)
{
	const uint64_t place = frames->address + (uint64_t)(cursor->at - frames->bytes);
	uint64_t value = eh_form(cursor, pointer & PE_FORM, frames->narrow);

	if ((pointer & PE_RELATIVE) == PE_TO_PLACE)
		value += place;
	else if (pointer & PE_RELATIVE)
		cursor->damaged = true;
	return frames->narrow ? (uint32_t)value : value;
}

/* The record at an offset. False at the end, and where it is damaged. Records of more than 4 GB,
 * which have another form, are in no file. */
static bool eh_record_at(const struct eh_frame *frames, size_t offset, struct eh_record *record)
{
	struct eh_cursor cursor = {frames->bytes + offset, frames->bytes + frames->len, false};
	uint64_t len;

	if (offset > frames->len || frames->len > UINT32_MAX)
		return false;
	len = eh_cursor_take(&cursor, 4);
	if (!len || len == UINT32_MAX || cursor.damaged)
		return false;
	record->offset = (uint32_t)offset;
	record->rest = eh_cursor_part(&cursor, len);
	record->id_at = (uint32_t)(record->rest.at - frames->bytes);
	record->id = (uint32_t)eh_cursor_take(&record->rest, 4);
	return !record->rest.damaged;
}

/* What the letters of the augmentation say, which begins with 'z'. */
static void eh_augmentation(const struct eh_frame *frames, struct eh_cursor *cursor,
	const char *letters, struct eh_frame_common *common)
{
	struct eh_cursor data = eh_cursor_part(cursor, eh_cursor_uleb(cursor));

	common->augmented = true;
	for (; *letters && !data.damaged; letters++) {
		if (*letters == 'R') {
			common->pointer = (uint8_t)eh_cursor_take(&data, 1);
		} else if (*letters == 'L') {
			eh_cursor_take(&data, 1);
		} else if (*letters == 'P') {
			const uint8_t form = (uint8_t)eh_cursor_take(&data, 1);

			if (form != PE_OMITTED)
				eh_form(&data, form & PE_FORM, frames->narrow);
		} else if (*letters == 'S') {
			common->is_signal = true;
		} else if (*letters != 'B') {
			/* Not known: what follows cannot be told apart. */
			break;
		}
	}
	cursor->damaged |= data.damaged;
}

bool eh_frame_common_at(
	const struct eh_frame *frames, uint32_t offset, struct eh_frame_common *common)
{
	struct eh_record record;
	struct eh_cursor *cursor = &record.rest;
	const char *letters;
	uint64_t version;

	*common = (struct eh_frame_common){.pointer = PE_ABSOLUTE};
	if (!eh_record_at(frames, offset, &record) || record.id)
		return false;
	version = eh_cursor_take(cursor, 1);
	letters = (const char *)cursor->at;
	if (!memchr(letters, 0, (size_t)(cursor->end - cursor->at)))
		return false;
	cursor->at += strlen(letters) + 1;
	if (version != 1 && version != 3 && version != 4)
		return false;
	if (version == 4)
		eh_cursor_take(cursor, 2);
	common->code_unit = eh_cursor_uleb(cursor);
	common->data_unit = eh_cursor_sleb(cursor);
	common->return_register = version == 1 ? eh_cursor_take(cursor, 1) : eh_cursor_uleb(cursor);
	if (*letters == 'z')
		eh_augmentation(frames, cursor, letters + 1, common);
	else if (*letters)
		return false;
	common->instructions = *cursor;
	return !cursor->damaged;
}

/* The addresses of a function, and its instructions. */
static bool eh_function(const struct eh_frame *frames, struct eh_record *record,
	const struct eh_frame_common *common, struct eh_frame_function *function)
{
	struct eh_cursor *cursor = &record->rest;

	function->address = eh_pointer(frames, cursor, common->pointer);
	function->size = eh_form(cursor, common->pointer & PE_FORM, frames->narrow);
	if (common->augmented)
		eh_cursor_part(cursor, eh_cursor_uleb(cursor));
	return !cursor->damaged;
}

bool eh_frame_instructions(const struct eh_frame *frames, const struct eh_frame_function *function,
	const struct eh_frame_common *common, struct eh_cursor *instructions)
{
	struct eh_frame_function again;
	struct eh_record record;

	if (!eh_record_at(frames, function->record, &record) || !record.id ||
		!eh_function(frames, &record, common, &again))
		return false;
	*instructions = record.rest;
	return true;
}

size_t eh_frame_each(const struct eh_frame *frames,
	bool (*found)(void *arg, const struct eh_frame_function *function), void *arg)
{
	struct eh_frame_common common;
	struct eh_record record;
	uint32_t known = UINT32_MAX; /* the common record that was looked at last */
	size_t n = 0, offset;

	for (offset = 0; n < EH_FRAME_FUNCTIONS_MAX && eh_record_at(frames, offset, &record);
		offset = (size_t)(record.rest.end - frames->bytes)) {
		struct eh_frame_function function = {.record = record.offset};

		if (!record.id)
			continue;
		if (record.id > record.id_at)
			break;
		function.common = record.id_at - record.id;
		if (function.common != known &&
			!eh_frame_common_at(frames, function.common, &common))
			break;
		known = function.common;
		if (!eh_function(frames, &record, &common, &function))
			break;
		if (!function.address || !function.size)
			continue;
		n++;
		if (!found(arg, &function))
			break;
	}
	return n;
}
