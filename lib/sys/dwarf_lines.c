/* SPDX-License-Identifier: GPL-2.0-only */
/* Which line of the source is at this address? */
#include "base/banned.h"

#include <errno.h>

#include "base/str.h"
#include "sys/dwarf_lines.h"

enum {
	OP_EXTENDED = 0,
	OP_COPY = 1,
	OP_ADVANCE_PC = 2,
	OP_ADVANCE_LINE = 3,
	OP_SET_FILE = 4,
	OP_CONST_ADD_PC = 8,
	OP_FIXED_ADVANCE_PC = 9,
	EXTENDED_END = 1,
	EXTENDED_ADDRESS = 2,
	CONTENT_PATH = 1,
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4 = 0x04,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_BLOCK1 = 0x0a,
	FORM_DATA1 = 0x0b,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
	FORMATS_MAX = 32
};

/* Where it is read; bad is set for good by what goes beyond the end. */
struct dwarf_cursor {
	const unsigned char *at, *end;
	bool bad;
};

struct dwarf_program {
	const struct dwarf_sections *sections;
	struct dwarf_cursor in;
	unsigned int version, offset_bytes;
	unsigned int least_instruction, line_range, opcode_base;
	int line_base;
	unsigned char lengths[256]; /* of operands, by opcode */
	const char **files;
	size_t n_files, files_room;
	size_t *rows;
	void (*row)(void *arg, const struct dwarf_row *row);
	void *arg;
};

static uint64_t dwarf_number(struct dwarf_cursor *in, size_t bytes)
{
	uint64_t value = 0;

	if ((size_t)(in->end - in->at) < bytes) {
		in->bad = true;
		in->at = in->end;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)in->at[i] << (8 * i);
	in->at += bytes;
	return value;
}

static void dwarf_skip(struct dwarf_cursor *in, uint64_t bytes)
{
	if ((uint64_t)(in->end - in->at) < bytes) {
		in->bad = true;
		in->at = in->end;
	} else {
		in->at += bytes;
	}
}

static uint64_t dwarf_uleb(struct dwarf_cursor *in)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; in->at < in->end; shift += 7) {
		const unsigned char byte = *in->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	in->bad = true;
	return 0;
}

static int64_t dwarf_sleb(struct dwarf_cursor *in)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; in->at < in->end; shift += 7) {
		const unsigned char byte = *in->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift + 7 < 64)
			value |= ~(uint64_t)0 << (shift + 7);
		return (int64_t)value;
	}
	in->bad = true;
	return 0;
}

static const char *dwarf_string(struct dwarf_cursor *in)
{
	const unsigned char *end = memchr(in->at, 0, (size_t)(in->end - in->at));
	const char *text = (const char *)in->at;

	if (!end) {
		in->bad = true;
		in->at = in->end;
		return "";
	}
	in->at = end + 1;
	return text;
}

static const char *dwarf_string_at(struct dwarf_bytes section, uint64_t offset)
{
	if (offset >= section.n || !memchr(section.bytes + offset, 0, section.n - offset))
		return "";
	return (const char *)section.bytes + offset;
}

static void dwarf_add_file(struct dwarf_program *program, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (program->n_files == DWARF_FILES_MAX)
		return;
	ARRAY_GROW(program->files, program->n_files, program->files_room);
	program->files[program->n_files++] = slash ? slash + 1 : path;
}

static uint64_t dwarf_offset(struct dwarf_program *program)
{
	const struct dwarf_sections *sections = program->sections;
	const size_t at = (size_t)(program->in.at - sections->line.bytes);
	const uint64_t value = dwarf_number(&program->in, program->offset_bytes);

	return sections->relocated ? sections->relocated(sections->relocated_arg, at, value)
				   : value;
}

