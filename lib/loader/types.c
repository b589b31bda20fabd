/* SPDX-License-Identifier: GPL-2.0-only */
/* What types does the kernel have, and where do their members lie? */
#include "base/banned.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "loader/types.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
#define TYPES_STEP 16
#define BTF_SIZE_MAX (256u << 20)
/* Typedefs of typedefs, structs without a name in structs: more is no C that anybody wrote. */
#define TYPES_DEEP 32
#define TYPES_AWAITED 32 /* names */
#define TYPES_SLOT_BITS 14
#define TYPES_ONES 0x0101010101010101ull
#define TYPES_KINDS 32 /* that a head has room for */

/* What follows behind the head of a type, in bytes: once, and for each of its parts. */
static const struct types_tail {
	__u8 once, each;
} types_tails[] = {
	[BTF_KIND_INT] = {sizeof(__u32), 0},
	[BTF_KIND_ARRAY] = {sizeof(struct btf_array), 0},
	[BTF_KIND_STRUCT] = {0, sizeof(struct btf_member)},
	[BTF_KIND_UNION] = {0, sizeof(struct btf_member)},
	[BTF_KIND_ENUM] = {0, sizeof(struct btf_enum)},
	[BTF_KIND_FUNC_PROTO] = {0, sizeof(struct btf_param)},
	[BTF_KIND_VAR] = {sizeof(struct btf_var), 0},
	[BTF_KIND_DATASEC] = {0, sizeof(struct btf_var_secinfo)},
	[BTF_KIND_DECL_TAG] = {sizeof(struct btf_decl_tag), 0},
	[BTF_KIND_ENUM64] = {0, sizeof(struct btf_enum64)},
	[TYPES_KINDS - 1] = {0, 0},
};

static size_t types_tail(const struct btf_type *type)
{
	const struct types_tail *tail = &types_tails[btf_kind(type) % TYPES_KINDS];

	return tail->once + (size_t)btf_vlen(type) * tail->each;
}

static const struct btf_type *types_next(const struct btf_type *type)
{
	return (const void *)((const char *)(type + 1) + types_tail(type));
}

/* The first 8 letters, of fewer all: of room bytes or up to a 0. */
static __u64 types_letters(const char *name, size_t room)
{
	__u64 letters = 0, ends;

	memcpy(&letters, name, room < sizeof(letters) ? room : sizeof(letters));
	letters = le64toh(letters);
	/* The lowest byte that is 0 is the first whose highest bit is set here. */
	ends = (letters - TYPES_ONES) & ~letters & (TYPES_ONES << 7);
	return ends ? letters & (((ends & -ends) >> 7) - 1) : letters;
}

/* The same of a word of ours. */
static __u64 types_word(const char *word)
{
	return types_letters(word, strlen(word));
}

static size_t types_slot(__u64 letters)
{
	return (size_t)(letters * 0x9e3779b97f4a7c15 >> (64 - TYPES_SLOT_BITS));
}

static void types_note(struct types *types, __u32 id, __u64 letters)
{
	__u32 *last = &types->lasts[types_slot(letters)];

	ARRAY_GROW(types->named, types->n_named, types->named_room);
	types->named[types->n_named++] =
		(struct types_named){.letters = letters, .id = id, .before = *last};
	*last = (__u32)types->n_named;
}

/* A type whose name the processor was told to fetch, before it is looked at. */
struct types_awaited {
	__u32 id, kind, name;
};

/* Nobody looks for a function or a typedef but for what programs are written for. */
static void types_note_name(struct types *types, const struct types_awaited *awaited)
{
	__u64 letters;

	if (awaited->name >= types->names_len)
		return;
	letters = types_letters(types->names + awaited->name, types->names_len - awaited->name);
	if (letters &&
		(awaited->kind != BTF_KIND_TYPEDEF || letters == types_word(TYPES_TRACEPOINT)) &&
		(awaited->kind != BTF_KIND_FUNC || letters == types_word(TYPES_ITERATOR)))
		types_note(types, awaited->id, letters);
}

