/* SPDX-License-Identifier: GPL-2.0-only */
/* What does an entry of the undo log say? */
#include "base/banned.h"

#include <errno.h>
#include <limits.h>

#include "base/hex.h"
#include "experiment/undo_log.h"
#include "base/num.h"
#include "base/str.h"

#define FIRST_LINE "tuesday-undo 1"
#define NAME_MAX_LEN 64

static const char *const kinds[] = {"files", "commands", "held"};

bool undo_log_name_is_sound(const char *name)
{
	size_t len = strlen(name);

	return len && len <= NAME_MAX_LEN && *name != '.' && *name != '-' &&
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
		len;
}

bool undo_log_path_is_sound(const char *path)
{
	const char *at = path;
	size_t len = strlen(path);

	if (*path != '/' || len >= PATH_MAX || len < 2)
		return false;
	while (*at == '/') {
		size_t part = strcspn(++at, "/");

		if (!part || (part == 1 && *at == '.') || (part == 2 && !strncmp(at, "..", 2)))
			return false;
		at += part;
	}
	for (at = path; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return false;
	return true;
}

char *undo_log_id(const struct undo_log_entry *entry)
{
	return mem_printf("%s.%s", entry->check, entry->experiment);
}

static void undo_log_add_line(struct str *out, size_t *lines, const char *key, const char *value)
{
	if (!value)
		return;
	str_addf(out, "%s ", key);
	for (; *value; value++) {
		if ((unsigned char)*value < 0x20 || *value == 0x7f || *value == '\\')
			str_addf(out, "\\x%02x", (unsigned int)(unsigned char)*value);
		else
			str_addc(out, *value);
	}
	str_addc(out, '\n');
	++*lines;
}

static void undo_log_add_number(struct str *out, size_t *lines, const char *key, long long value)
{
	str_addf(out, "%s %lld\n", key, value);
	++*lines;
}

void undo_log_format(const struct undo_log_entry *entry, struct str *out)
{
	size_t lines = 1, i;

	str_add(out, FIRST_LINE "\n");
	undo_log_add_line(out, &lines, "boot", entry->boot);
	undo_log_add_line(out, &lines, "check", entry->check);
	undo_log_add_line(out, &lines, "experiment", entry->experiment);
	undo_log_add_line(out, &lines, "kind", kinds[entry->kind]);
	undo_log_add_number(out, &lines, "survives", entry->survives);
	undo_log_add_number(out, &lines, "turned", entry->turned);
	undo_log_add_number(out, &lines, "netns", (long long)entry->netns);
	str_addf(out, "seconds %.3f\n", entry->seconds);
	lines++;
	for (i = 0; i < entry->n_files; i++) {
		undo_log_add_line(out, &lines, "file", entry->files[i].path);
		undo_log_add_line(out, &lines, "to", entry->files[i].to);
		undo_log_add_line(out, &lines, "undo", entry->files[i].undo);
		undo_log_add_line(out, &lines, "old", entry->files[i].old);
		undo_log_add_line(out, &lines, "ours", entry->files[i].ours);
	}
	undo_log_add_line(out, &lines, "save", entry->save);
	undo_log_add_line(out, &lines, "apply", entry->apply);
	undo_log_add_line(out, &lines, "restore", entry->restore);
	if (entry->kind == CHANGE_COMMANDS) {
		undo_log_add_line(out, &lines, "old", entry->old);
		undo_log_add_line(out, &lines, "ours", entry->ours);
	}
	if (entry->device) {
		undo_log_add_line(out, &lines, "device", entry->device);
		undo_log_add_number(out, &lines, "number", entry->number);
	}
	str_addf(out, "end %zu\n", lines);
}

void undo_log_entry_free(struct undo_log_entry *entry)
{
	size_t i;

	for (i = 0; i < entry->n_files; i++) {
		free(entry->files[i].path);
		free(entry->files[i].to);
		free(entry->files[i].undo);
		free(entry->files[i].old);
		free(entry->files[i].ours);
	}
	free(entry->files);
	free(entry->check);
	free(entry->experiment);
	free(entry->boot);
	free(entry->save);
	free(entry->apply);
	free(entry->restore);
	free(entry->old);
	free(entry->ours);
	free(entry->device);
	*entry = (struct undo_log_entry){0};
}

/* Reading. */

struct reading {
	struct undo_log_entry *entry;
	bool kind_seen, survives_seen, turned_seen, number_seen, ended;
	size_t line;
};

/* Takes the escapes out, in place. A byte 0 cannot be a part of any value. */
static bool unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		int byte;

		if (*text != '\\') {
			*to++ = *text;
			continue;
		}
		if (text[1] != 'x')
			return false;
		byte = hex_byte(text + 2, HEX_LOWER);
		if (byte <= 0)
			return false;
		*to++ = (char)byte;
		text += 3;
	}
	*to = 0;
	return true;
}

