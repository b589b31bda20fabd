/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What number is in this file? A reference that starts with '/' is the path of a file, with stars
 * for each of many: /sys/block/+/queue/nr_requests, + standing for the star, whose match is the
 * instance. What follows in brackets says which number of several: tcp_mem[2] is the third one,
 * numastat[numa_miss] the last number on the line behind that word, and stats[push_ail][1] the
 * second one behind it. [=performance] asks for a word instead: 1 where it is the chosen one, else
 * 0. [?] asks whether the path is there at all: 1 or 0. [age] is how many seconds ago it was
 * changed.
 *
 * Negative and hexadecimal (0x1f) numbers are taken; a word is no number, so "max" and "[always]
 * never" have no value. Nor has a line without its end, which the kernel writes behind everything:
 * it was cut, and its last number or word with it.
 */
#include "base/banned.h"

#include <errno.h>

#include "sources/common/cpu_node.h"
#include "base/num.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "capture/age.h"
#include "capture/glob.h"
#include "sources/common/value_files.h"
#include "sample/source.h"

#define PATHS_MAX 4096
#define LAST_NUMBER UINT64_MAX

struct path_place {
	char *path;
	char *star;
};

/* A reference, and the files that it means: looked up once, at the first sample. */
struct wanted {
	char *field;
	char *name;	 /* in brackets, or NULL */
	bool word;	 /* name is to be found, not a number behind it */
	bool there;	 /* whether the path is there */
	bool age;	 /* when it was changed */
	bool gone;	 /* it was not there when first looked for: a single path */
	int error;	 /* why it could not be looked for everywhere, or 0 */
	uint64_t number; /* in brackets: 0 by default, behind a name the last one */
	struct path_place *places;
	size_t n, room;
};

/* The beginning of patterns, up to the name behind the first star, and whether it is there. */
struct head {
	char *pattern;
	bool any;
};

struct paths {
	struct capture *fs;
	struct head *heads;
	size_t n_heads, heads_room;
	struct wanted *list;
	size_t n, room;
	bool known;
};

/* A number as the kernel writes it: decimal, or hexadecimal with 0x before it. */
static bool paths_number(struct bytes word, double *out)
{
	const char *at = word.data + 2, *end = word.data + word.len;
	uint64_t value;

	if (!text_starts(word, "0x"))
		return text_number(word, out);
	if (num_next_hex(&at, end, &value) || at != end)
		return false;
	*out = (double)value;
	return true;
}

bool parse_value(struct bytes text, uint64_t which, double *out)
{
	struct bytes line, word;
	uint64_t i = 0;

	while (text_line(&text, &line))
		for (; text_word(&line, &word); i++)
			if (i == which)
				return paths_number(word, out);
	return false;
}

/* "numa_miss 12", "MemFree:  12 kB", "Node 0 MemFree: 12 kB", "hits 4 12" */
static bool paths_word_is_name(struct bytes word, const char *name)
{
	if (!text_cut_end(&word, ":"))
		text_cut_end(&word, "=");
	return text_is(word, name);
}

bool parse_numbered_value(struct bytes text, const char *name, uint64_t which, double *out)
{
	struct bytes line, word;
	uint64_t n = 0;

	while (!n && text_line(&text, &line)) {
		while (text_word(&line, &word) && !paths_word_is_name(word, name))
			;
		while (n <= which && text_word(&line, &word))
			n += text_number(word, out);
	}
	return n && (which == LAST_NUMBER || n == which + 1);
}

bool parse_named_value(struct bytes text, const char *name, double *out)
{
	return parse_numbered_value(text, name, LAST_NUMBER, out);
}

static bool is_printable(struct bytes word)
{
	size_t i;

	for (i = 0; i < word.len; i++)
		if ((unsigned char)word.data[i] < ' ' || word.data[i] == 0x7f)
			return false;
	return true;
}

