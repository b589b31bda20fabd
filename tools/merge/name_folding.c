/* SPDX-License-Identifier: GPL-2.0-only */
/* How are the names of hundreds of hosts said in one line? As cluster tools fold them: web[1-3,7].
 */
#include "base/banned.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/name_folding.h"

#define DIGITS_MAX 9

/* A name taken apart at the last number before its first dot. */
struct folded {
	const char *name;
	size_t prefix, digits; /* lengths; digits of 0: there is none */
	uint64_t number;
};

static struct folded take_apart(const char *name)
{
	size_t end = strcspn(name, "."), start;
	struct folded folded = {.name = name};
	char *number;

	while (end && (name[end - 1] < '0' || name[end - 1] > '9'))
		end--;
	for (start = end; start && name[start - 1] >= '0' && name[start - 1] <= '9'; start--)
		;
	folded.prefix = start;
	if (start == end || end - start > DIGITS_MAX)
		return folded;
	number = mem_strndup(name + start, end - start);
	if (!num_u64(number, 0, UINT64_MAX, &folded.number))
		folded.digits = end - start;
	free(number);
	return folded;
}

static int folded_compare(const char *a, size_t n, const char *b, size_t m)
{
	int differs = strncmp(a, b, n < m ? n : m);

	return differs ? differs : (n > m) - (n < m);
}

/* A number with zeros before it is another one than without. */
static size_t width(const struct folded *folded)
{
	return folded->digits && folded->name[folded->prefix] == '0' ? folded->digits : 0;
}

/* Those that fold stand beside each other. */
static int by_kind(const struct folded *x, const struct folded *y)
{
	int differs = folded_compare(x->name, x->prefix, y->name, y->prefix);

	if (!differs)
		differs = !x->digits - !y->digits;
	if (!differs)
		differs = strcmp(x->name + x->prefix + x->digits, y->name + y->prefix + y->digits);
	if (!differs)
		differs = (width(x) > width(y)) - (width(x) < width(y));
	return differs;
}

static int folded_by_name(const void *a, const void *b)
{
	const struct folded *x = a, *y = b;
	int differs = by_kind(x, y);

	return differs ? differs : (x->number > y->number) - (x->number < y->number);
}

static void add_escaped(struct str *out, const char *text, size_t len)
{
	char *part = mem_strndup(text, len);

	escape_name(out, part);
	free(part);
}

static void folded_add_number(struct str *out, const struct folded *folded)
{
	str_addn(out, folded->name + folded->prefix, folded->digits);
}

/* "1-3" of a run from i on; returns where it ends. */
static size_t folded_add_run(struct str *out, const struct folded *list, size_t i, size_t n)
{
	size_t end = i;

	while (end + 1 < n && list[end + 1].number <= list[end].number + 1)
		end++;
	folded_add_number(out, &list[i]);
	if (list[end].number > list[i].number) {
		str_addc(out, '-');
		folded_add_number(out, &list[end]);
	}
	return end + 1;
}

/* One kind of names, n of them. Returns how many were said before it became too long. */
static size_t add_kind(struct str *out, const struct folded *list, size_t n, size_t end)
{
	const struct folded *first = list;
	size_t i = 0;

	add_escaped(out, first->name, first->digits ? first->prefix : strlen(first->name));
	if (!first->digits)
		return n;
	if (n == 1) {
		folded_add_number(out, first);
		i = 1;
	} else {
		str_addc(out, '[');
		while (i < n && (!i || out->len < end)) {
			str_add(out, i ? "," : "");
			i = folded_add_run(out, list, i, n);
		}
		str_addc(out, ']');
	}
	escape_name(out, first->name + first->prefix + first->digits);
	return i;
}

void fold_names(struct str *out, const char *const *names, size_t n, size_t columns)
{
	struct folded *list = mem_realloc_array(NULL, n + 1, sizeof(*list));
	size_t end = out->len + columns, i, said = 0;

	for (i = 0; i < n; i++)
		list[i] = take_apart(names[i]);
	if (n)
		qsort(list, n, sizeof(*list), folded_by_name);
	for (i = 0; i < n && out->len < end;) {
		size_t kind = 1;

		while (i + kind < n && !by_kind(&list[i], &list[i + kind]))
			kind++;
		str_add(out, i ? ", " : "");
		said += add_kind(out, list + i, kind, end);
		i += kind;
	}
	if (said < n)
		str_addf(out, " and %zu more", n - said);
	free(list);
}
