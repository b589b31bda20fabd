/* SPDX-License-Identifier: GPL-2.0-only */
/* How do very many spans lie in little memory, and how is one of them written? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/datetime.h"
#include "base/hash.h"
#include "base/json_write.h"
#include "base/str.h"
#include "spans/spans.h"

#define NS_PER_SECOND 1000000000
#define ORIGINS_MAX 65535 /* an origin's number has 16 bits */
#define AT_MASK ((UINT64_C(1) << SPAN_AT_BITS) - 1)
#define FIRST_ROOM 1024
#define TEXT_STEP 4096		    /* bytes that a span has at most, mostly */
#define WHOLE_MAX 9007199254740992. /* 2^53: a whole number below it is written as one */
#define ROWS_MAX (UINT32_MAX - 1)

static void span_write_start(struct json_writer *json, int64_t start_ns)
{
	char text[DATETIME_UTC_SIZE];
	int64_t seconds = start_ns / NS_PER_SECOND, rest = start_ns % NS_PER_SECOND;
	char *start;

	if (rest < 0) {
		rest += NS_PER_SECOND;
		seconds--;
	}
	if (!datetime_utc(text, (time_t)seconds))
		return;
	text[strlen(text) - 1] = 0;
	start = mem_printf("%s.%09lldZ", text, (long long)rest);
	json_write_string(json, "start", start);
	free(start);
}

void span_write(struct str *out, const struct span *span)
{
	struct json_writer json;
	size_t i;

	json_start(&json, out);
	json.digits = 17;
	json_write_string(&json, "trace_id", span->trace);
	json_write_string(&json, "span_id", span->id);
	json_write_string(&json, "parent_id", span->parent ? span->parent : "");
	json_write_string(&json, "name", span->name);
	span_write_start(&json, span->start_ns);
	json_write_count(&json, "duration", (uint64_t)(span->end_ns - span->start_ns));
	json_open(&json, "fields", '{');
	for (i = 0; i < span->n_fields; i++) {
		const struct span_field *field = &span->fields[i];

		if (field->text)
			json_write_string(&json, field->key, field->text);
		else if (field->number >= 0 && field->number < WHOLE_MAX &&
			field->number == (double)(uint64_t)field->number)
			json_write_count(&json, field->key, (uint64_t)field->number);
		else
			json_write_number(&json, field->key, field->number);
	}
	json_close(&json);
	json_finish(&json);
}

