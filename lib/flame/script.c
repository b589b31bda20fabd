/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stacks did perf see, of whom, and when? */
#include "base/banned.h"

#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "flame/lines.h"
#include "flame/script.h"
#include "flame/tree.h"

static bool script_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A name as a frame: nothing in it ends a frame or a line. */
static uint32_t script_name(struct flame_script *script, struct str *text)
{
	uint32_t name;

	for (size_t i = 0; i < text->len; i++) {
		if (text->text[i] == ';')
			text->text[i] = ':';
		else if ((unsigned char)text->text[i] < ' ' || text->text[i] == 0x7f)
			text->text[i] = '?';
	}
	name = flame_name(script->tree, str_text(text), text->len);
	str_free(text);
	return name;
}

void flame_script_end(struct flame_script *script)
{
	uint32_t *frames = script->frames;

	if (script->in_stack && script->wanted && script->n) {
		/* They came from the thread's place on; the tree begins at the root. */
		for (size_t i = 0; i < script->n / 2; i++) {
			const uint32_t swap = frames[i];

			frames[i] = frames[script->n - 1 - i];
			frames[script->n - 1 - i] = swap;
		}
		memmove(frames + 1, frames, script->n * sizeof(*frames));
		frames[0] = script->whose;
		flame_tree_add_names(script->tree, frames, script->n + 1, 1);
	}
	script->in_stack = false;
	script->n = 0;
}

/* "123.456789:", seconds. */
static bool script_time(const char *at, const char *end, double *seconds)
{
	uint64_t whole, part;
	const char *begin;
	double scale = 1;

	if (num_next(&at, end, &whole) || at == end || *at++ != '.')
		return false;
	begin = at;
	if (num_next(&at, end, &part) || at == end || *at != ':')
		return false;
	for (; begin < at; begin++)
		scale *= 10;
	*seconds = (double)whole + (double)part / scale;
	return true;
}

static void script_begin(struct flame_script *script, double seconds, bool has_time)
{
	if (has_time && !script->begun)
		script->first = seconds;
	script->begun |= has_time;
	script->in_stack = true;
	seconds -= script->first;
	script->wanted = !(script->until > 0) ||
		(has_time && seconds >= script->from && seconds < script->until);
	script->beyond += !script->wanted;
}

/* "comm with blanks 123/456 [001] 12.345: …": the first number that stands alone ends the name. */
static bool script_header(struct flame_script *script, const char *line, const char *end)
{
	struct str name = STR_INIT;
	double seconds = 0;
	bool has_time = false;

	for (const char *at = line + 1; at < end; at++) {
		const char *number = at, *name_end = at - 1;
		uint64_t id;

		if (at[-1] != ' ' || *at < '0' || *at > '9' || num_next(&number, end, &id) ||
			number == end || (*number != ' ' && *number != '/'))
			continue;
		if (*number == '/') {
			number++;
			if (num_next(&number, end, &id))
				return false;
		}
		while (name_end > line && script_is_blank(name_end[-1]))
			name_end--;
		for (; number < end && !has_time; number++)
			has_time =
				script_is_blank(*number) && script_time(number + 1, end, &seconds);
		str_addn(&name, line, (size_t)(name_end - line));
		if (script->by_thread)
			str_addf(&name, " %llu", (unsigned long long)id);
		script->whose = script_name(script, &name);
		script_begin(script, seconds, has_time);
		return true;
	}
	return false;
}

/* Where " (file)" begins, the last of them; end for none. */
static const char *script_file(const char *at, const char *end)
{
	const char *found = end;

	for (; end - at > 2; at++)
		if (at[0] == ' ' && at[1] == '(')
			found = at;
	return found;
}

/* What kind of frame it is says its end (flame/kind.h). */
static const char *script_kind(uint64_t address, const char *file, size_t len)
{
	if (len >= 7 && !memcmp(file, "inlined", 7))
		return "_[i]";
	if (len >= 10 && !memcmp(file, "/tmp/perf-", 10))
		return "_[j]";
	return address >= 0xffff800000000000 ? "_[k]" : "";
}

/* "7f12a0 name+0x12 (/path/of/file)", behind its blanks. */
static bool script_frame(struct flame_script *script, const char *at, const char *end)
{
	const char *file, *name_end, *base;
	struct str name = STR_INIT;
	uint64_t address;
	size_t file_len;

	if (num_next_hex(&at, end, &address) || at == end || *at != ' ')
		return false;
	name_end = script_file(at, end);
	at++;
	file = name_end < end ? name_end + 2 : end;
	file_len = (size_t)(end - file);
	file_len -= file_len && file[file_len - 1] == ')';
	name_end = name_end < at ? at : name_end;
	for (const char *offset = name_end; offset > at; offset--)
		if (end - offset > 2 && !memcmp(offset, "+0x", 3)) {
			name_end = offset;
			break;
		}
	str_addn(&name, at, (size_t)(name_end - at));
	base = memrchr(file, '/', file_len);
	if (str_same(str_text(&name), "[unknown]") && base)
		str_addf(&name, " %.*s", (int)(file + file_len - base - 1), base + 1);
	str_add(&name, script_kind(address, file, file_len));
	if (script->n < FLAME_SCRIPT_FRAMES - 1)
		script->frames[script->n++] = script_name(script, &name);
	str_free(&name);
	return true;
}

static void script_line(struct flame_script *script, const char *line, const char *end)
{
	const char *at = line;

	while (at < end && (script_is_blank(*at) || *at == '\r'))
		at++;
	if (at == end) {
		flame_script_end(script);
	} else if (*at == '#') {
		return;
	} else if (at == line || !script->in_stack || !script_frame(script, at, end)) {
		/* perf puts blanks before a short name. */
		flame_script_end(script);
		script->tree->unread += !script_header(script, at, end);
	}
}

void flame_script_add(struct flame_script *script, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		stop = stop ? stop : end;
		script_line(script, text, stop);
		text = stop + (stop < end);
	}
}

static void script_take(void *arg, const char *text, size_t len)
{
	flame_script_add(arg, text, len);
}

int flame_script_read(struct flame_script *script, int fd)
{
	const int err = flame_lines_read(fd, script_take, script, &script->tree->unread);

	flame_script_end(script);
	return err;
}
