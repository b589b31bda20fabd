/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stacks is a picture of? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "base/json_read.h"
#include "base/str.h"
#include "flame/picture.h"
#include "flame/tree.h"
#include "sys/read_write.h"

#define DATA_BEGIN "id=\"data\"><![CDATA["
#define DATA_END "]]>"

enum {
	PICTURE_BYTES_MAX = 512 << 20, /* 50,000 names of 4 KiB, and their frames */
	NAME_BYTES_MAX = 1 << 16,
	NAMES_MAX = 1 << 20,
	FRAMES_MAX = 1 << 20,
};

/* The lists of the data, as lib/flame/page.c writes them. */
struct picture_data {
	uint32_t *names; /* of the tree */
	size_t n_names, names_room;
	double *depth, *name, *self;
	size_t n_depth, n_name, n_self;
	bool is_difference;
};

static char *picture_take_text(struct json_scan *scan)
{
	struct json_text text;
	struct str out = STR_INIT;

	if (!json_text(scan, &text))
		return NULL;
	json_add_text(&out, &text, NAME_BYTES_MAX);
	return str_take(&out);
}

static void picture_take_names(
	struct picture_data *data, struct flame_tree *tree, struct json_scan *scan)
{
	struct json_text text;
	struct str name = STR_INIT;

	if (!json_enter(scan, '['))
		return;
	while (data->n_names < NAMES_MAX && json_element(scan)) {
		if (!json_text(scan, &text))
			continue;
		str_clear(&name);
		json_add_text(&name, &text, NAME_BYTES_MAX);
		for (size_t i = 0; i < name.len; i++)
			if (name.text[i] == ';' || name.text[i] == '\n')
				name.text[i] = ':';
		ARRAY_GROW(data->names, data->n_names, data->names_room);
		data->names[data->n_names++] = flame_name(tree, str_text(&name), name.len);
	}
	str_free(&name);
}

/* What is no number is one that nothing is, so that the lists stay as long as they are. */
static double *picture_take_numbers(struct json_scan *scan, size_t *n)
{
	double *list = NULL, number;
	size_t room = 0;

	*n = 0;
	if (!json_enter(scan, '['))
		return NULL;
	while (*n < FRAMES_MAX && json_element(scan)) {
		ARRAY_GROW(list, *n, room);
		list[(*n)++] = json_number(scan, &number) ? number : NAN;
	}
	return list;
}

static void picture_take_list(struct json_scan *scan, double **list, size_t *n)
{
	free(*list);
	*list = picture_take_numbers(scan, n);
}

static void picture_take_string(struct json_scan *scan, char **to)
{
	free(*to);
	*to = picture_take_text(scan);
}

static void picture_take_member(struct flame_picture *picture, struct picture_data *data,
	struct flame_tree *tree, struct json_scan *scan, const struct json_text *key)
{
	if (json_is(key, "title"))
		picture_take_string(scan, &picture->title);
	else if (json_is(key, "note"))
		picture_take_string(scan, &picture->note);
	else if (json_is(key, "unit"))
		picture_take_string(scan, &picture->unit);
	else if (json_is(key, "of"))
		picture_take_string(scan, &picture->seconds_of);
	else if (json_is(key, "each"))
		json_number(scan, &picture->seconds_each);
	else if (json_is(key, "least"))
		json_number(scan, &picture->least_pixels);
	else if (json_is(key, "names"))
		picture_take_names(data, tree, scan);
	else if (json_is(key, "depth"))
		picture_take_list(scan, &data->depth, &data->n_depth);
	else if (json_is(key, "name"))
		picture_take_list(scan, &data->name, &data->n_name);
	else if (json_is(key, "self"))
		picture_take_list(scan, &data->self, &data->n_self);
	else
		json_skip(scan);
	data->is_difference |= json_is(key, "before");
}

/* Each frame stands on the last one that is a row lower. */
static int picture_add_stacks(const struct picture_data *data, struct flame_tree *tree)
{
	uint32_t *stack = mem_realloc_array(NULL, FLAME_DEPTH_MAX, sizeof(*stack));
	size_t height = 0, i;

	for (i = 0; i < data->n_depth; i++) {
		const double depth = data->depth[i], name = data->name[i], self = data->self[i];

		if (!(depth >= (i ? 1 : 0) && depth <= (double)height + (i ? 1 : 0)) ||
			depth >= FLAME_DEPTH_MAX || !(self >= 0 && self < 0x1p63) ||
			(i && !(name >= 0 && name < (double)data->n_names)))
			break;
		height = (size_t)depth;
		if (i)
			stack[height - 1] = data->names[(size_t)name];
		if (self > 0)
			flame_tree_add_names(tree, stack, height, (uint64_t)self);
	}
	free(stack);
	return i && i == data->n_depth ? 0 : -EINVAL;
}

static int picture_take(
	struct flame_picture *picture, struct flame_tree *tree, const char *text, size_t len)
{
	struct picture_data data = {.n_names = 0};
	struct json_scan scan;
	struct json_text key;
	int err;

	json_begin(&scan, text, len);
	json_enter(&scan, '{');
	while (json_member(&scan, &key))
		picture_take_member(picture, &data, tree, &scan, &key);
	if (data.is_difference)
		err = -ENOTSUP;
	else if (scan.err || data.n_name != data.n_depth || data.n_self != data.n_depth)
		err = -EINVAL;
	else
		err = picture_add_stacks(&data, tree);
	free(data.names);
	free(data.depth);
	free(data.name);
	free(data.self);
	return err;
}

int flame_picture_parse(struct flame_picture *picture, struct flame_tree *tree, const char *text)
{
	const char *begin = strstr(text, DATA_BEGIN), *end;

	*picture = (struct flame_picture){.title = NULL};
	end = begin ? strstr(begin, DATA_END) : NULL;
	if (!end)
		return -EINVAL;
	begin += strlen(DATA_BEGIN);
	return picture_take(picture, tree, begin, (size_t)(end - begin));
}

int flame_picture_read(struct flame_picture *picture, struct flame_tree *tree, int fd)
{
	struct str text = STR_INIT;
	int err = read_all(fd, PICTURE_BYTES_MAX, &text);

	*picture = (struct flame_picture){.title = NULL};
	if (!err)
		err = flame_picture_parse(picture, tree, str_text(&text));
	str_free(&text);
	return err;
}

void flame_picture_free(struct flame_picture *picture)
{
	free(picture->title);
	free(picture->note);
	free(picture->unit);
	free(picture->seconds_of);
}