/* A value of version 5: its text, or "" for what is none. */
static const char *dwarf_form(struct dwarf_program *program, uint64_t form)
{
	struct dwarf_cursor *in = &program->in;

	switch (form) {
	case FORM_STRING:
		return dwarf_string(in);
	case FORM_LINE_STRP:
		return dwarf_string_at(program->sections->line_strings, dwarf_offset(program));
	case FORM_STRP:
		return dwarf_string_at(program->sections->strings, dwarf_offset(program));
	case FORM_UDATA:
		dwarf_uleb(in);
		break;
	case FORM_DATA1:
	case FORM_DATA2:
	case FORM_DATA4:
	case FORM_DATA8:
	case FORM_DATA16:
		dwarf_skip(in,
			form == FORM_DATA1	     ? 1
				: form == FORM_DATA2 ? 2
				: form == FORM_DATA4 ? 4
				: form == FORM_DATA8 ? 8
						     : 16);
		break;
	case FORM_BLOCK1:
	case FORM_BLOCK2:
	case FORM_BLOCK4:
		dwarf_skip(in,
			dwarf_number(in,
				form == FORM_BLOCK1	      ? 1
					: form == FORM_BLOCK2 ? 2
							      : 4));
		break;
	case FORM_BLOCK:
		dwarf_skip(in, dwarf_uleb(in));
		break;
	default:
		in->bad = true;
	}
	return "";
}

/* A table of version 5: of directories, or of files. */
static void dwarf_table(struct dwarf_program *program, bool are_files)
{
	struct dwarf_cursor *in = &program->in;
	const unsigned int n_formats = (unsigned int)dwarf_number(in, 1);
	uint64_t content[FORMATS_MAX], form[FORMATS_MAX], n;

	for (unsigned int i = 0; i < n_formats && !in->bad; i++) {
		const unsigned int at = i < FORMATS_MAX ? i : FORMATS_MAX - 1;

		content[at] = dwarf_uleb(in);
		form[at] = dwarf_uleb(in);
	}
	n = dwarf_uleb(in);
	/* Entries without a format take no bytes: they could be any number. */
	if (!n_formats || n_formats > FORMATS_MAX) {
		in->bad |= n != 0 || n_formats > FORMATS_MAX;
		return;
	}
	for (; n && !in->bad && in->at < in->end; n--) {
		const char *path = "";

		for (unsigned int i = 0; i < n_formats && !in->bad; i++) {
			const char *text = dwarf_form(program, form[i]);

			if (content[i] == CONTENT_PATH)
				path = text;
		}
		if (are_files)
			dwarf_add_file(program, path);
	}
	in->bad |= n != 0;
}

/* Directories, and files from number 1 on, each ended by an empty one. */
static void dwarf_old_tables(struct dwarf_program *program)
{
	struct dwarf_cursor *in = &program->in;

	while (!in->bad && *dwarf_string(in))
		;
	dwarf_add_file(program, "");
	while (!in->bad) {
		const char *path = dwarf_string(in);

		if (!*path)
			break;
		dwarf_add_file(program, path);
		dwarf_uleb(in);
		dwarf_uleb(in);
		dwarf_uleb(in);
	}
}

/* The header of one program, whose bytes program->in has; it is left where the opcodes begin. */
static void dwarf_header(struct dwarf_program *program)
{
	struct dwarf_cursor *in = &program->in;
	const unsigned char *opcodes;
	uint64_t length;

	program->version = (unsigned int)dwarf_number(in, 2);
	if (program->version < 2 || program->version > 5) {
		in->bad = true;
		return;
	}
	if (program->version == 5)
		dwarf_skip(in, 2); /* sizes of addresses and of segment selectors */
	length = dwarf_number(in, program->offset_bytes);
	opcodes = in->at;
	dwarf_skip(in, length);
	if (in->bad)
		return;
	opcodes = in->at;
	in->at -= length;
	program->least_instruction = (unsigned int)dwarf_number(in, 1);
	if (program->version >= 4)
		dwarf_skip(in, 1); /* operations of an instruction: one */
	dwarf_skip(in, 1);	   /* whether rows are statements at first */
	program->line_base = (int8_t)dwarf_number(in, 1);
	program->line_range = (unsigned int)dwarf_number(in, 1);
	program->opcode_base = (unsigned int)dwarf_number(in, 1);
	for (unsigned int i = 1; i < program->opcode_base; i++)
		program->lengths[i] = (unsigned char)dwarf_number(in, 1);
	if (program->version == 5) {
		dwarf_table(program, false);
		dwarf_table(program, true);
	} else {
		dwarf_old_tables(program);
	}
	in->bad |= !program->line_range || !program->opcode_base || in->at > opcodes;
	in->at = opcodes;
}

struct dwarf_state {
	struct dwarf_row row;
	uint64_t file;
	int64_t line;
};