static uint64_t span_mix(uint64_t a, uint64_t b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t span_load(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Multiplies and folds 16 bytes at a time, as wyhash (Wang Yi, 2019) does. */
uint64_t span_hash(uint64_t seed, const char *text, size_t len)
{
	static const uint64_t odd[2] = {0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu};
	uint64_t hash = seed ^ odd[0] ^ len, a = 0, b = 0;

	for (; len > 16; text += 16, len -= 16)
		hash = span_mix(span_load(text) ^ odd[1], span_load(text + 8) ^ hash);
	if (len >= 8) {
		a = span_load(text);
		b = span_load(text + len - 8);
	} else {
		while (len--)
			a = a << 8 | (unsigned char)text[len];
	}
	hash = span_mix(span_mix(a ^ odd[1], b ^ hash) ^ odd[0], odd[1]);
	return hash ? hash : 1;
}

#define SPAN_COLUMNS 7

/* The columns of a table, to be moved as one. */
static void span_table_columns(struct span_table *table, void **columns[SPAN_COLUMNS])
{
	columns[0] = (void **)&table->id;
	columns[1] = (void **)&table->parent;
	columns[2] = (void **)&table->start_ns;
	columns[3] = (void **)&table->duration_ns;
	columns[4] = (void **)&table->at;
	columns[5] = (void **)&table->name;
	columns[6] = (void **)&table->trace;
}

int span_table_reserve(struct span_table *table, size_t rows)
{
	static const unsigned char sizes[SPAN_COLUMNS] = {8, 8, 8, 8, 8, 4, 4};
	void **columns[SPAN_COLUMNS];
	size_t bytes = 0, i;
	char *all;

	if (rows > ROWS_MAX)
		return -ENOMEM;
	if (rows <= table->room)
		return 0;
	rows = (rows + 1023) & ~(size_t)1023;
	for (i = 0; i < SPAN_COLUMNS; i++)
		bytes += rows * sizes[i];
	all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		-1, 0);
	if (all == MAP_FAILED)
		return -ENOMEM;
	span_table_columns(table, columns);
	bytes = 0;
	for (i = 0; i < SPAN_COLUMNS; i++) {
		if (table->n)
			memcpy(all + bytes, *columns[i], (size_t)table->n * sizes[i]);
		*columns[i] = all + bytes;
		bytes += rows * sizes[i];
	}
	if (table->columns)
		munmap(table->columns, table->columns_bytes);
	table->columns = all;
	table->columns_bytes = bytes;
	table->room = (uint32_t)rows;
	return 0;
}

/* The slot of a text in one of the two lists: its own, or the empty one where it belongs. */
static uint32_t *span_index_slot(
	const struct span_index *index, const struct span_text *list, const char *text, size_t len)
{
	const uint32_t mask = index->size - 1;
	uint32_t at = (uint32_t)span_hash(index->seed, text, len) & mask;

	for (;; at = (at + 1) & mask) {
		const uint32_t i = index->slots[at];

		if (!i || (list[i - 1].len == len && !memcmp(list[i - 1].text, text, len)))
			return &index->slots[at];
	}
}

static void span_index_grow(struct span_index *index, const struct span_text *list, uint32_t n)
{
	struct span_index old = *index;
	uint32_t i;

	if (!old.size)
		index->seed = hash_keyed(&index, sizeof(index));
	index->size = old.size ? old.size * 2 : 64;
	index->slots = mem_zalloc(index->size * sizeof(*index->slots));
	for (i = 0; i < n; i++)
		*span_index_slot(index, list, list[i].text, list[i].len) = i + 1;
	free(old.slots);
}

/* The number of a text in one of the two lists. */
static uint32_t span_intern(struct span_table *table, struct span_index *index,
	struct span_text **list, uint32_t *n, uint32_t *room, const char *text, size_t len)
{
	uint32_t *slot;

	if (*n >= index->size / 2)
		span_index_grow(index, *list, *n);
	slot = span_index_slot(index, *list, text, len);
	if (*slot)
		return *slot - 1;
	ARRAY_GROW(*list, *n, *room);
	(*list)[*n] = (struct span_text){arena_copy(&table->texts, text, len), len};
	*slot = ++*n;
	return *n - 1;
}

uint32_t span_table_name(struct span_table *table, const char *text, size_t len)
{
	if (len > SPAN_NAME_MAX) {
		table->cut++;
		len = SPAN_NAME_MAX;
	}
	return span_intern(table, &table->name_index, &table->names, &table->n_names,
		&table->names_room, text, len);
}

uint32_t span_table_trace(struct span_table *table, const char *text, size_t len)
{
	if (len > SPAN_NAME_MAX)
		len = SPAN_NAME_MAX;
	return span_intern(table, &table->trace_index, &table->traces, &table->n_traces,
		&table->traces_room, text, len);
}

uint32_t span_table_origin(struct span_table *table, const char *path, int fd)
{
	struct span_origin *origin;

	if (table->n_origins == ORIGINS_MAX)
		return SPAN_NONE;
	table->origins =
		mem_realloc_array(table->origins, table->n_origins + 1, sizeof(*table->origins));
	origin = &table->origins[table->n_origins];
	*origin = (struct span_origin){.fd = fd, .path = path ? mem_strdup(path) : NULL};
	return table->n_origins++;
}

void span_table_log(struct span_table *table, const struct span_log *log)
{
	ARRAY_GROW(table->logs, table->n_logs, table->logs_room);
	table->logs[table->n_logs++] = *log;
}

/* Where lines that are made here lie. */
static struct span_origin *span_table_memory(struct span_table *table, uint32_t *number)
{
	if (!table->memory)
		table->memory = span_table_origin(table, NULL, -1) + 1;
	*number = table->memory - 1;
	return table->memory ? &table->origins[*number] : NULL;
}

int span_table_add(struct span_table *table, const struct span *span)
{
	const bool has_parent = span->parent && *span->parent;
	const uint64_t seed = span_hash(0, span->trace, strlen(span->trace));
	struct span_origin *origin;
	struct str line = STR_INIT;
	uint32_t number, row = table->n;
	int err = 0;

	if (span->end_ns < span->start_ns || span->start_ns < -SPAN_TIME_MAX ||
		span->end_ns > SPAN_TIME_MAX)
		return -EINVAL;
	if (row == table->room)
		err = span_table_reserve(table, row ? 2 * (size_t)row : FIRST_ROOM);
	origin = span_table_memory(table, &number);
	if (err || !origin)
		return -ENOMEM;
	span_write(&line, span);
	while (origin->room - origin->len < line.len) {
		origin->room = origin->room ? 2 * origin->room : TEXT_STEP;
		origin->text = mem_realloc_array(origin->text, origin->room, 1);
	}
	memcpy(origin->text + origin->len, line.text, line.len);
	table->id[row] = span_hash(seed, span->id, strlen(span->id));
	table->parent[row] = has_parent ? span_hash(seed, span->parent, strlen(span->parent)) : 0;
	table->start_ns[row] = span->start_ns;
	table->duration_ns[row] = (uint64_t)(span->end_ns - span->start_ns);
	table->at[row] = (uint64_t)number << SPAN_AT_BITS | origin->len;
	table->name[row] = span_table_name(table, span->name, strlen(span->name));
	table->trace[row] = span_table_trace(table, span->trace, strlen(span->trace));
	table->n++;
	origin->len += line.len;
	str_free(&line);
	return 0;
}

/* Appends the value that text begins with; -EAGAIN where it ends behind text. */
static int span_text_cut(struct str *out, const char *text, size_t len)
{
	struct json_scan scan;

	json_begin(&scan, text, len);
	json_skip(&scan);
	if (scan.err)
		return scan.err;
	str_addn(out, text, len - (size_t)(scan.end - scan.at));
	return 0;
}

static int span_text_of_file(int fd, uint64_t offset, size_t most_bytes, struct str *out)
{
	size_t room = TEXT_STEP;
	char *buffer = NULL;
	int err;

	do {
		ssize_t got;

		buffer = mem_realloc_array(buffer, room, 1);
		got = pread(fd, buffer, room, (off_t)offset);
		err = got < 0 ? -errno : span_text_cut(out, buffer, (size_t)got);
		if (err == -EAGAIN && (size_t)got < room)
			err = -ESTALE;
		if (err == -EAGAIN && room >= most_bytes)
			err = -E2BIG;
		room *= 2;
	} while (err == -EAGAIN);
	free(buffer);
	return err;
}

int span_table_text(
	const struct span_table *table, uint32_t row, size_t most_bytes, struct str *out)
{
	const uint64_t at = table->at[row], offset = at & AT_MASK;
	const struct span_origin *origin = &table->origins[at >> SPAN_AT_BITS];
	int err;

	if (!origin->text)
		return span_text_of_file(origin->fd, offset, most_bytes, out);
	err = span_text_cut(out, origin->text + offset, origin->len - offset);
	return err == -EAGAIN ? -ESTALE : err;
}

void span_table_free(struct span_table *table)
{
	uint32_t i;

	for (i = 0; i < table->n_origins; i++) {
		if (table->origins[i].fd >= 0)
			close(table->origins[i].fd);
		free(table->origins[i].path);
		free(table->origins[i].text);
	}
	free(table->origins);
	free(table->logs);
	free(table->names);
	free(table->traces);
	free(table->name_index.slots);
	free(table->trace_index.slots);
	arena_free(&table->texts);
	if (table->columns)
		munmap(table->columns, table->columns_bytes);
	*table = (struct span_table){0};
}