/* "[always] madvise never" has chosen one word; in "tsc hpet acpi_pm" each is there. */
bool parse_chosen_word(struct bytes text, const char *name, bool *found)
{
	struct bytes line, word;
	bool chosen = false, any = false;

	*found = false;
	while (text_line(&text, &line))
		while (text_word(&line, &word)) {
			bool marked = word.len > 2 && word.data[0] == '[' &&
				word.data[word.len - 1] == ']';

			if (!is_printable(word))
				return false;
			any = true;
			if (marked) {
				word.data++;
				word.len -= 2;
			}
			if (marked && !chosen)
				*found = false;
			if (marked || !chosen)
				*found |= text_is(word, name);
			chosen |= marked;
		}
	return any && !text.len;
}

static int paths_add_place(void *arg, const char *path, const char *star)
{
	struct wanted *wanted = arg;

	if (wanted->n == PATHS_MAX) {
		wanted->error = -E2BIG;
		return 1;
	}
	ARRAY_GROW(wanted->places, wanted->n, wanted->room);
	wanted->places[wanted->n++] = (struct path_place){mem_strdup(path), mem_strdup(star)};
	return 0;
}

/* What stands in the last brackets, which are taken off the end of a pattern; NULL without any. */
static char *cut_brackets(char *pattern)
{
	char *open = strrchr(pattern, '[');

	if (!open || strchr(open, '/') || !str_ends(open, "]"))
		return NULL;
	*open++ = 0;
	open[strlen(open) - 1] = 0;
	return open;
}

/* Takes "[2]", "[numa_miss]", "[push_ail][1]" or "[=performance]" off the end of a pattern. */
static void take_selector(struct wanted *wanted, char *pattern)
{
	char *open = cut_brackets(pattern);

	if (!open)
		return;
	wanted->word = *open == '=';
	wanted->there = !strcmp(open, "?");
	wanted->age = !strcmp(open, "age");
	if (wanted->there || wanted->age)
		return;
	if (wanted->word) {
		wanted->name = mem_strdup(open + 1);
	} else if (num_u64(open, 0, PATHS_MAX, &wanted->number)) {
		wanted->name = mem_strdup(open);
		wanted->number = LAST_NUMBER;
	} else if ((open = cut_brackets(pattern))) {
		wanted->name = mem_strdup(open);
	}
}

static int note_any(void *arg, const char *path, const char *star)
{
	(void)path;
	(void)star;
	*(bool *)arg = true;
	return 1;
}

/*
 * Whether a pattern need not be looked for: no disk has the directory "md" of
 * /sys/block/+/md/level. That is asked once for all patterns with the same beginning, since there
 * may be many disks.
 */
static bool has_no_head(struct paths *paths, const char *pattern)
{
	const char *end = strchr(pattern, '*');
	struct head *head;
	char *beginning;
	size_t i;

	end = end ? strchr(end, '/') : NULL;
	end = end ? strchr(end + 1, '/') : NULL;
	if (!end)
		return false;
	beginning = mem_strndup(pattern, (size_t)(end - pattern));
	for (i = 0; i < paths->n_heads && strcmp(paths->heads[i].pattern, beginning) != 0; i++)
		;
	if (i < paths->n_heads) {
		free(beginning);
		return !paths->heads[i].any;
	}
	ARRAY_GROW(paths->heads, paths->n_heads, paths->heads_room);
	head = &paths->heads[paths->n_heads++];
	*head = (struct head){beginning, false};
	capture_glob(paths->fs, beginning, note_any, &head->any);
	return !head->any;
}

static void add_wanted(void *arg, const char *field)
{
	struct paths *paths = arg;
	struct wanted *wanted;
	char *pattern = mem_strdup(field);
	int err = 0;

	ARRAY_GROW(paths->list, paths->n, paths->room);
	wanted = &paths->list[paths->n++];
	memset(wanted, 0, sizeof(*wanted));
	wanted->field = mem_strdup(field);
	take_selector(wanted, pattern);
	if (!strchr(pattern, '*'))
		paths_add_place(wanted, pattern, "");
	else if (!has_no_head(paths, pattern))
		err = capture_glob(paths->fs, pattern, paths_add_place, wanted);
	wanted->error = wanted->error ? wanted->error : err;
	free(pattern);
}

