/* SPDX-License-Identifier: GPL-2.0-only */
/* Which listener of this sample is which of the last one, and how does a recording hold them? */
#include "base/banned.h"

#include <errno.h>

#include "base/hex.h"
#include "sources/net/listener_table.h"
#include "base/num.h"
#include "capture/sockdiag.h"
#include "base/str.h"

/* Longer than a namespace's file name and a Unix socket's path, and as long as a phrase may get. */
#define WORD_BYTES 1024

static bool listeners_is_plain(char c)
{
	return (unsigned char)c > ' ' && c != '%';
}

static void write_word(struct str *text, const char *word)
{
	for (; *word; word++) {
		if (listeners_is_plain(*word))
			str_addc(text, *word);
		else
			str_addf(text, "%%%02X", (unsigned char)*word);
	}
}

static void write_number(struct str *text, bool known, uint32_t number)
{
	if (known)
		str_addf(text, " %u", number);
	else
		str_add(text, " -");
}

void listeners_write(struct str *text, const char *prefix, const struct sock_listener *listener)
{
	write_word(text, prefix);
	if (*prefix)
		write_word(text, " ");
	write_word(text, listener->address);
	str_addf(text, " %u %u %u", listener->backlog, listener->limit, listener->inode);
	write_number(text, listener->has_uid, listener->uid);
	write_number(text, listener->has_drops, listener->drops);
	str_addc(text, '\n');
}

void listeners_write_missing(struct str *text, const char *phrase)
{
	str_add(text, "! ");
	write_word(text, phrase);
	str_addc(text, '\n');
}

void listeners_write_none(struct str *text)
{
	str_add(text, ".\n");
}

/* The byte that %XX at text stands for, or -1. */
static int read_escape(const char *text, const char *end)
{
	return end - text < 3 || *text != '%' ? -1 : hex_byte(text + 1, HEX_UPPER);
}

/* Undoes write_word for the bytes up to a blank or the end; NULL where they are not such a word. */
static char *listeners_read_word(const char **at, const char *end)
{
	char word[WORD_BYTES];
	size_t n = 0;
	int byte;

	for (; *at < end && **at != ' '; (*at)++) {
		byte = (unsigned char)**at;
		if (!listeners_is_plain(**at)) {
			byte = read_escape(*at, end);
			*at += 2;
		}
		if (byte <= 0 || n == sizeof(word))
			return NULL;
		word[n++] = (char)byte;
	}
	return n ? mem_strndup(word, n) : NULL;
}

/* A blank and a number of 32 bits; or - where known is not NULL. */
static int listeners_read_number(const char **at, const char *end, uint32_t *out, bool *known)
{
	uint64_t number = 0;

	if (end - *at < 2 || **at != ' ')
		return -EBADMSG;
	(*at)++;
	if (known) {
		*known = **at != '-';
		if (!*known) {
			(*at)++;
			return 0;
		}
	}
	if (**at < '0' || **at > '9' || num_next(at, end, &number) || number > UINT32_MAX)
		return -EBADMSG;
	*out = (uint32_t)number;
	return 0;
}

static int read_missing(struct listeners *out, const char *at, const char *end)
{
	char *phrase = listeners_read_word(&at, end);

	if (!phrase || at != end || out->n_missing == LISTENERS_MAX) {
		free(phrase);
		return -EBADMSG;
	}
	ARRAY_GROW(out->missing, out->n_missing, out->room_missing);
	out->missing[out->n_missing++] = phrase;
	return 0;
}

static int listeners_read_line(struct listeners *out, const char *at, const char *end)
{
	struct listener *listener;

	if (end - at > 2 && at[0] == '!' && at[1] == ' ')
		return read_missing(out, at + 2, end);
	if (end - at == 1 && *at == '.') {
		out->none = true;
		return 0;
	}
	if (out->n == LISTENERS_MAX)
		return -EBADMSG;
	ARRAY_GROW(out->list, out->n, out->room);
	listener = &out->list[out->n];
	*listener = (struct listener){.ordinal = 1};
	listener->name = listeners_read_word(&at, end);
	if (!listener->name)
		return -EBADMSG;
	out->n++;
	listener->address_len = strlen(listener->name);
	if (listeners_read_number(&at, end, &listener->backlog, NULL) ||
		listeners_read_number(&at, end, &listener->limit, NULL) ||
		listeners_read_number(&at, end, &listener->inode, NULL) ||
		listeners_read_number(&at, end, &listener->uid, &listener->has_uid) ||
		listeners_read_number(&at, end, &listener->drops, &listener->has_drops) ||
		at != end)
		return -EBADMSG;
	return 0;
}