/* Each line may be there once. */
static bool set_text(char **to, const char *value)
{
	if (*to)
		return false;
	*to = mem_strdup(value);
	return unescape(*to);
}

static bool set_flag(bool *to, bool *seen, const char *value)
{
	if (*seen || (strcmp(value, "0") != 0 && strcmp(value, "1") != 0))
		return false;
	*seen = true;
	*to = *value == '1';
	return true;
}

static bool set_kind(struct reading *reading, const char *value)
{
	size_t i;

	if (reading->kind_seen)
		return false;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(value, kinds[i])) {
			reading->entry->kind = (enum change_kind)i;
			reading->kind_seen = true;
		}
	return reading->kind_seen;
}

static bool undo_log_set_seconds(struct undo_log_entry *entry, const char *value)
{
	return !(entry->seconds > 0) &&
		num_with_unit(value, &entry->seconds) == (int)strlen(value) && entry->seconds > 0 &&
		entry->seconds <= CHANGE_SECONDS_MAX;
}

static bool undo_log_set_number(struct reading *reading, const char *value)
{
	bool negative = *value == '-';
	uint64_t n;

	if (reading->number_seen || num_u64(value + negative, 0, INT32_MAX, &n))
		return false;
	reading->number_seen = true;
	reading->entry->number = negative ? -(int32_t)n : (int32_t)n;
	return true;
}

static bool undo_log_add_file(struct undo_log_entry *entry, const char *path)
{
	struct undo_log_file *file;

	if (entry->n_files >= CHANGE_FILES_MAX)
		return false;
	ARRAY_GROW(entry->files, entry->n_files, entry->room_files);
	file = &entry->files[entry->n_files++];
	*file = (struct undo_log_file){0};
	return set_text(&file->path, path) && undo_log_path_is_sound(file->path);
}

/* A line that stands for itself. Returns whether it is known; *sound says whether it is right. */
static bool take_own_line(struct reading *reading, const char *key, const char *value, bool *sound)
{
	struct undo_log_entry *entry = reading->entry;
	struct {
		const char *key;
		char **to;
	} texts[] = {{"boot", &entry->boot}, {"check", &entry->check},
		{"experiment", &entry->experiment}, {"save", &entry->save},
		{"apply", &entry->apply}, {"restore", &entry->restore}, {"device", &entry->device}};
	uint64_t lines;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(key, texts[i].key)) {
			*sound = set_text(texts[i].to, value);
			return true;
		}
	if (!strcmp(key, "kind"))
		*sound = set_kind(reading, value);
	else if (!strcmp(key, "survives"))
		*sound = set_flag(&entry->survives, &reading->survives_seen, value);
	else if (!strcmp(key, "turned"))
		*sound = set_flag(&entry->turned, &reading->turned_seen, value);
	else if (!strcmp(key, "netns"))
		*sound = !entry->netns && !num_u64(value, 0, INT64_MAX, &entry->netns);
	else if (!strcmp(key, "seconds"))
		*sound = undo_log_set_seconds(entry, value);
	else if (!strcmp(key, "number"))
		*sound = undo_log_set_number(reading, value);
	else if (!strcmp(key, "file"))
		*sound = undo_log_add_file(entry, value);
	else if (!strcmp(key, "end"))
		*sound = reading->ended =
			!num_u64(value, 0, SIZE_MAX, &lines) && lines == reading->line - 1;
	else
		return false;
	return true;
}