/* Whether an error of reading says that there is nothing: the file is not there, or its driver
 * answers so for a device that has no such thing. */
static bool paths_says_nothing(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -ENODEV || err == -ENXIO ||
		err == -EINVAL || err == -EOPNOTSUPP;
}

static void paths_read_age(struct capture *fs, const struct wanted *wanted,
	const struct path_place *place, struct sink *sink)
{
	double seconds;
	int err = capture_age(fs, place->path, &seconds);

	if (err)
		sink_unread(sink, wanted->field, !paths_says_nothing(err), "%s: %s", place->path,
			strerror(-err));
	else
		sink_put(sink, place->star, wanted->field, seconds);
}

static void paths_read_place(struct capture *fs, struct wanted *wanted,
	const struct path_place *place, struct sink *sink)
{
	struct bytes text;
	double value;
	bool found, chosen;
	int err;

	if (wanted->there) {
		sink_put(sink, place->star, wanted->field, capture_exists(fs, place->path));
		return;
	}
	if (wanted->age) {
		paths_read_age(fs, wanted, place, sink);
		return;
	}
	err = capture_read(fs, place->path, &text);
	if (err) {
		sink_unread(sink, wanted->field, !paths_says_nothing(err), "%s: %s", place->path,
			strerror(-err));
		wanted->gone |= err == -ENOENT && !*place->star;
		return;
	}
	if (wanted->word) {
		found = parse_chosen_word(text, wanted->name, &chosen);
		value = chosen;
	} else if (wanted->name) {
		found = parse_numbered_value(text, wanted->name, wanted->number, &value);
	} else {
		found = parse_value(text, wanted->number, &value);
	}
	if (found)
		sink_put(sink, place->star, wanted->field, value);
	else
		sink_unread(sink, wanted->field, true, "%s holds no %s", place->path,
			wanted->word ? "word" : "number");
}

static void paths_read_wanted(struct capture *fs, struct wanted *wanted, struct sink *sink)
{
	size_t i;

	for (i = 0; i < wanted->n && !wanted->gone; i++)
		paths_read_place(fs, wanted, &wanted->places[i], sink);
	if (wanted->error == -E2BIG)
		sink_in_part(sink, wanted->field,
			"%s means more than %d files: the rest is not read", wanted->field,
			PATHS_MAX);
	else if (wanted->error)
		sink_in_part(sink, wanted->field, "%s cannot all be looked for: %s", wanted->field,
			strerror(-wanted->error));
}

static int open_paths(struct capture *fs, void **state)
{
	struct paths *paths = mem_zalloc(sizeof(*paths));

	paths->fs = fs;
	*state = paths;
	return 0;
}

static int read_paths(struct capture *fs, void *state, struct sink *sink)
{
	struct paths *paths = state;
	size_t i;

	if (!paths->known)
		sink_each_wanted(sink, add_wanted, paths);
	paths->known = true;
	for (i = 0; i < paths->n; i++)
		paths_read_wanted(fs, &paths->list[i], sink);
	return 0;
}

static void close_paths(void *state)
{
	struct paths *paths = state;
	size_t i, k;

	for (i = 0; i < paths->n; i++) {
		struct wanted *wanted = &paths->list[i];

		for (k = 0; k < wanted->n; k++) {
			free(wanted->places[k].path);
			free(wanted->places[k].star);
		}
		free(wanted->places);
		free(wanted->field);
		free(wanted->name);
	}
	for (i = 0; i < paths->n_heads; i++)
		free(paths->heads[i].pattern);
	free(paths->heads);
	free(paths->list);
	free(paths);
}

SOURCE(path) = {
	.name = "path",
	.what = "any file with a number in it, by its path",
	.open = open_paths,
	.read = read_paths,
	.close = close_paths,
	.groups = "node",
	.group_of = cpu_node_group_of,
};