static bool types_is_looked_for(__u32 kind)
{
	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION || kind == BTF_KIND_ENUM ||
		kind == BTF_KIND_ENUM64 || kind == BTF_KIND_TYPEDEF || kind == BTF_KIND_FUNC;
}

/* The names lie anywhere in megabytes: to wait for each would take longer than all the rest. */
static void types_await(
	struct types *types, struct types_awaited *ring, const struct btf_type *type, __u32 id)
{
	struct types_awaited *awaited = &ring[id % TYPES_AWAITED];

	if (awaited->id)
		types_note_name(types, awaited);
	awaited->id = 0;
	if (!types_is_looked_for(btf_kind(type)))
		return;
	*awaited = (struct types_awaited){id, btf_kind(type), type->name_off};
	__builtin_prefetch(types_name(types, type->name_off));
}

/* One pass over all. */
static int types_walk(struct types *types, bool names_too)
{
	struct types_awaited ring[TYPES_AWAITED] = {0};
	const char *at = types->begin;
	size_t n_places = 0, i;

	while (types->end - at >= (ptrdiff_t)sizeof(struct btf_type)) {
		const struct btf_type *type = (const void *)at;

		if (types->n++ % TYPES_STEP == 0) {
			ARRAY_GROW(types->places, n_places, types->places_room);
			types->places[n_places++] = (__u32)(at - types->begin);
		}
		if (names_too)
			types_await(types, ring, type, types->n);
		if ((size_t)(types->end - at) < sizeof(*type) + types_tail(type))
			return -EINVAL;
		at = (const char *)types_next(type);
	}
	for (i = 1; i <= TYPES_AWAITED; i++)
		if (ring[(types->n + i) % TYPES_AWAITED].id)
			types_note_name(types, &ring[(types->n + i) % TYPES_AWAITED]);
	return at == types->end ? 0 : -EINVAL;
}

int types_take(struct types *types, const void *btf, size_t size, bool names_too)
{
	const struct btf_header *header = btf;
	const char *body;
	int err;

	*types = (struct types){0};
	if (size < sizeof(*header) || size > BTF_SIZE_MAX || header->magic != BTF_MAGIC ||
		header->hdr_len > size)
		return -EINVAL;
	body = (const char *)btf + header->hdr_len;
	size -= header->hdr_len;
	if (header->type_off > size || header->type_len > size - header->type_off ||
		header->str_off > size || header->str_len > size - header->str_off ||
		!header->str_len || body[header->str_off + header->str_len - 1])
		return -EINVAL;
	types->begin = body + header->type_off;
	types->end = types->begin + header->type_len;
	types->names = body + header->str_off;
	types->names_len = header->str_len;
	if (names_too)
		types->lasts = mem_zalloc(sizeof(*types->lasts) << TYPES_SLOT_BITS);
	err = types_walk(types, names_too);
	if (err)
		types_free(types);
	return err;
}

void types_free(struct types *types)
{
	free(types->places);
	free(types->named);
	free(types->lasts);
	*types = (struct types){0};
}

/* Newer kernels (6.15) let their types be mapped, older ones have them read. Returns NULL where
 * neither is possible. */
static const void *types_get_file(int fd, size_t size)
{
	void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	size_t len = 0;

	if (bytes != MAP_FAILED)
		return bytes;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
		-1, 0);
	if (bytes == MAP_FAILED)
		return NULL;
	while (len < size) {
		ssize_t n = read(fd, (char *)bytes + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (len == size)
		return bytes;
	munmap(bytes, size);
	return NULL;
}

static bool types_read_kernel(struct types *types)
{
	int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);
	const void *bytes = NULL;
	struct stat stat;

	if (fd < 0)
		return false;
	if (!fstat(fd, &stat) && stat.st_size > 0 && stat.st_size <= BTF_SIZE_MAX)
		bytes = types_get_file(fd, (size_t)stat.st_size);
	close(fd);
	return bytes && !types_take(types, bytes, (size_t)stat.st_size, true);
}

const struct types *types_of_kernel(void)
{
	static struct types types;
	static bool is_read, is_there;

	if (!is_read)
		is_there = types_read_kernel(&types);
	is_read = true;
	return is_there ? &types : NULL;
}