/* A line that belongs to the file above it, or to the commands. */
static bool undo_log_take_value(struct reading *reading, const char *key, const char *value)
{
	struct undo_log_entry *entry = reading->entry;
	struct undo_log_file *file = entry->n_files ? &entry->files[entry->n_files - 1] : NULL;

	if (!strcmp(key, "old"))
		return set_text(file ? &file->old : &entry->old, value);
	if (!strcmp(key, "ours"))
		return set_text(file ? &file->ours : &entry->ours, value);
	if (file && !strcmp(key, "to"))
		return set_text(&file->to, value);
	return file && !strcmp(key, "undo") && set_text(&file->undo, value);
}

static bool undo_log_take_line(struct reading *reading, char *line)
{
	char *value = strchr(line, ' ');
	bool sound;

	if (reading->line == 1)
		return !strcmp(line, FIRST_LINE);
	if (!value || reading->ended)
		return false;
	*value++ = 0;
	if (take_own_line(reading, line, value, &sound))
		return sound;
	return undo_log_take_value(reading, line, value);
}

/* What is missing for its kind or too much, or NULL. */
static const char *wrong_with(const struct undo_log_entry *entry)
{
	bool commands = entry->save && entry->apply && entry->restore;

	if (!entry->check || !undo_log_name_is_sound(entry->check) || !entry->experiment ||
		!undo_log_name_is_sound(entry->experiment))
		return "the name of its check or experiment";
	if (!entry->boot)
		return "the boot id";
	if (entry->seconds <= 0)
		return "the deadline";
	if ((entry->kind == CHANGE_FILES) != (entry->n_files > 0))
		return "the files";
	if (entry->kind == CHANGE_COMMANDS ? !commands
					   : entry->save || entry->apply || entry->restore ||
				entry->old || entry->ours)
		return "the commands";
	if ((entry->kind == CHANGE_HELD) != (entry->device != NULL) ||
		(entry->device &&
			(!undo_log_path_is_sound(entry->device) ||
				!str_starts(entry->device, "/dev/"))))
		return "the device";
	return NULL;
}

static int undo_log_take_all(struct reading *reading, char *at, struct str *why)
{
	while (*at) {
		size_t len = strcspn(at, "\n");
		char *next = at + len + 1;

		reading->line++;
		if (!at[len]) {
			str_addf(why, "line %zu: it is cut", reading->line);
			return -EBADMSG;
		}
		at[len] = 0;
		if (!undo_log_take_line(reading, at)) {
			str_addf(why, "line %zu is wrong", reading->line);
			return -EBADMSG;
		}
		at = next;
	}
	return 0;
}

int undo_log_parse(struct undo_log_entry *entry, const char *text, size_t len, struct str *why)
{
	struct reading reading = {.entry = entry};
	const char *wrong;
	char *copy;
	int err;

	*entry = (struct undo_log_entry){0};
	if (len > UNDO_LOG_ENTRY_MAX || memchr(text, 0, len)) {
		str_add(why, "it is no text, or too long");
		return -EBADMSG;
	}
	copy = mem_strndup(text, len);
	err = undo_log_take_all(&reading, copy, why);
	free(copy);
	if (err)
		return err;
	wrong = !reading.ended ? "the last line" : wrong_with(entry);
	if (wrong) {
		str_addf(why, "%s is missing or wrong", wrong);
		return -EBADMSG;
	}
	return 0;
}