static void dwarf_begin_sequence(struct dwarf_state *state)
{
	*state = (struct dwarf_state){.file = 1, .line = 1};
	state->row.address_at = SIZE_MAX;
}

static void dwarf_put(struct dwarf_program *program, struct dwarf_state *state, bool ends)
{
	if (*program->rows >= DWARF_ROWS_MAX)
		return;
	++*program->rows;
	state->row.file = state->file < program->n_files ? program->files[state->file] : "";
	state->row.line = state->line > 0 && state->line <= UINT32_MAX ? (uint32_t)state->line : 0;
	state->row.ends = ends;
	program->row(program->arg, &state->row);
}

static void dwarf_extended(struct dwarf_program *program, struct dwarf_state *state)
{
	struct dwarf_cursor *in = &program->in;
	const uint64_t length = dwarf_uleb(in);
	const unsigned char *end;

	if (in->bad || !length || length > (uint64_t)(in->end - in->at)) {
		in->bad = true;
		return;
	}
	end = in->at + length;
	switch (*in->at++) {
	case EXTENDED_END:
		dwarf_put(program, state, true);
		dwarf_begin_sequence(state);
		break;
	case EXTENDED_ADDRESS:
		state->row.address_at = (size_t)(in->at - program->sections->line.bytes);
		state->row.base = dwarf_number(in, length - 1 < 8 ? (size_t)length - 1 : 8);
		state->row.address = state->row.base;
		break;
	}
	in->at = end;
}

static void dwarf_standard(
	struct dwarf_program *program, struct dwarf_state *state, unsigned int opcode)
{
	struct dwarf_cursor *in = &program->in;

	switch (opcode) {
	case OP_COPY:
		dwarf_put(program, state, false);
		break;
	case OP_ADVANCE_PC:
		state->row.address += dwarf_uleb(in) * program->least_instruction;
		break;
	case OP_ADVANCE_LINE:
		if (__builtin_add_overflow(state->line, dwarf_sleb(in), &state->line))
			state->line = 0;
		break;
	case OP_SET_FILE:
		state->file = dwarf_uleb(in);
		break;
	case OP_CONST_ADD_PC:
		state->row.address +=
			(uint64_t)((255 - program->opcode_base) / program->line_range) *
			program->least_instruction;
		break;
	case OP_FIXED_ADVANCE_PC:
		state->row.address += dwarf_number(in, 2);
		break;
	default:
		/* Columns, statements, blocks, and what others may have added. */
		for (unsigned int i = 0; i < program->lengths[opcode]; i++)
			dwarf_uleb(in);
	}
}

static void dwarf_run(struct dwarf_program *program)
{
	struct dwarf_cursor *in = &program->in;
	struct dwarf_state state;

	dwarf_begin_sequence(&state);
	while (!in->bad && in->at < in->end) {
		const unsigned int opcode = *in->at++;

		if (opcode == OP_EXTENDED) {
			dwarf_extended(program, &state);
		} else if (opcode < program->opcode_base) {
			dwarf_standard(program, &state, opcode);
		} else {
			const unsigned int step = opcode - program->opcode_base;

			state.row.address +=
				(uint64_t)(step / program->line_range) * program->least_instruction;
			if (__builtin_add_overflow(state.line,
				    program->line_base + (int)(step % program->line_range),
				    &state.line))
				state.line = 0;
			dwarf_put(program, &state, false);
		}
	}
}

int dwarf_lines_read(const struct dwarf_sections *sections,
	void (*row)(void *arg, const struct dwarf_row *row), void *arg)
{
	struct dwarf_cursor all = {
		sections->line.bytes, sections->line.bytes + sections->line.n, false};
	size_t rows = 0;
	bool bad = false;

	while (!all.bad && all.at < all.end) {
		struct dwarf_program program = {.sections = sections,
			.offset_bytes = 4,
			.rows = &rows,
			.row = row,
			.arg = arg};
		uint64_t length = dwarf_number(&all, 4);

		if (length == 0xffffffff) {
			program.offset_bytes = 8;
			length = dwarf_number(&all, 8);
		}
		program.in.at = all.at;
		dwarf_skip(&all, length);
		if (all.bad)
			break;
		program.in.end = all.at;
		dwarf_header(&program);
		if (!program.in.bad)
			dwarf_run(&program);
		bad |= program.in.bad;
		free(program.files);
	}
	return all.bad || bad ? -EBADMSG : 0;
}