int listeners_parse(struct listeners *out, const char *text, size_t len)
{
	const char *at = text, *newline;

	while (len) {
		newline = memchr(at, '\n', len);
		if (!newline || listeners_read_line(out, at, newline)) {
			listeners_free(out);
			return -EBADMSG;
		}
		len -= (size_t)(newline - at) + 1;
		at = newline + 1;
	}
	return 0;
}

static int compare_address(const struct listener *a, const struct listener *b)
{
	size_t len = a->address_len < b->address_len ? a->address_len : b->address_len;
	int order = memcmp(a->name, b->name, len);

	if (order)
		return order;
	return (a->address_len > b->address_len) - (a->address_len < b->address_len);
}

static int listeners_compare(const void *a, const void *b)
{
	const struct listener *left = a, *right = b;
	int order = compare_address(left, right);

	return order ? order : (left->inode > right->inode) - (left->inode < right->inode);
}

/* A dump that the kernel makes in several steps can bring a socket twice. */
static void listeners_remove_doubles(struct listeners *table)
{
	size_t i, kept = 0;

	for (i = 0; i < table->n; i++) {
		if (kept && !listeners_compare(&table->list[kept - 1], &table->list[i]))
			free(table->list[i].name);
		else
			table->list[kept++] = table->list[i];
	}
	table->n = kept;
}

/* How many from the first on share its address. */
static size_t group_size(const struct listener *first, size_t left)
{
	size_t n = 1;

	while (n < left && !compare_address(first, &first[n]))
		n++;
	return n;
}

/* Sockets that were there keep their numbers; *old moves to behind this address. */
static void keep_ordinals(struct listener *group, size_t n, const struct listener **old,
	const struct listener *old_end)
{
	size_t i = 0;

	while (*old < old_end && i < n) {
		int order = listeners_compare(*old, &group[i]);

		if (order == 0)
			group[i].ordinal = (*old)->ordinal;
		if (order <= 0)
			(*old)++;
		if (order >= 0)
			i++;
	}
}

static void new_ordinals(struct listener *group, size_t n)
{
	bool *used = mem_zalloc(n + 2);
	uint32_t next = 1;
	size_t i;

	for (i = 0; i < n; i++)
		if (group[i].ordinal <= n)
			used[group[i].ordinal] = true;
	for (i = 0; i < n; i++) {
		if (group[i].ordinal)
			continue;
		while (next <= n && used[next])
			next++;
		group[i].ordinal = next++;
	}
	free(used);
}

static void append_ordinal(struct listener *listener)
{
	char *name;

	if (listener->ordinal == 1)
		return;
	name = mem_printf("%s#%u", listener->name, listener->ordinal);
	free(listener->name);
	listener->name = name;
}

void listeners_number(struct listeners *now, const struct listeners *before)
{
	const struct listener *old = before ? before->list : NULL;
	const struct listener *old_end = before && before->n ? before->list + before->n : old;
	size_t i, k, n;

	if (!now->n)
		return;
	qsort(now->list, now->n, sizeof(*now->list), listeners_compare);
	listeners_remove_doubles(now);
	for (i = 0; i < now->n; i += n) {
		n = group_size(&now->list[i], now->n - i);
		for (k = i; k < i + n; k++)
			now->list[k].ordinal = 0;
		keep_ordinals(&now->list[i], n, &old, old_end);
		new_ordinals(&now->list[i], n);
		for (k = i; k < i + n; k++)
			append_ordinal(&now->list[k]);
	}
}

const struct listener *listeners_find(const struct listeners *table, const char *name)
{
	size_t i;

	for (i = 0; i < table->n; i++)
		if (!strcmp(table->list[i].name, name))
			return &table->list[i];
	return NULL;
}

void listeners_free(struct listeners *table)
{
	size_t i;

	for (i = 0; i < table->n; i++)
		free(table->list[i].name);
	for (i = 0; i < table->n_missing; i++)
		free(table->missing[i]);
	free(table->list);
	free(table->missing);
	*table = (struct listeners){0};
}
