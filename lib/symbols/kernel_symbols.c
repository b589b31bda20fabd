/* SPDX-License-Identifier: GPL-2.0-only */
/* Which function of the kernel is at an address? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "symbols/kernel_symbols.h"
#include "sys/caps.h"
#include "sys/read_write.h"

enum { TEXT_MAX = 64 << 20 };

static int kernel_symbol_order(const void *a, const void *b)
{
	const struct kernel_symbol *left = a, *right = b;

	if (left->address != right->address)
		return left->address > right->address ? 1 : -1;
	return left->name > right->name ? 1 : -1;
}

/* "address type name" or "address type name\t[module]"; t, T, w and W are code. */
static void kernel_symbol_line(struct kernel_symbols *symbols, const char *at, const char *end)
{
	struct kernel_symbol symbol;
	size_t len;

	if (num_next_hex(&at, end, &symbol.address) || !symbol.address || end - at < 4 ||
		!strchr("tTwW", at[1]) || at[2] != ' ')
		return;
	at += 3;
	len = (size_t)(end - at);
	while (symbols->names_len + len + 1 > symbols->names_room) {
		symbols->names_room = symbols->names_room ? symbols->names_room * 2 : 1 << 20;
		symbols->names = mem_realloc_array(symbols->names, symbols->names_room, 1);
	}
	symbol.name = (uint32_t)symbols->names_len;
	for (size_t i = 0; i < len; i++)
		symbols->names[symbols->names_len + i] = at[i] && at[i] != '\t' ? at[i] : ' ';
	symbols->names[symbols->names_len + len] = 0;
	symbols->names_len += len + 1;
	ARRAY_GROW(symbols->list, symbols->n, symbols->room);
	symbols->list[symbols->n++] = symbol;
}

void kernel_symbols_parse(struct kernel_symbols *symbols, const char *text, size_t len)
{
	const char *end = text + len, *line_end;

	for (; text < end; text = line_end + 1) {
		line_end = memchr(text, '\n', (size_t)(end - text));
		line_end = line_end ? line_end : end;
		kernel_symbol_line(symbols, text, line_end);
	}
	if (symbols->n)
		qsort(symbols->list, symbols->n, sizeof(*symbols->list), kernel_symbol_order);
}

int kernel_symbols_read(struct kernel_symbols *symbols)
{
	const bool raised = caps_lend(CAPS_LOG);
	const int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	struct str text = STR_INIT;
	int err = fd < 0 ? -errno : 0;

	/* What may be seen is decided when it is opened, by some kernels when it is read. */
	if (!err)
		err = read_all(fd, TEXT_MAX, &text);
	if (raised)
		caps_lower(CAPS_LOG);
	if (fd >= 0)
		close(fd);
	if (!err || err == -EFBIG)
		kernel_symbols_parse(symbols, str_text(&text), text.len);
	str_free(&text);
	return symbols->n ? 0 : err ? err : -EACCES;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	free(symbols->list);
	free(symbols->names);
	*symbols = (struct kernel_symbols){.n = 0};
}

const char *kernel_symbols_at(const struct kernel_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->n;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (symbols->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Of several names of a place the first one of the kernel's list. */
	while (low > 1 && symbols->list[low - 2].address == symbols->list[low - 1].address)
		low--;
	return low ? symbols->names + symbols->list[low - 1].name : NULL;
}