const struct btf_type *types_at(const struct types *types, __u32 id)
{
	const struct btf_type *type;
	__u32 i;

	if (!id || id > types->n)
		return NULL;
	type = (const void *)(types->begin + types->places[(id - 1) / TYPES_STEP]);
	for (i = (id - 1) % TYPES_STEP; i; i--)
		type = types_next(type);
	return type;
}

const char *types_name(const struct types *types, __u32 offset)
{
	return offset < types->names_len ? types->names + offset : "";
}

__u32 types_bare(const struct types *types, __u32 id)
{
	const struct btf_type *type;
	int i;

	for (i = 0; i < TYPES_DEEP; i++) {
		type = types_at(types, id);
		if (!type || !(btf_is_mod(type) || btf_is_typedef(type)))
			return id;
		id = type->type;
	}
	return 0;
}

__u32 types_size(const struct types *types, __u32 id)
{
	const struct btf_type *type;
	__u32 n = 1;
	int i;

	for (i = 0; i < TYPES_DEEP; i++) {
		type = types_at(types, types_bare(types, id));
		if (!type)
			return 0;
		if (btf_is_ptr(type))
			return n * (__u32)sizeof(__u64);
		if (!btf_is_array(type))
			return btf_is_int(type) || btf_is_composite(type) || btf_is_any_enum(type)
				? n * type->size
				: 0;
		n *= btf_array(type)->nelems;
		id = btf_array(type)->type;
	}
	return 0;
}

__u32 types_find(const struct types *types, const char *name, size_t len, __u32 before)
{
	__u64 letters = types_letters(name, len);
	const struct types_named *named;
	__u32 i = types->lasts[types_slot(letters)];

	for (; i; i = named->before) {
		const struct btf_type *type;
		const char *found;

		named = &types->named[i - 1];
		if (named->letters != letters || (before && named->id >= before))
			continue;
		type = types_at(types, named->id);
		found = type ? types_name(types, type->name_off) : "";
		if (!strncmp(found, name, len) && !found[len])
			return named->id;
	}
	return 0;
}

__u32 types_find_kind(const struct types *types, const char *name, __u32 kind)
{
	__u32 id = 0;

	do
		id = types_find(types, name, strlen(name), id);
	while (id && btf_kind(types_at(types, id)) != kind);
	return id;
}

static void types_enter(const struct types *types, struct types_field *field,
	const struct btf_type *type, __u32 number)
{
	const struct btf_member *member = btf_members(type) + number;

	field->bit += btf_member_bit_offset(type, number);
	field->bitfield = btf_member_bitfield_size(type, number);
	field->type = types_bare(types, member->type);
}

static int types_step_deep(
	const struct types *types, struct types_field *field, const char *name, int deep)
{
	const struct btf_type *type = types_at(types, field->type);
	__u32 i;

	if (!type || !btf_is_composite(type) || deep > TYPES_DEEP)
		return -ENOENT;
	for (i = 0; i < btf_vlen(type); i++) {
		const char *found = types_name(types, btf_members(type)[i].name_off);
		struct types_field inner = *field;

		if (*found && strcmp(found, name) != 0)
			continue;
		types_enter(types, &inner, type, i);
		if (*found || !types_step_deep(types, &inner, name, deep + 1)) {
			*field = inner;
			return 0;
		}
	}
	return -ENOENT;
}

int types_step(const struct types *types, struct types_field *field, const char *name)
{
	return types_step_deep(types, field, name, 0);
}

int types_step_number(const struct types *types, struct types_field *field, __u32 number)
{
	const struct btf_type *type = types_at(types, field->type);

	if (type && btf_is_composite(type) && number < btf_vlen(type)) {
		types_enter(types, field, type, number);
		return 0;
	}
	if (!type || !btf_is_array(type) ||
		(btf_array(type)->nelems && number >= btf_array(type)->nelems))
		return -ENOENT;
	field->bit += number * types_size(types, btf_array(type)->type) * 8;
	field->bitfield = 0;
	field->type = types_bare(types, btf_array(type)->type);
	return 0;
}
